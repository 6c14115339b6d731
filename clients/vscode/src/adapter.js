// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where ompdd-dap is, and what a configuration without much in it means.
'use strict';

const fs = require('fs');
const path = require('path');
const vscode = require('vscode');

const PROGRAM = 'ompdd-dap';

/** The path of ompdd-dap: as set, in PATH, or NULL. */
function findAdapter(named, env = process.env) {
	if (named) {
		return isProgram(named) ? named : null;
	}
	for (const folder of (env.PATH ?? '').split(path.delimiter)) {
		if (folder && isProgram(path.join(folder, PROGRAM))) {
			return path.join(folder, PROGRAM);
		}
	}
	return null;
}

function isProgram(file) {
	try {
		fs.accessSync(file, fs.constants.X_OK);
		return fs.statSync(file).isFile();
	} catch {
		return false;
	}
}

class AdapterFactory {
	createDebugAdapterDescriptor(session) {
		const named = vscode.workspace.getConfiguration('openmp', session.workspaceFolder).get('adapter');
		const found = findAdapter(named);
		if (!found) {
			throw new Error(named ? `There is no program ${named}: the setting openmp.adapter names it.`
				: `${PROGRAM} is not in PATH: install ompdd, or say where it is in the setting openmp.adapter.`);
		}
		return new vscode.DebugAdapterExecutable(found, []);
	}
}

class ConfigurationProvider {
	provideDebugConfigurations() {
		return [{type: 'openmp', request: 'launch', name: 'OpenMP: launch', program: '${workspaceFolder}/a.out', args: [], cwd: '${workspaceFolder}'}];
	}

	resolveDebugConfiguration(_folder, config) {
		if (!config.type && !config.request) {
			// F5 without a launch.json.
			return vscode.commands.executeCommand('workbench.action.debug.configure').then(() => undefined);
		}
		return config;
	}

	resolveDebugConfigurationWithSubstitutedVariables(_folder, config) {
		return completed(config);
	}
}

/** A configuration as ompdd-dap wants it: numbers are numbers, a core is observed. */
function completed(config) {
	const result = {...config};
	if (typeof result.pid === 'string' && /^[1-9]\d*$/.test(result.pid)) {
		result.pid = Number(result.pid);
	}
	if (result.coreFile && !result.mode) {
		result.mode = 'observe';
	}
	return result;
}

/** Processes that the user may look at, from `ompdctl ps` beside the adapter where it is, else from /proc. */
async function pickProcess() {
	const items = [];
	const uid = process.getuid();
	for (const entry of fs.readdirSync('/proc')) {
		if (!/^\d+$/.test(entry)) {
			continue;
		}
		try {
			if (uid !== 0 && fs.statSync(`/proc/${entry}`).uid !== uid) {
				continue;
			}
			const maps = fs.readFileSync(`/proc/${entry}/maps`, 'latin1');
			if (/\/(libgomp|libi?omp\d*)[-.\w]*\.so/.test(maps)) {
				const words = fs.readFileSync(`/proc/${entry}/cmdline`, 'utf8').split('\0').filter(Boolean);
				items.push({label: path.basename(words[0] ?? ''), description: entry, detail: words.join(' '), pid: entry});
			}
		} catch {
			// It has ended, or is not for us to see.
		}
	}
	const found = await vscode.window.showQuickPick(items, {placeHolder: items.length ? 'An OpenMP process' : 'No OpenMP process of yours was found',
		matchOnDescription: true, matchOnDetail: true});
	return found?.pid;
}

module.exports = {AdapterFactory, ConfigurationProvider, completed, findAdapter, pickProcess};

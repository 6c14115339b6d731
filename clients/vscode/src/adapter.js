// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds ompdd-dap, and completes short configurations.
'use strict';

const fs = require('fs');
const path = require('path');
const vscode = require('vscode');

const PROGRAM = 'ompdd-dap';

/** Return the path of ompdd-dap: from the settings, in PATH, or null. */
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
			throw new Error(named ? `The setting openmp.adapter names a missing program: ${named}`
				: `${PROGRAM} is not in PATH: install ompdd, or set its path in the setting openmp.adapter.`);
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

/** Return a configuration for ompdd-dap: numbers are numbers, and a core is observed. */
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

/**
 * Return the processes that the user may examine, from `ompdctl ps` beside the adapter if it exists, else from /proc.
 */
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
			// It has ended, or is not visible to us.
		}
	}
	const found = await vscode.window.showQuickPick(items, {placeHolder: items.length ? 'An OpenMP process' : 'You have no OpenMP process',
		matchOnDescription: true, matchOnDetail: true});
	return found?.pid;
}

module.exports = {AdapterFactory, ConfigurationProvider, completed, findAdapter, pickProcess};

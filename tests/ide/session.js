// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// VS Code itself, in a browser, with the extension: a session as its user has it. session.js CODE_SERVER BROWSER FOLDER [NAMES]:
// FOLDER has workspace/ (solve.c, solve, hang, .vscode/launch.json), extensions/ and user/, and gets a picture of each step.
'use strict';

const assert = require('node:assert');
const {spawn} = require('node:child_process');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');

const [modules, browserPath, folder] = process.argv.slice(2);
const {chromium} = require(path.join(modules, 'playwright-core'));
const PATIENCE = Number(process.env.PATIENCE ?? 300) * 1000;

const steps = [];
let page, server;

async function step(name, fn) {
	const began = Date.now();
	try {
		await fn();
	} catch (error) {
		await picture(`failed-${name}`);
		throw new Error(`${name}: ${error.message}`);
	}
	await picture(name);
	steps.push(`${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
	console.log(`ok ${steps.length} ${steps.at(-1)}`);
}

const picture = (name) => page?.screenshot({path: path.join(folder, `${String(steps.length + 1).padStart(2, '0')}-${name}.png`)}).catch(() => {});

/** Wait for a condition; the error has the last state. */
async function until(what, fn) {
	const end = Date.now() + PATIENCE;
	for (let last; ; await new Promise((done) => setTimeout(done, 100))) {
		try {
			last = await fn();
			if (last === true) {
				return;
			}
		} catch (error) {
			last = error.message;
		}
		const said = await page.locator('.monaco-dialog-box').allInnerTexts().catch(() => []);
		if (said.length) {
			throw new Error(`${what}: VS Code says: ${said.join('; ')}`);
		}
		if (Date.now() > end) {
			throw new Error(`${what}: not within ${PATIENCE / 1000} s; ${JSON.stringify(last)}`);
		}
	}
}

async function freePort() {
	const socket = net.createServer().listen(0, '127.0.0.1');
	await new Promise((done) => socket.once('listening', done));
	const {port} = socket.address();
	await new Promise((done) => socket.close(done));
	return port;
}

async function start() {
	const port = await freePort();
	const log = fs.openSync(path.join(folder, 'server.log'), 'w');
	server = spawn(process.execPath, [path.join(modules, 'code-server/out/node/entry.js'), '--auth', 'none', '--bind-addr',
		`127.0.0.1:${port}`, '--user-data-dir', path.join(folder, 'user'), '--extensions-dir', path.join(folder, 'extensions'),
		'--disable-workspace-trust', '--disable-telemetry', '--disable-update-check', path.join(folder, 'workspace')],
	{stdio: ['ignore', log, log], detached: true});
	const browser = await chromium.launch({executablePath: browserPath, args: ['--no-sandbox', '--disable-dev-shm-usage']});
	page = await browser.newPage({viewport: {width: 1600, height: 1000}});
	page.setDefaultTimeout(PATIENCE);
	await until('code-server answers', async () => (await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(path.join(folder, 'workspace'))}`)).ok());
	return browser;
}

/** Run a command of the palette, by its title. */
async function command(title) {
	await page.keyboard.press('F1');
	const input = page.locator('.quick-input-widget input').first();
	await input.waitFor({state: 'visible'});
	await input.fill(`>${title}`);
	await page.locator('.quick-input-list .monaco-list-row', {hasText: title}).first().click();
	await input.waitFor({state: 'hidden'});
}

async function openFile(name, line) {
	await page.keyboard.press('Control+P');
	const input = page.locator('.quick-input-widget input').first();
	await input.waitFor({state: 'visible'});
	await input.fill(`${name}:${line}`);
	await page.locator('.quick-input-list .monaco-list-row', {hasText: name}).first().waitFor();
	await page.keyboard.press('Enter');
	await page.locator(`.tab[data-resource-name="${name}"]`).first().waitFor();
}

/** Set a breakpoint in the cursor's line. Keys are lost while the workbench starts: repeat until the breakpoint appears. */
async function setBreakpoint() {
	const glyph = page.locator('.codicon-debug-breakpoint, .codicon-debug-breakpoint-unverified');
	for (let i = 0; i < 20 && !await glyph.count(); i++) {
		await page.keyboard.press('Control+1');
		await page.keyboard.press('F9');
		await glyph.first().waitFor({timeout: PATIENCE / 20}).catch(() => {});
	}
	assert.ok(await glyph.count());
}

const treeRows = () => page.locator('.pane:has(.pane-header[aria-label^="OpenMP"]) .monaco-list-row');
const treeText = async () => (await treeRows().allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
const callStack = () => page.locator('.debug-call-stack');
const isPaused = () => page.locator('.debug-toolbar .codicon-debug-continue').count().then((n) => n > 0);

/** Return the text in the webview whose tab has that title. */
async function webviewText(pattern) {
	for (const frame of page.frames()) {
		const text = await frame.locator('main#main').innerText({timeout: 500}).catch(() => '');
		if (pattern.test(text)) {
			return text;
		}
	}
	return '';
}

async function startSession(name) {
	// Start a configuration by its name.
	await page.keyboard.press('Control+P');
	const input = page.locator('.quick-input-widget input').first();
	await input.waitFor({state: 'visible'});
	await input.fill(`debug ${name}`);
	await page.locator('.quick-input-list .monaco-list-row', {hasText: name}).first().waitFor();
	await page.keyboard.press('Enter');
	await input.waitFor({state: 'hidden'});
}

async function endSession() {
	await page.keyboard.press('Shift+F5');
	await until('the session is over', async () => !(await page.locator('.debug-toolbar').isVisible().catch(() => false)));
}

/** With the extension's command: all members of its team arrive at the region in reduce(). */
async function nextRegion() {
	await command('Remove All Breakpoints');
	await command('OpenMP: Step into the Next Region');
	await until('all three are in the next region', async () => {
		const text = await treeText();
		return (text.some((row) => /^parallel region 1.*reduce/.test(row)) && workers(text).filter((name) => name).length === 3) || text;
	});
}

function lineOf(mark) {
	return fs.readFileSync(path.join(folder, 'workspace/solve.c'), 'utf8').split('\n').findIndex((line) => line.includes(mark)) + 1;
}

// Return for each row of the tree the name of its thread in the call stack, "2.1" in region 2, if it works; else null.
function workers(texts) {
	let region;
	return texts.map((row) => {
		region = /^parallel region (\d+)/.exec(row)?.[1] ?? region;
		const thread = /^thread (\d+) work/.exec(row);
		return thread && `${region}.${thread[1]}`;
	});
}

async function main() {
	const browser = await start();

	await step('open', async () => {
		await page.locator('.monaco-workbench').waitFor();
		await openFile('solve.c', lineOf('BREAK'));
	});
	await step('breakpoint', async () => {
		await setBreakpoint();
	});
	await step('stopped-in-region', async () => {
		await startSession('OpenMP: solve');
		await until('it stops', isPaused);
		await page.locator('.debug-top-stack-frame-line').first().waitFor();
	});
	await step('tree', async () => {
		const header = page.locator('.pane-header[aria-label^="OpenMP"]');
		await header.waitFor();
		if (await header.getAttribute('aria-expanded') === 'false') {
			await header.click();
		}
		// Room for all of its rows: invisible rows do not exist.
		for (const name of ['Variables', 'Watch', 'Breakpoints']) {
			const pane = page.locator(`.pane-header[aria-label^="${name}"]`);
			if (await pane.count() && await pane.getAttribute('aria-expanded') === 'true') {
				await pane.click();
			}
		}
		await until('regions and threads', async () => {
			const text = await treeText();
			return (text.some((row) => row.startsWith('parallel region 3')) && workers(text).filter((name) => name).length === 4) || text;
		});
	});
	let other;
	await step('thread-selected', async () => {
		const texts = await treeText();
		const before = await page.locator('.debug-call-stack .monaco-list-row.selected, .debug-call-stack .monaco-list-row.focused').allInnerTexts();
		// A thread other than the stopped one.
		const shown = (await callStack().locator('.monaco-list-row').allInnerTexts()).join(' ');
		const names = workers(texts);
		const at = names.findIndex((name) => name && name.endsWith('.1'));
		assert.ok(at >= 0, texts.join('\n'));
		other = names[at];
		await treeRows().nth(at).click();
		await until(`the call stack goes to ${other}`, async () => {
			const focused = await page.locator('.debug-call-stack .monaco-list-row.selected').allInnerTexts();
			const all = await callStack().locator('.monaco-list-row').allInnerTexts();
			return all.some((row) => row.startsWith(other) && /paused/i.test(row)) && focused.length > 0 || [before, shown, all, focused];
		});
	});
	await step('parallel-stacks', async () => {
		await command('OpenMP: Parallel Stacks');
		await until('equal stacks once', async () => /\d threads[^]*relax[^]*main/.test(await webviewText(/threads/)) || await webviewText(/./));
	});
	// lldb holds the arrived threads, ompdd knows the team.
	await step('next-region-beside-lldb', nextRegion);
	await step('ended', endSession);
	await step('breakpoint-again', async () => {
		await openFile('solve.c', lineOf('BREAK'));
		await setBreakpoint();
	});
	// ompdd itself holds the program, so it steps from region to region.
	await step('stopped-by-ompdd', async () => {
		await startSession('OpenMP: step');
		await until('it stops', isPaused);
		await until('in the region', async () => (await treeText()).some((row) => /relax|sweep/.test(row)) || treeText());
	});
	await step('next-region', nextRegion);
	await step('ended-again', endSession);
	await step('hang', async () => {
		await startSession('OpenMP: hang');
		await until('it runs', async () => (await page.locator('.debug-toolbar .codicon-debug-pause').count()) > 0);
	});
	await step('why', async () => {
		await until('the verdict', async () => {
			await command('OpenMP: Why Does It Hang?');
			return /deadlock: /.test(await webviewText(/deadlock: /));
		});
	});
	await step('why-graph', async () => {
		const frame = await (async () => {
			for (const one of page.frames()) {
				if (await one.locator('svg .node').count().catch(() => 0)) {
					return one;
				}
			}
			throw new Error('no graph');
		})();
		assert.ok(await frame.locator('svg .node.cycle').count() >= 4, 'two threads and two locks');
		assert.strictEqual(await frame.locator('#main img, #main script, #main [onclick]').count(), 0);
	});
	await step('over', endSession);
	await browser.close();
	console.log(`1..${steps.length}`);
}

main().then(() => 0, (error) => {
	console.error(error.message);
	return 1;
}).then((status) => {
	try {
		process.kill(-server.pid, 'SIGTERM');
	} catch {
		// The program has ended by itself.
	}
	process.exit(status);
});

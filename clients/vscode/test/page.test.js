// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constructs that VS Code would refuse, or that a page must not have, checked without VS Code.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const test = require('node:test');

const root = path.join(__dirname, '..');
const load = Module._load;
Module._load = function (name, ...rest) {
	return name === 'vscode' ? {Uri: {joinPath: (base, ...parts) => [base, ...parts].join('/')}, EventEmitter: class { event() {} fire() {} }} : load.call(this, name, ...rest);
};
const {htmlOf} = require('../src/page');
const {completed, findAdapter} = require('../src/adapter');
const {Sessions} = require('../src/sessions');

test('the policy lets nothing in but its own script and style', () => {
	const webview = {cspSource: 'https://own', asWebviewUri: (uri) => `https://own/${uri}`};
	const html = htmlOf(webview, 'media', 'why', 'Why'), again = htmlOf(webview, 'media', 'why', 'Why');
	const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)[1];
	assert.match(policy, /^default-src 'none'; style-src https:\/\/own; script-src 'nonce-[\w+/=]{20,}'$/);
	assert.notStrictEqual(html, again, 'a new nonce each time');
	assert.ok(!/<script(?![^>]*nonce=)|\son\w+=|javascript:|style="/.test(html));
});

test('no name becomes markup', () => {
	const script = fs.readFileSync(path.join(root, 'media/page.js'), 'utf8');
	assert.ok(!/innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|new Function/.test(script));
	for (const name of fs.readdirSync(path.join(root, 'src'))) {
		const source = fs.readFileSync(path.join(root, 'src', name), 'utf8');
		assert.ok(!/MarkdownString|supportHtml|enableCommandUris/.test(source), name);
	}
});

test('what package.json promises is there', () => {
	const own = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
	const source = fs.readFileSync(path.join(root, 'src/extension.js'), 'utf8');
	for (const {command} of own.contributes.commands) {
		const name = command.replace('openmp.', '');
		assert.ok(source.includes(`command('${name}'`) || source.includes(`'${command}'`), `${command} is registered`);
	}
	const known = new Set(own.contributes.commands.map((one) => one.command));
	for (const item of Object.values(own.contributes.menus).flat()) {
		assert.ok(known.has(item.command), item.command);
	}
	assert.deepStrictEqual(own.extensionKind, ['workspace']);
	const labels = own.contributes.debuggers[0].configurationSnippets.map((snippet) => snippet.label);
	assert.deepStrictEqual(labels, ['OpenMP: launch', 'OpenMP: attach', 'OpenMP: observe', 'OpenMP: core']);
});

test('a configuration is completed', () => {
	assert.deepStrictEqual(completed({pid: '4711', mode: 'observe'}), {pid: 4711, mode: 'observe'});
	assert.deepStrictEqual(completed({coreFile: '/c'}), {coreFile: '/c', mode: 'observe'});
	assert.deepStrictEqual(completed({pid: 'a.out'}), {pid: 'a.out'}, 'and what is no number is the adapter\'s to refuse');
});

test('the adapter is found in PATH, or where it was named', () => {
	assert.strictEqual(findAdapter('', {PATH: '/nowhere::'}), null);
	assert.strictEqual(findAdapter('/nowhere/ompdd-dap', {}), null);
	assert.strictEqual(findAdapter(process.execPath, {}), process.execPath);
	assert.strictEqual(findAdapter(root, {}), null, 'a folder is none');
});

test('a session is followed', () => {
	const sessions = new Sessions();
	const session = {id: 's', type: 'openmp'};
	const tracker = sessions.createDebugAdapterTracker(session);
	const event = (name, body) => tracker.onDidSendMessage({type: 'event', event: name, body});
	event('stopped', {threadId: 7});
	assert.deepStrictEqual([sessions.stateOf(session).stopped, sessions.stateOf(session).threadId], [true, 7]);
	event('continued');
	assert.strictEqual(sessions.stateOf(session).stopped, false);
	tracker.onWillStopSession();
	assert.strictEqual(sessions.stateOf(session).stopped, false);
});

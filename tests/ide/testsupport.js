// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// @vscode/debugadapter-testsupport with ompdd-dap: testsupport.js MODULES ADAPTER PROGRAM MODE.
'use strict';

const assert = require('node:assert');
const {spawn} = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const [modules, adapter, program, mode] = process.argv.slice(2);
const {DebugClient} = require(path.join(modules, '@vscode/debugadapter-testsupport'));
const source = `${program}.c`;
const line = fs.readFileSync(source, 'utf8').split('\n').findIndex((text) => text.includes('BREAK')) + 1;
let n = 0;
const ok = (what) => console.log(`ok ${++n} ${what}`);

async function main() {
	// It would start adapters with node; ompdd-dap is not a script.
	const client = new DebugClient('', '', 'openmp');
	client.defaultTimeout = 300000;
	const child = spawn(adapter, [], {stdio: ['pipe', 'pipe', 'inherit']});
	client.connect(child.stdout, child.stdin);

	const {body: can} = await client.initializeRequest({adapterID: 'openmp', pathFormat: 'path', linesStartAt1: true, columnsStartAt1: true});
	assert.ok(can.exceptionBreakpointFilters.some((filter) => /OpenMP/.test(filter.label)));
	ok('initialize');

	const begun = client.launchRequest({program, args: [], cwd: path.dirname(program), ...(mode === 'companion' ? {} : {mode})});
	await client.waitForEvent('initialized', 300000);
	const {body: {breakpoints}} = await client.setBreakpointsRequest({source: {path: source, name: 'solve.c'}, breakpoints: [{line}]});
	assert.strictEqual(breakpoints.length, 1);
	const stop = client.waitForEvent('stopped', 300000);
	await client.configurationDoneRequest();
	await begun;
	const {body: stopped} = await stop;
	assert.strictEqual(stopped.reason, 'breakpoint');
	ok('a breakpoint in a region');

	const {body: {threads}} = await client.threadsRequest();
	assert.deepStrictEqual(threads.map((thread) => thread.name.split(' ')[0]).filter((name) => /^\d/.test(name)).sort(), ['2.0', '2.1', '3.0', '3.1']);
	const {body: {stackFrames}} = await client.stackTraceRequest({threadId: stopped.threadId});
	assert.strictEqual(stackFrames[0].name.replace(/\(.*/, ''), 'relax');
	assert.ok(stackFrames.filter((frame) => frame.presentationHint === 'label').length >= 2, 'two regions');
	assert.ok(stackFrames.some((frame) => frame.name.startsWith('main')), 'down to main, on whichever stack');
	ok('threads and stack');

	const {body: {scopes}} = await client.scopesRequest({frameId: stackFrames[0].id});
	const named = new Map(scopes.map((scope) => [scope.name, scope.variablesReference]));
	for (const name of ['Thread', 'Task ICVs', 'Region']) {
		const {body: {variables}} = await client.variablesRequest({variablesReference: named.get(name)});
		assert.ok(variables.length > 0, name);
	}
	ok('scopes');

	const {body: tree} = await client.customRequest('ompdd/tree');
	assert.deepStrictEqual(tree.regions.map((region) => region.level).sort(), [0, 1, 2, 2]);
	await client.disconnectRequest({terminateDebuggee: true});
	ok('tree, and the end');
	console.log(`1..${n}`);
	process.exit(0);
}

main().catch((error) => {
	console.error(error.stack);
	process.exit(1);
});

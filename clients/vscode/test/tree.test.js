// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
'use strict';

const assert = require('node:assert');
const test = require('node:test');
const {inertAll} = require('../src/text');
const {buildTree, mainThread} = require('../src/tree');

const nested = {
	regions: [{number: 0, level: 0, threads: [1]}],
	nodes: [
		{depth: 0, kind: 'region', label: 'initial region', threads: [], text: 'level 0, team of 1'},
		{depth: 1, kind: 'thread', label: 'thread 0', tids: '1', threads: [1]},
		{depth: 2, kind: 'region', label: 'parallel region 1', threads: [], text: 'level 1, team of 2: solve', place: 'a.c:9'},
		{depth: 3, kind: 'thread', label: 'thread 0', tids: '1', threads: [1], state: {key: 'work', text: 'work~'}},
		{depth: 3, kind: 'thread', label: 'thread 1', tids: '4', threads: [4], state: {key: 'mutex', text: 'lock'}, text: 'waits for red'},
		{depth: 0, kind: 'other_thread', label: 'other thread', tids: '9', threads: [9], text: '(logger)'},
	],
};
const outline = (nodes) => nodes.map((node) => [node.label, ...(node.children.length ? [outline(node.children)] : [])]);

test('nodes stand below the node before them with a smaller depth', () => {
	assert.deepStrictEqual(outline(buildTree(nested)), [
		['initial region', [['thread 0', [['parallel region 1', [['thread 0 work~'], ['thread 1 lock']]]]]]],
		['other thread'],
	]);
});

test('a node has its text, and a thread to select', () => {
	const [region] = buildTree(nested)[0].children[0].children;
	assert.deepStrictEqual([region.description, region.threadId], ['level 1, team of 2: solve a.c:9', undefined]);
	assert.deepStrictEqual([region.children[1].description, region.children[1].threadId], ['(4) waits for red', 4]);
});

test('the main thread is in the initial region', () => {
	assert.strictEqual(mainThread(nested), 1);
	assert.deepStrictEqual([undefined, {}, {regions: [{level: 0}]}].map(mainThread), [undefined, undefined, undefined]);
});

test('a body may hold anything', () => {
	for (const body of [undefined, null, {}, {nodes: 7}, {nodes: []}]) {
		assert.deepStrictEqual(buildTree(body), []);
	}
	const deep = Array.from({length: 5000}, (_, depth) => ({depth, kind: 'thread', label: 't'}));
	assert.strictEqual(JSON.stringify(buildTree({nodes: [null, {depth: 9}, {depth: -1}, {depth: 'x'}, ...deep]})).split('"label":"t"').length, 5001);
});

test('names are inert', () => {
	const name = '<img src=x>\u202e[a](command:b)\u001b[31m\n$(bug)';
	const [node] = buildTree({nodes: [{depth: 0, kind: 'region', label: name, text: name}]});
	assert.ok(!/[\p{C}]/u.test(node.label + node.description), node.label);
	assert.ok(node.label.includes('<img src=x>'), 'shown as it is, as text');
	assert.deepStrictEqual(inertAll({a: [{b: 'x\u202e', n: 7}], c: null}), {a: [{b: 'x\\u{202e}', n: 7}], c: null});
});

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
'use strict';

const assert = require('node:assert');
const test = require('node:test');
const {buildTree, mainThread} = require('../src/tree');

const thread = (id, region, number) => ({id, name: `${region}.${number} work`, openmp: true, region, number});
const nested = {
	regions: [
		{number: 0, name: 'initial region', level: 0, teamSize: 1, threads: [1]},
		{number: 1, name: 'parallel region 1', within: 0, level: 1, teamSize: 2, threads: [1, 2]},
		{number: 2, name: 'parallel region 2', within: 1, level: 2, teamSize: 2, threads: [1, 3]},
		{number: 3, name: 'parallel region 3', within: 1, level: 2, teamSize: 2, threads: [2, 4]},
	],
	threads: [thread(1, 2, 0), thread(3, 2, 1), thread(2, 3, 0), {...thread(4, 3, 1), waitsFor: 'lock red'},
		{id: 8, name: 'idle', openmp: true}, {id: 9, name: 'logger', openmp: false}],
	tasks: [{name: 'explicit task f', thread: 3, region: 2}, {name: 'explicit task g', region: 3}],
};
const outline = (nodes) => nodes.map((node) => [node.label, ...(node.children.length ? [outline(node.children)] : [])]);

test('regions stand below the threads that met them', () => {
	assert.deepStrictEqual(outline(buildTree(nested)), [
		['initial region', [['0.0', [['parallel region 1', [
			['1.0', [['parallel region 2', [['2.0 work'], ['2.1 work', [['explicit task f']]]]]]],
			['1.1', [['parallel region 3', [['3.0 work'], ['3.1 work'], ['explicit task g']]]]],
		]]]]]],
		['In no region', [['idle']]],
		['Without OpenMP', [['logger']]],
	]);
});

test('the main thread is that of the initial region', () => {
	assert.strictEqual(mainThread(nested), 1);
	assert.deepStrictEqual([undefined, {}, {regions: [{level: 0}]}].map(mainThread), [undefined, undefined, undefined]);
});

test('a thread says what it waits for, and who it is', () => {
	const all = [];
	const walk = (nodes) => nodes.forEach((node) => (all.push(node), walk(node.children)));
	walk(buildTree(nested));
	const waiting = all.filter((node) => node.description.startsWith('waits for'));
	assert.deepStrictEqual(waiting.map((node) => [node.threadId, node.description]), [[4, 'waits for lock red']]);
});

test('each thread of a region is there once, however large the team', () => {
	const ids = Array.from({length: 300}, (_, i) => i + 1);
	const roots = buildTree({
		regions: [{number: 1, name: 'r', level: 1, teamSize: 300, threads: ids}],
		threads: ids.map((id, i) => thread(id, 1, i)), tasks: [],
	});
	const found = [];
	const walk = (nodes) => nodes.forEach((node) => (node.kind === 'thread' && found.push(node.threadId), walk(node.children)));
	walk(roots);
	assert.deepStrictEqual(found, ids);
	assert.strictEqual(roots[0].children.at(-1).kind, 'more');
	assert.ok(roots[0].children.length < 100);
});

test('nothing in the answer is relied upon', () => {
	for (const body of [undefined, null, {}, {regions: 7, threads: 'x', tasks: {}}, {regions: [], threads: [], tasks: []}]) {
		assert.deepStrictEqual(buildTree(body), []);
	}
	const circle = {
		regions: [{number: 1, name: 'a', within: 2, level: 1, threads: [1]}, {number: 2, name: 'b', within: 1, level: 2, threads: [1]},
			{number: 3, name: 'c', within: 3, level: 1, threads: [7]}, {number: 4, name: 'd', within: 99, level: 1, threads: []}],
		threads: [thread(1, 1, 0)], tasks: [],
	};
	const labels = JSON.stringify(outline(buildTree(circle)));
	for (const name of ['a', 'b', 'c', 'd']) {
		assert.strictEqual(labels.split(`"${name}"`).length, 2, `${name} once in ${labels}`);
	}
});

test('names are inert', () => {
	const name = '<img src=x>\u202e[a](command:b)\u001b[31m\n$(bug)';
	const [node] = buildTree({regions: [{number: 1, name, level: 1, threads: []}], threads: [], tasks: []});
	assert.ok(!/[\p{C}]/u.test(node.label), node.label);
	assert.ok(node.label.includes('<img src=x>'), 'shown as it is, as text');
});

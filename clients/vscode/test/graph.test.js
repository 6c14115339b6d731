// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
'use strict';

const assert = require('node:assert');
const test = require('node:test');
const {layOut, verdictOf} = require('../src/graph');

const edge = (from, to, kind) => ({from, to, kind, source: 'memory', certainty: 'proven', evidence: 'it says so'});
const cycle = {
	nodes: [{id: 't1', kind: 'thread', tid: 1, name: 'thread 1'}, {id: 't2', kind: 'thread', tid: 2, name: 'thread 2'},
		{id: 'l1', kind: 'lock', name: 'red'}, {id: 'l2', kind: 'lock', name: 'blue'}, {id: 't3', kind: 'thread', tid: 3, name: 'thread 3'},
		{id: 't4', kind: 'thread', tid: 4, name: 'alone'}],
	edges: [edge('t1', 'l1', 'waits_for'), edge('l1', 't2', 'held_by'), edge('t2', 'l2', 'waits_for'), edge('l2', 't1', 'held_by'), edge('t3', 'l1', 'waits_for')],
};

test('what waits is left of what it waits for, but for one edge of a cycle', () => {
	const graph = layOut(cycle);
	const column = new Map(graph.nodes.map((node) => [node.id, node.column]));
	const back = graph.edges.filter((one) => column.get(one.from) >= column.get(one.to));
	assert.strictEqual(back.length, 1);
	assert.ok(graph.columns >= 4 && graph.rows >= 1);
});

test('a cycle is marked, who only waits for it is not', () => {
	const graph = layOut(cycle);
	assert.deepStrictEqual(graph.nodes.filter((node) => node.onCycle).map((node) => node.id), ['t1', 't2', 'l1', 'l2']);
	assert.strictEqual(graph.edges.filter((one) => one.onCycle).length, 4);
	assert.ok(!graph.nodes.some((node) => node.id === 't4'), 'nor is who has no part in it shown');
});

test('no two boxes are at one place', () => {
	const places = layOut(cycle).nodes.map((node) => `${node.column},${node.row}`);
	assert.strictEqual(new Set(places).size, places.length);
});

test('a graph of any size, and none', () => {
	const n = 5000;
	const big = {nodes: Array.from({length: n}, (_, i) => ({id: `n${i}`, kind: 'thread', tid: i})), edges: Array.from({length: n - 1}, (_, i) => edge(`n${i}`, `n${i + 1}`))};
	const graph = layOut(big);
	assert.strictEqual(graph.nodes.length + graph.leftOut, n);
	for (const empty of [undefined, {}, {nodes: 3, edges: null}, {nodes: [], edges: [edge('a', 'b')]}]) {
		assert.deepStrictEqual(layOut(empty).nodes, []);
	}
});

test('a thread without a name is its number', () => {
	const graph = layOut({nodes: [{id: 'a', kind: 'thread', tid: 7}, {id: 'b', kind: 'lock', name: 'red'}], edges: [edge('a', 'b')]});
	assert.deepStrictEqual(graph.nodes.map((node) => node.label), ['thread 7', 'red']);
});

test('an edge to itself is a cycle', () => {
	const graph = layOut({nodes: [{id: 'a', kind: 'lock'}], edges: [edge('a', 'a')]});
	assert.ok(graph.nodes[0].onCycle);
});

test('the verdict is text', () => {
	const verdict = verdictOf({title: 'deadlock\u202e', verdict: 'deadlock', looks: {n: '1'}, notes: [{text: 'n'}],
		findings: [{title: 'f', certainty: 'proven', claims: [{text: 'c', source: 'kernel', thread: 7}, {text: 'd', source: 'code'}]}]});
	assert.strictEqual(verdict.title, 'deadlock\\u{202e}');
	assert.deepStrictEqual(verdict.findings[0].claims, [{text: 'c', source: 'kernel', threadId: 7}, {text: 'd', source: 'code'}]);
	assert.ok(verdict.looks);
	assert.deepStrictEqual(verdictOf({}).findings, []);
});

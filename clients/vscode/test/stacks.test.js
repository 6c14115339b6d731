// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
'use strict';

const assert = require('node:assert');
const test = require('node:test');
const {boxesOf, groupStacks, namesOf, ownFrames, pathOf} = require('../src/stacks');

let id = 0;
const frame = (name, line, path = '/a.c') => ({id: ++id, name, line, source: {name: path.slice(1), path}});
const label = (name) => ({id: ++id, name, line: 0, presentationHint: 'label'});
const stack = (threadId, ...frames) => ({threadId, name: `1.${threadId}`, frames});

test('equal stacks once, with counts', () => {
	const tree = groupStacks([1, 2, 3].map((n) => stack(n, frame('work', 5), frame('main', 9))));
	assert.strictEqual(tree.children.length, 1);
	const [main] = tree.children;
	assert.deepStrictEqual([main.label, main.count, main.children.length], ['main', 3, 1]);
	assert.deepStrictEqual(main.children[0].ends.map((thread) => thread.id), [1, 2, 3]);
});

test('they part where their frames differ: function, line or file', () => {
	const tree = groupStacks([stack(1, frame('f', 1), frame('main', 9)), stack(2, frame('f', 2), frame('main', 9)), stack(3, frame('g', 1), frame('main', 9)),
		stack(4, frame('f', 1, '/b.c'), frame('main', 9)), stack(5, frame('main', 9))]);
	assert.deepStrictEqual(tree.children.map((node) => node.count), [5]);
	assert.deepStrictEqual(tree.children[0].children.map((node) => [node.label, node.place]), [['f', 'a.c:1'], ['f', 'a.c:2'], ['g', 'a.c:1'], ['f', 'b.c:1']]);
	assert.deepStrictEqual(tree.children[0].ends.map((thread) => thread.id), [5]);
});

test('labels are equal whatever the number of the thread', () => {
	const tree = groupStacks([1, 2].map((n) => stack(n, frame('work', 5), label(`parallel region 1, thread ${n} of 2`), frame('main', 9))));
	assert.strictEqual(tree.children[0].children.length, 1);
	assert.ok(tree.children[0].children[0].isLabel);
});

test('regions of one place are one, and then without their number', () => {
	const tree = groupStacks([2, 3].map((n) => stack(n, frame('relax', 5), label(`parallel region ${n}, sweep (level 2): thread 0 of 2`), frame('main', 9))));
	assert.strictEqual(tree.children[0].children[0].label, 'parallel region, sweep (level 2), team of 2');
	assert.strictEqual(tree.children[0].children[0].children[0].count, 2);
});

test('the runtime\'s frames are left out, but what is called now, and but all there are', () => {
	const names = (frames) => ownFrames(frames, (file) => file === '/a.c').map((one) => one.name);
	const runtime = frame('GOMP_parallel', 9, '/usr/src/gomp.c'), code = {...frame('start', 1), source: {name: 'start', path: '/a.c', sourceReference: 3}};
	assert.deepStrictEqual(names([frame('f', 1), runtime, frame('main', 2), code]), ['f', 'main']);
	assert.deepStrictEqual(names([code, runtime, frame('f', 1), runtime, label('region'), frame('main', 2)]), ['start', 'GOMP_parallel', 'f', 'region', 'main']);
	assert.deepStrictEqual(names([runtime, code]), ['GOMP_parallel', 'start']);
	assert.deepStrictEqual(names([runtime, label('x')]), ['GOMP_parallel', 'x']);
	assert.deepStrictEqual(names([{id: 1, name: 'f'}]), ['f']);
});

test('a path may be an address', () => {
	assert.deepStrictEqual(['/a b.c', 'vscode-remote://127.0.0.1:80/a%20b.c', 'file:///a%20b.c', 'file:///a%zz'].map(pathOf), ['/a b.c', '/a b.c', '/a b.c', '/a%zz']);
});

test('frames without a fork share a box, innermost first', () => {
	const boxes = boxesOf(groupStacks([stack(1, frame('a', 1), frame('b', 2), frame('main', 3)), stack(2, frame('c', 1), frame('b', 2), frame('main', 3))]));
	assert.deepStrictEqual(boxes.map((box) => [box.count, box.frames.map((one) => one.label)]), [[2, ['b', 'main']]]);
	assert.deepStrictEqual(boxes[0].children.map((box) => [box.count, box.frames.map((one) => one.label)]), [[1, ['a']], [1, ['c']]]);
});

test('every thread ends in one box, whatever the stacks are', () => {
	const names = ['f', 'g', 'h'], stacks = [];
	for (let n = 0; n < 200; n++) {
		const depth = n * 7919 % 6;
		stacks.push(stack(n, ...Array.from({length: depth}, (_, i) => frame(names[(n * 31 + i * 17) % 3], (n >> i) % 2))));
	}
	const ends = [];
	const walk = (box) => (ends.push(...box.ends.map((thread) => thread.id)), box.children.forEach(walk));
	boxesOf(groupStacks(stacks)).forEach(walk);
	const expected = stacks.filter((one) => one.frames.length).map((one) => one.threadId);
	assert.deepStrictEqual(ends.sort((a, b) => a - b), expected);
});

test('a count in a box is that of the boxes above it and its own ends', () => {
	const check = (box) => {
		assert.strictEqual(box.count, box.ends.length + box.children.reduce((sum, child) => sum + child.count, 0));
		box.children.forEach(check);
	};
	boxesOf(groupStacks([1, 2, 3, 4].map((n) => stack(n, ...(n % 2 ? [frame('a', n)] : []), frame('main', 3))))).forEach(check);
});

test('names of many threads', () => {
	assert.strictEqual(namesOf([{id: 1, name: '1.0'}, {id: 2, name: ''}]), '1.0, 2');
	assert.strictEqual(namesOf([1, 2, 3].map((n) => ({id: n, name: `1.${n}`})), 2), '1.1, 1.2 and 1 more');
});

test('an adapter that leaves members out', () => {
	const tree = groupStacks([{threadId: 1, name: 'x', frames: [{id: 1, name: 'f'}]}, {threadId: 2, name: 'y', frames: []}]);
	assert.deepStrictEqual(tree.children.map((node) => [node.label, node.place, node.count]), [['f', '', 1]]);
});

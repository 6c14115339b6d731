// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The answer of ompdd/tree as nested nodes. Knows nothing of VS Code.
'use strict';

const {inert} = require('./text');

const MAX_DEPTH = 64;
// Members of a team beyond that share a node.
const TEAM_SHOWN = 64;

/**
 * Nodes {kind, label, description, threadId?, children} of a body of ompdd/tree: regions within the thread that met them,
 * with threads and tasks; then what is in no region. Everything in the body is the target's word: nothing of it is relied upon.
 */
function buildTree(body) {
	const regions = list(body?.regions), threads = list(body?.threads), tasks = list(body?.tasks);
	const byId = new Map(threads.map((thread) => [thread.id, thread]));
	const done = new Set(), shown = new Set();
	const within = new Map();
	for (const region of regions) {
		const outer = Number.isInteger(region.within) && region.within !== region.number ? region.within : null;
		within.set(outer, [...(within.get(outer) ?? []), region]);
	}

	function regionNode(region, depth) {
		done.add(region);
		const members = list(region.threads);
		const inner = depth < MAX_DEPTH && (region.level !== 0 || region === firstInitial) ? within.get(region.number) ?? [] : [];
		const children = [], rest = [];
		members.forEach((id, place) => {
			const thread = byId.get(id);
			const own = inner.filter((one) => !done.has(one) && list(one.threads)[0] === id);
			const here = thread && thread.region === region.number && !shown.has(id);
			if (!here && !own.length) {
				return;
			}
			const node = here ? threadNode(thread) : outerNode(region, id, place);
			node.children.push(...own.map((one) => regionNode(one, depth + 1)));
			(children.length < TEAM_SHOWN || own.length ? children : rest).push(node);
		});
		if (rest.length) {
			children.push({kind: 'more', label: `${rest.length} more threads`, description: '', children: rest});
		}
		children.push(...inner.filter((one) => !done.has(one)).map((one) => regionNode(one, depth + 1)));
		children.push(...tasks.filter((task) => task.thread === undefined && task.region === region.number).map(taskNode));
		return {kind: 'region', label: inert(region.name), description: teamOf(region), children};
	}

	function threadNode(thread) {
		shown.add(thread.id);
		return {
			kind: 'thread', label: inert(thread.name), threadId: thread.id,
			description: thread.waitsFor ? `waits for ${inert(thread.waitsFor)}` : '',
			children: tasks.filter((task) => task.thread === thread.id).map(taskNode),
		};
	}

	const firstInitial = regions.find((region) => region.level === 0);
	const roots = (within.get(null) ?? []).map((region) => regionNode(region, 0));
	// Regions whose enclosing one is not there, or that go in a circle.
	roots.push(...regions.filter((region) => !done.has(region)).map((region) => done.has(region) ? null : regionNode(region, 0)).filter(Boolean));
	const idle = threads.filter((thread) => thread.openmp && !shown.has(thread.id) && !isMember(regions, thread.id));
	const others = threads.filter((thread) => !thread.openmp);
	if (idle.length) {
		roots.push({kind: 'group', label: 'In no region', description: String(idle.length), children: idle.map(threadNode)});
	}
	if (others.length) {
		roots.push({kind: 'group', label: 'Without OpenMP', description: String(others.length), children: others.map(threadNode)});
	}
	return roots;
}

/** A thread of a team that is in a region that it met. */
function outerNode(region, id, place) {
	return {kind: 'outer', label: `${region.number}.${place}`, description: 'met', threadId: id, children: []};
}

function taskNode(task) {
	return {kind: 'task', label: inert(task.name), description: '', threadId: task.thread, children: []};
}

function teamOf(region) {
	return region.teamSize > 0 ? `team of ${region.teamSize}` : '';
}

function isMember(regions, id) {
	return regions.some((region) => list(region.threads).includes(id));
}

/** The thread that is in the program's initial region, or undefined. */
function mainThread(body) {
	return list(list(body?.regions).find((region) => region.level === 0)?.threads)[0];
}

function list(value) {
	return Array.isArray(value) ? value : [];
}

module.exports = {buildTree, mainThread};

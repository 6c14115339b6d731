// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The wait graph of ompdd/why as columns of boxes with arrows. Knows nothing of VS Code.
'use strict';

const {inert} = require('./text');

const MAX_NODES = 400;

/**
 * {nodes: [{id, label, kind, column, row, threadId?, onCycle}], edges: [{from, to, kind, proven, evidence}], columns, rows, leftOut}
 * of a result of diagnose.get with its graph. Threads are in even columns, what they wait for in odd ones; what waits is to the
 * left of what it waits for, but for the edge that closes a cycle.
 */
function layOut(result) {
	const all = Array.isArray(result?.nodes) ? result.nodes : [];
	const kept = all.slice(0, MAX_NODES);
	const known = new Map(kept.map((node) => [node.id, node]));
	const edges = (Array.isArray(result?.edges) ? result.edges : []).filter((edge) => known.has(edge.from) && known.has(edge.to));
	const next = new Map(kept.map((node) => [node.id, []]));
	for (const edge of edges) {
		next.get(edge.from).push(edge.to);
	}
	const column = columnsOf(kept, next), cycle = cyclesOf(kept, next);
	const rows = new Map();
	const nodes = kept.filter((node) => next.get(node.id).length || edges.some((edge) => edge.to === node.id)).map((node) => {
		const at = column.get(node.id), row = rows.get(at) ?? 0;
		rows.set(at, row + 1);
		return {
			id: inert(node.id), label: labelOf(node), kind: inert(node.kind), column: at, row, onCycle: cycle.has(node.id),
			...(Number.isInteger(node.tid) ? {threadId: node.tid} : {}),
		};
	});
	return {
		nodes,
		edges: edges.map((edge) => ({
			from: inert(edge.from), to: inert(edge.to), kind: edge.kind === 'held_by' ? 'held by' : 'waits for',
			proven: edge.certainty === 'proven', evidence: inert(edge.evidence), onCycle: cycle.has(edge.from) && cycle.has(edge.to),
		})),
		columns: Math.max(0, ...column.values()) + 1, rows: Math.max(0, ...rows.values()), leftOut: all.length - kept.length,
	};
}

function labelOf(node) {
	const name = inert(node.name ?? (Number.isInteger(node.tid) ? `${node.kind} ${node.tid}` : node.kind));
	return node.doing ? `${name}: ${inert(node.doing)}` : name;
}

/** The longest way from a beginning, without going round. */
function columnsOf(nodes, next) {
	const column = new Map(nodes.map((node) => [node.id, 0]));
	const state = new Map();
	const order = [];
	for (const node of nodes) {
		const stack = [[node.id, 0]];
		if (state.has(node.id)) {
			continue;
		}
		state.set(node.id, 'open');
		while (stack.length) {
			const top = stack[stack.length - 1];
			const to = next.get(top[0])[top[1]++];
			if (to === undefined) {
				state.set(top[0], 'done');
				order.push(top[0]);
				stack.pop();
			} else if (!state.has(to)) {
				state.set(to, 'open');
				stack.push([to, 0]);
			}
		}
	}
	const place = new Map(order.reverse().map((id, i) => [id, i]));
	for (const id of order) {
		for (const to of next.get(id)) {
			if (place.get(to) > place.get(id)) {
				column.set(to, Math.max(column.get(to), column.get(id) + 1));
			}
		}
	}
	return column;
}

/** The nodes that can be reached from themselves. */
function cyclesOf(nodes, next) {
	const found = new Set();
	for (const node of nodes) {
		const seen = new Set(), left = [...next.get(node.id)];
		while (left.length) {
			const id = left.pop();
			if (id === node.id) {
				found.add(id);
				break;
			}
			if (!seen.has(id)) {
				seen.add(id);
				left.push(...next.get(id));
			}
		}
	}
	return found;
}

/** The verdict as paragraphs: {title, verdict, findings: [{title, certainty, claims: [{text, source, threadId?}]}], notes, looks}. */
function verdictOf(result) {
	const list = (value) => (Array.isArray(value) ? value : []);
	return {
		title: inert(result?.title), verdict: inert(result?.verdict),
		findings: list(result?.findings).map((finding) => ({
			title: inert(finding.title), certainty: inert(finding.certainty),
			claims: list(finding.claims).map((claim) => ({
				text: inert(claim.text), source: inert(claim.source), ...(Number.isInteger(claim.thread) ? {threadId: claim.thread} : {}),
			})),
		})),
		notes: list(result?.notes).map((note) => inert(note.text)),
		looks: String(result?.looks?.n) === '1' ? 'looked once: what moves, and what does not, cannot be told' : '',
	};
}

module.exports = {layOut, verdictOf};

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The nodes of ompdd/tree, nested. Independent of VS Code.
'use strict';

const {inert} = require('./text');

const MAX_DEPTH = 64;

const list = (value) => (Array.isArray(value) ? value : []);

/** Return nodes {kind, label, description, threadId?, children} of a body of ompdd/tree, which may hold anything. */
function buildTree(body) {
	const path = [{children: []}];
	for (const node of list(body?.nodes)) {
		const depth = Math.min(Number.isInteger(node?.depth) ? Math.max(node.depth, 0) : 0, MAX_DEPTH, path.length - 1);
		const threadId = list(node?.threads).find(Number.isInteger);
		const item = {
			kind: inert(node?.kind), label: inert([node?.label, node?.state?.text].filter(Boolean).join(' ')),
			description: inert([node?.tids && `(${node.tids})`, node?.text, node?.place].filter(Boolean).join(' ')),
			...(threadId === undefined ? {} : {threadId}), children: [],
		};
		path.length = depth + 1;
		path[depth].children.push(item);
		path.push(item);
	}
	return path[0].children;
}

/** The thread that is in the program's initial region, or undefined. */
function mainThread(body) {
	return list(list(body?.regions).find((region) => region.level === 0)?.threads)[0];
}

module.exports = {buildTree, mainThread};

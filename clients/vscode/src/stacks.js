// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stacks of all threads as one tree: equal stacks once, with counts. Independent of VS Code.
'use strict';

const {inert} = require('./text');

/** Return the text of a label without the numbers of region and thread. */
function general(name) {
	return name.replace(/\bregion \d+/g, 'region').replace(/: thread \d+ of (\d+)/g, ', team of $1').replace(/\bthread \d+/g, 'thread');
}

/** Return the identity of a frame: label frames by their text without such numbers, others by function and place. */
function keyOf(frame) {
	if (frame.presentationHint === 'label') {
		return `label ${general(frame.name)}`;
	}
	return JSON.stringify([frame.name, frame.source?.path ?? frame.source?.name ?? '', frame.line ?? 0]);
}

/** Return the path of a source. VS Code turns paths into URIs (file:, vscode-remote:) before an extension sees them. */
function pathOf(text) {
	const address = /^[a-z][\w+.-]+:\/\/[^/]*(\/.*)$/i.exec(text);
	if (!address) {
		return text;
	}
	try {
		return decodeURIComponent(address[1]);
	} catch {
		return address[1];
	}
}

/**
 * Return the frames with a local source (by `isFile` of the path), labels, and the frames that the innermost of them
 * called. Omit the runtime's frames between regions, and the first frames of threads. Return all frames if none has a
 * local source.
 */
function ownFrames(frames, isFile) {
	const isOwn = (frame) => Boolean(frame.source?.path) && !frame.source.sourceReference && isFile(pathOf(frame.source.path));
	const first = frames.findIndex((frame) => isOwn(frame) || frame.presentationHint === 'label');
	return frames.some(isOwn) ? frames.filter((frame, i) => i < first || isOwn(frame) || frame.presentationHint === 'label') : frames;
}

/**
 * Group [{threadId, name, frames}], with frames as in DAP's stackTrace, innermost first, to {children: [node]}:
 * outermost frames are roots. A node is {label, place, isLabel, count, threads: [{id, name, frameId}], ends: [thread],
 * children}; `ends` are the threads with this innermost frame.
 */
function groupStacks(stacks) {
	const root = {children: [], byKey: new Map()};
	for (const stack of stacks) {
		let node = root;
		for (const frame of [...stack.frames].reverse()) {
			const key = keyOf(frame);
			let next = node.byKey.get(key);
			if (!next) {
				next = {
					label: inert(frame.name), place: placeOf(frame), isLabel: frame.presentationHint === 'label',
					count: 0, threads: [], ends: [], children: [], byKey: new Map(),
				};
				node.byKey.set(key, next);
				node.children.push(next);
			}
			if (next.isLabel && next.label !== inert(frame.name)) {
				next.label = inert(general(frame.name));
			}
			next.count++;
			next.threads.push({id: stack.threadId, name: inert(stack.name), frameId: frame.id});
			node = next;
		}
		if (node !== root) {
			node.ends.push({id: stack.threadId, name: inert(stack.name)});
		}
	}
	return finish(root);
}

/** Return the boxes of the view: nodes without a branch share one, innermost frame first. */
function boxesOf(tree) {
	return tree.children.map(boxOf);
}

function boxOf(node) {
	const frames = [];
	let last = node;
	for (;;) {
		frames.unshift({label: last.label, place: last.place, isLabel: last.isLabel, threads: last.threads});
		if (last.children.length !== 1 || last.ends.length || last.children[0].count !== last.count) {
			break;
		}
		last = last.children[0];
	}
	return {count: node.count, frames, ends: last.ends, children: last.children.map(boxOf)};
}

function placeOf(frame) {
	const name = frame.source?.name ?? frame.source?.path?.split('/').pop();
	return name ? inert(frame.line ? `${name}:${frame.line}` : name) : '';
}

function finish(node) {
	delete node.byKey;
	node.children.forEach(finish);
	return node;
}

/** "1.0, 1.2 and 5 more" */
function namesOf(threads, shown = 6) {
	const names = threads.slice(0, shown).map((thread) => thread.name || String(thread.id));
	return names.join(', ') + (threads.length > shown ? ` and ${threads.length - shown} more` : '');
}

module.exports = {groupStacks, boxesOf, namesOf, ownFrames, pathOf};

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenMP in Visual Studio Code: the debugger type "openmp" (ompdd-dap), its views and commands.
'use strict';

const fs = require('fs');
const vscode = require('vscode');
const {AdapterFactory, ConfigurationProvider, pickProcess} = require('./adapter');
const {Page} = require('./page');
const {Sessions} = require('./sessions');
const {boxesOf, groupStacks, namesOf, ownFrames} = require('./stacks');
const {inert, inertAll} = require('./text');
const {mainThread} = require('./tree');
const {TreeView} = require('./treeView');

// Number of stacks to request, in total and at a time.
const MAX_STACKS = 1024, AT_ONCE = 16, MAX_FRAMES = 200;

function activate(context) {
	const sessions = new Sessions();
	const tree = new TreeView(sessions);
	const clicked = (message) => {
		if (message?.command === 'focus' && Number.isInteger(message.threadId)) {
			guarded(() => focusThread(sessions, message.threadId));
		}
	};
	const stacks = new Page(context.extensionUri, 'stacks', 'Parallel Stacks', clicked);
	const why = new Page(context.extensionUri, 'why', 'Why Does It Hang?', clicked);
	const command = (name, fn) => vscode.commands.registerCommand(`openmp.${name}`, (...args) => guarded(() => fn(...args)));

	context.subscriptions.push(
		tree.view, stacks, why,
		vscode.debug.registerDebugAdapterDescriptorFactory('openmp', new AdapterFactory()),
		vscode.debug.registerDebugConfigurationProvider('openmp', new ConfigurationProvider()),
		vscode.debug.registerDebugAdapterTrackerFactory('openmp', sessions),
		vscode.debug.onDidChangeActiveDebugSession(() => tree.refresh()),
		sessions.onDidChange((session) => {
			tree.refresh();
			if (sessions.stateOf(session).stopped && stacks.isVisible) {
				guarded(async () => stacks.show(await stacksOf(need(sessions))));
			}
		}),
		command('refresh', () => tree.refresh()),
		command('focusThread', (threadId) => focusThread(sessions, threadId)),
		command('parallelStacks', async () => stacks.show(await stacksOf(need(sessions)))),
		command('why', async () => {
			why.show(await whyOf(need(sessions)));
			tree.refresh();
		}),
		command('stepIntoRegion', (node) => stepRegion(sessions, 'into', node?.threadId)),
		command('stepOverRegion', (node) => stepRegion(sessions, 'over', node?.threadId)),
		command('stepOutOfRegion', (node) => stepRegion(sessions, 'out', node?.threadId ?? vscode.debug.activeStackItem?.threadId)),
		vscode.commands.registerCommand('openmp.pickProcess', pickProcess),
	);
}

/** Show failures with their own messages. */
async function guarded(fn) {
	try {
		return await fn();
	} catch (error) {
		vscode.window.showWarningMessage(`OpenMP: ${inert(error.message ?? error)}`);
		return undefined;
	}
}

function need(sessions) {
	const session = sessions.active();
	if (!session) {
		throw new Error('No session of type "openmp": F5 starts one.');
	}
	return session;
}

/** The adapter reports a stop of this thread: the call stack selects it, and the editor shows its frame. */
async function focusThread(sessions, threadId) {
	await need(sessions).customRequest('ompdd/focus', {threadId});
}

async function stacksOf(session) {
	const seen = new Map();
	const isFile = (file) => {
		if (!seen.has(file)) {
			seen.set(file, fs.existsSync(file));
		}
		return seen.get(file);
	};
	const {threads = []} = await session.customRequest('threads');
	const left = threads.slice(0, MAX_STACKS), stacks = [];
	const work = async () => {
		for (let thread = left.shift(); thread; thread = left.shift()) {
			try {
				const {stackFrames = []} = await session.customRequest('stackTrace', {threadId: thread.id, startFrame: 0, levels: MAX_FRAMES});
				stacks.push({threadId: thread.id, name: thread.name, frames: ownFrames(stackFrames, isFile)});
			} catch {
				stacks.push({threadId: thread.id, name: thread.name, frames: []});
			}
		}
	};
	await Promise.all(Array.from({length: AT_ONCE}, work));
	const order = new Map(threads.map((thread, i) => [thread.id, i]));
	stacks.sort((a, b) => order.get(a.threadId) - order.get(b.threadId));
	const named = (box) => ({
		count: box.count, children: box.children.map(named), ends: namesOf(box.ends),
		frames: box.frames.map((frame) => ({label: frame.label, place: frame.place, isLabel: frame.isLabel, threads: namesOf(frame.threads),
			threadId: frame.threads[0].id})),
	});
	return {
		kind: 'stacks', n: threads.length, leftOut: Math.max(0, threads.length - MAX_STACKS),
		empty: namesOf(stacks.filter((stack) => !stack.frames.length).map((stack) => ({id: stack.threadId, name: inert(stack.name)}))),
		boxes: boxesOf(groupStacks(stacks)).map(named),
	};
}

async function whyOf(session) {
	const {view} = await session.customRequest('ompdd/why', {graph: true});
	return {...inertAll(view), kind: 'why'};
}

/**
 * Step with the thread of the tree; without one, out of the selected thread's region, or to the next region that the
 * main thread encounters.
 */
async function stepRegion(sessions, kind, threadId) {
	const session = need(sessions);
	const thread = threadId ?? mainThread(await session.customRequest('ompdd/tree'));
	await session.customRequest('ompdd/step', {kind, ...(Number.isInteger(thread) ? {threadId: thread} : {})});
}

function deactivate() {}

module.exports = {activate, deactivate};

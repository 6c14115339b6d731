// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sessions of type openmp, and whether each is stopped.
'use strict';

const vscode = require('vscode');

class Sessions {
	constructor() {
		this.emitter = new vscode.EventEmitter();
		/** Fires when the contents of a view may have changed. */
		this.onDidChange = this.emitter.event;
		this.states = new Map();
	}

	/** Create a tracker that reads the messages of a session. */
	createDebugAdapterTracker(session) {
		const state = {stopped: false, threadId: undefined, capabilities: {}};
		this.states.set(session.id, state);
		return {
			onDidSendMessage: (message) => this.read(session, state, message),
			onExit: () => this.forget(session),
			onError: () => this.forget(session),
			onWillStopSession: () => this.forget(session),
		};
	}

	read(session, state, message) {
		if (message.type === 'response' && message.command === 'initialize' && message.success) {
			Object.assign(state.capabilities, message.body);
		}
		if (message.type !== 'event') {
			return;
		}
		if (message.event === 'stopped') {
			Object.assign(state, {stopped: true, threadId: message.body?.threadId ?? state.threadId});
			this.emitter.fire(session);
		} else if (message.event === 'ompdd/tree' && state.stopped) {
			this.emitter.fire(session);
		} else if (message.event === 'capabilities') {
			Object.assign(state.capabilities, message.body?.capabilities);
		} else if (['continued', 'initialized', 'exited', 'terminated', 'process'].includes(message.event)) {
			state.stopped = false;
			this.emitter.fire(session);
		}
	}

	forget(session) {
		this.states.delete(session.id);
		this.emitter.fire(session);
	}

	/** The active session, or undefined. */
	active() {
		const session = vscode.debug.activeDebugSession;
		return session?.type === 'openmp' ? session : undefined;
	}

	stateOf(session) {
		return this.states.get(session?.id) ?? {stopped: false, capabilities: {}};
	}
}

module.exports = {Sessions};

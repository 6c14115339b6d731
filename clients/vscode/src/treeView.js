// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The view "OpenMP": the answer of ompdd/tree after a stop.
'use strict';

const vscode = require('vscode');
const {inert} = require('./text');
const {buildTree} = require('./tree');

const ICONS = {region: 'organization', runtime: 'ellipsis', thread: 'circle-outline', other_thread: 'circle-slash', task: 'checklist'};

class TreeView {
	constructor(sessions) {
		this.sessions = sessions;
		this.emitter = new vscode.EventEmitter();
		this.onDidChangeTreeData = this.emitter.event;
		this.view = vscode.window.createTreeView('openmp.tree', {treeDataProvider: this, showCollapseAll: true});
	}

	refresh() {
		this.emitter.fire();
	}

	async getChildren(node) {
		if (node) {
			return node.children;
		}
		const session = this.sessions.active();
		this.view.message = undefined;
		if (!session) {
			return [];
		}
		try {
			const body = await session.customRequest('ompdd/tree');
			this.view.message = body.consistency === 'racy' ? 'The program runs: this view may be inconsistent. Refresh takes a new one.' : undefined;
			return buildTree(body);
		} catch (error) {
			// No OpenMP yet, or no process: show a sentence instead of a message box.
			this.view.message = inert(error.message ?? error);
			return [];
		}
	}

	getTreeItem(node) {
		const {TreeItemCollapsibleState: State} = vscode;
		// A plain string is only a label: no markdown, no icons by name.
		const item = new vscode.TreeItem({label: node.label}, node.children.length ? State.Expanded : State.None);
		item.description = node.description;
		item.tooltip = node.description ? `${node.label}\n${node.description}` : node.label;
		item.iconPath = new vscode.ThemeIcon(ICONS[node.kind] ?? 'circle-outline');
		item.contextValue = node.kind;
		if (Number.isInteger(node.threadId)) {
			item.command = {command: 'openmp.focusThread', title: 'Go to Thread', arguments: [node.threadId]};
		}
		return item;
	}
}

module.exports = {TreeView};

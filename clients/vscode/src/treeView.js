// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The view "OpenMP": the answer of ompdd/tree, asked for when the program has stopped.
'use strict';

const vscode = require('vscode');
const {inert} = require('./text');
const {buildTree} = require('./tree');

const ICONS = {region: 'organization', thread: 'circle-outline', outer: 'arrow-small-right', task: 'checklist', group: 'ellipsis', more: 'ellipsis'};

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
			this.view.message = body.consistency === 'racy' ? 'The program runs: this may be torn. Refresh looks again.' : undefined;
			return buildTree(body);
		} catch (error) {
			// No OpenMP yet, or no process: a sentence, and no box that wants to be closed.
			this.view.message = inert(error.message ?? error);
			return [];
		}
	}

	getTreeItem(node) {
		const {TreeItemCollapsibleState: State} = vscode;
		const inner = node.kind === 'more' || node.kind === 'group' ? State.Collapsed : State.Expanded;
		// A plain string is a label and nothing else: no markdown, no icons by name.
		const item = new vscode.TreeItem({label: node.label}, node.children.length ? inner : State.None);
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

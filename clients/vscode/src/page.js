// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A webview that shows data under a policy without network and foreign scripts.
'use strict';

const crypto = require('crypto');
const vscode = require('vscode');

class Page {
	/** `kind`: "stacks" or "why". `onMessage` gets {command, …} for each click. */
	constructor(extensionUri, kind, title, onMessage) {
		Object.assign(this, {extensionUri, kind, title, onMessage, panel: null, last: undefined});
	}

	/** Show the page with `data`: plain values only. */
	show(data) {
		this.last = data;
		if (this.panel) {
			this.panel.reveal(undefined, true);
			this.panel.webview.postMessage(data);
			return;
		}
		const media = vscode.Uri.joinPath(this.extensionUri, 'media');
		this.panel = vscode.window.createWebviewPanel(`openmp.${this.kind}`, this.title, {viewColumn: vscode.ViewColumn.Beside, preserveFocus: true},
			{enableScripts: true, localResourceRoots: [media], retainContextWhenHidden: false});
		this.panel.webview.onDidReceiveMessage((message) => {
			if (message?.command === 'ready') {
				this.panel?.webview.postMessage(this.last);
			} else {
				this.onMessage(message);
			}
		});
		this.panel.onDidDispose(() => {
			this.panel = null;
		});
		this.panel.webview.html = htmlOf(this.panel.webview, media, this.kind, this.title);
	}

	get isVisible() {
		return this.panel !== null && this.panel.visible;
	}

	dispose() {
		this.panel?.dispose();
	}
}

/** Return the page's markup. Its data arrives by message, and is set as text. */
function htmlOf(webview, media, kind, title) {
	const nonce = crypto.randomBytes(18).toString('base64');
	const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`;
	const uri = (name) => webview.asWebviewUri(vscode.Uri.joinPath(media, name));
	return `<!DOCTYPE html>
<html lang="en"><head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${title}</title>
<link rel="stylesheet" href="${uri('page.css')}">
</head><body data-kind="${kind}">
<main id="main"><p>…</p></main>
<script nonce="${nonce}" src="${uri('page.js')}"></script>
</body></html>`;
}

module.exports = {Page, htmlOf};

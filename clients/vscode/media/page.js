// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws the received data. Every name becomes a text node or an attribute by DOM calls, and is never parsed as markup.
'use strict';

(function () {
	const vscode = acquireVsCodeApi();
	const SVG = 'http://www.w3.org/2000/svg';
	const main = document.getElementById('main');

	function make(name, className, text) {
		const element = document.createElement(name);
		if (className) {
			element.className = className;
		}
		if (text !== undefined) {
			element.textContent = text;
		}
		return element;
	}

	function draw(name, attributes, text) {
		const element = document.createElementNS(SVG, name);
		for (const [key, value] of Object.entries(attributes)) {
			element.setAttribute(key, String(value));
		}
		if (text !== undefined) {
			element.textContent = text;
		}
		return element;
	}

	const focus = (threadId) => vscode.postMessage({command: 'focus', threadId});

	/** Parallel stacks: the common frames of threads are below, the branches above. */

	function boxElement(box) {
		const element = make('div', 'box');
		element.append(make('div', 'head', `${box.count} ${box.count === 1 ? 'thread' : 'threads'}${box.ends ? `: ${box.ends}` : ''}`));
		for (const frame of box.frames) {
			const line = make('button', frame.isLabel ? 'frame label' : 'frame', frame.label);
			line.append(make('span', 'place', frame.place));
			line.title = frame.threads;
			line.addEventListener('click', () => focus(frame.threadId));
			element.append(line);
		}
		return element;
	}

	function columnElement(box) {
		const column = make('div', 'column');
		if (box.children.length) {
			const row = make('div', box.children.length > 1 ? 'row fork' : 'row');
			row.append(...box.children.map(columnElement));
			column.append(row);
		}
		column.append(boxElement(box));
		return column;
	}

	function showStacks(data) {
		const row = make('div', 'row');
		row.append(...data.boxes.map(columnElement));
		const scroll = make('div', 'stacks');
		scroll.append(row);
		main.append(make('h1', '', `${data.n} threads`), scroll);
		if (data.empty) {
			main.append(make('p', 'dim', `Without frames: ${data.empty}`));
		}
		if (data.leftOut) {
			main.append(make('p', 'dim', `${data.leftOut} threads are left out.`));
		}
	}

	/* The verdict and the wait graph */

	const WIDTH = 170, HEIGHT = 34, GAP_X = 80, GAP_Y = 22, MARGIN = 24;

	function graphElement(graph) {
		const width = graph.columns * (WIDTH + GAP_X) + 2 * MARGIN, height = graph.rows * (HEIGHT + GAP_Y) + 2 * MARGIN + 40;
		const svg = draw('svg', {width, height, role: 'img', 'aria-label': 'wait graph'});
		const at = new Map(graph.nodes.map((node) => [node.id, {x: MARGIN + node.column * (WIDTH + GAP_X), y: MARGIN + node.row * (HEIGHT + GAP_Y)}]));
		const cycle = new Set(graph.nodes.filter((node) => node.in_cycle).map((node) => node.id));
		const defs = draw('defs', {});
		const marker = draw('marker', {id: 'head', viewBox: '0 0 8 8', refX: 8, refY: 4, markerWidth: 8, markerHeight: 8, orient: 'auto-start-reverse'});
		marker.append(draw('path', {d: 'M0 0 L8 4 L0 8 Z', fill: 'context-stroke'}));
		defs.append(marker);
		svg.append(defs);
		graph.edges.forEach((edge, i) => {
			const a = at.get(edge.from), b = at.get(edge.to);
			const back = b.x <= a.x;
			const [x1, y1] = [a.x + (back ? WIDTH / 2 : WIDTH), a.y + (back ? HEIGHT : HEIGHT / 2)];
			const [x2, y2] = [b.x + (back ? WIDTH / 2 : 0), b.y + (back ? HEIGHT : HEIGHT / 2)];
			const low = Math.max(y1, y2) + 26 + (i % 4) * 5;
			const d = back ? `M${x1} ${y1} C${x1} ${low} ${x2} ${low} ${x2} ${y2}`
				: `M${x1} ${y1} C${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2} ${x2} ${y2}`;
			const inCycle = cycle.has(edge.from) && cycle.has(edge.to);
			const path = draw('path', {d, class: `edge${edge.dashed ? ' candidate' : ''}${inCycle ? ' cycle' : ''}`, 'marker-end': 'url(#head)'});
			path.append(draw('title', {}, edge.text));
			svg.append(path, draw('text', {x: (x1 + x2) / 2, y: back ? low - 4 : (y1 + y2) / 2 - 5, class: 'said', 'text-anchor': 'middle'}, edge.label));
		});
		for (const node of graph.nodes) {
			const {x, y} = at.get(node.id);
			const isThread = node.threads.length > 0;
			const group = draw('g', {class: `node ${isThread ? 'thread' : 'thing'}${node.in_cycle ? ' cycle' : ''}`, transform: `translate(${x} ${y})`});
			const shown = node.label.length > 25 ? `${node.label.slice(0, 24)}…` : node.label;
			group.append(draw('rect', {width: WIDTH, height: HEIGHT, rx: isThread ? 16 : 3}), draw('text', {x: 12, y: 21}, shown), draw('title', {}, `${node.label} ${node.text}`));
			if (isThread) {
				group.addEventListener('click', () => focus(node.threads[0]));
			}
			svg.append(group);
		}
		return svg;
	}

	function showWhy(data) {
		let claims;
		for (const node of data.nodes) {
			if (node.kind === 'claim') {
				claims.append(make('li', '', node.text));
			} else if (node.kind === 'verdict' || node.kind === 'finding') {
				claims = make('ul');
				main.append(node.kind === 'verdict' ? make('h1', node.state.text, node.text) : make('h2', '', `${node.label}: ${node.text}`), claims);
			} else {
				main.append(make('p', node.kind === 'note' ? '' : 'dim', node.kind === 'note' ? `note: ${node.text}` : node.text));
			}
		}
		if (data.graph.edges.length) {
			main.append(make('h2', '', 'Wait graph'), graphElement(data.graph));
		}
		if (data.graph.left_out) {
			main.append(make('p', 'dim', `${data.graph.left_out} nodes are left out.`));
		}
	}

	window.addEventListener('message', (event) => {
		main.replaceChildren();
		if (event.data?.kind === 'stacks') {
			showStacks(event.data);
		} else if (event.data?.kind === 'why') {
			showWhy(event.data);
		}
	});
	vscode.postMessage({command: 'ready'});
})();

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names from the target are inert text: they cannot hide or reorder other text.
'use strict';

const MAX_LENGTH = 400;

/** Return `value` as text on one line, with the numbers of characters that control or reorder it. */
function inert(value) {
	const text = String(value ?? '').replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
	return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

/** Return a copy of a JSON value whose strings are inert. */
function inertAll(value) {
	if (Array.isArray(value)) {
		return value.map(inertAll);
	}
	if (value && typeof value === 'object') {
		return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inertAll(one)]));
	}
	return typeof value === 'string' ? inert(value) : value;
}

module.exports = {inert, inertAll};

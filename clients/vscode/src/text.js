// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names from the target are inert text: nothing in them turns or hides what stands beside it.
'use strict';

const MAX_LENGTH = 400;

/** `value` as text on one line: characters that control or turn it are shown by their numbers. */
function inert(value) {
	const text = String(value ?? '').replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
	return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

module.exports = {inert};

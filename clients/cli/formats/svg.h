/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Style and script of flame graphs: the contents of svg.css and svg.js. */
#ifndef OMPDD_CLI_SVG_H
#define OMPDD_CLI_SVG_H

extern const char svg_css[], svg_js[];

#endif

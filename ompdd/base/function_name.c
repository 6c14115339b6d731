/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the parts of a C++ name: return type, template arguments, parameters, suffixes. */
#include "base/function_name.h"

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"

/* Symbols after "operator" that contain brackets; longer ones first. */
static const char *const operators[] = {"<<=", ">>=", "<=>", "->*", "<<", ">>", "<=", ">=", "->", "()", "[]", "<", ">"};

static bool is_identifier(char c)
{
	return c == '_' || c == '$' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (unsigned char)c >= 0x80;
}

/* Return the length of "operator" and its symbol at @at, which follows @before; 0: another name. */
static size_t operator_length(const char *at, char before)
{
	static const char word[] = "operator";
	size_t len = sizeof(word) - 1;

	if (is_identifier(before) || strncmp(at, word, len) != 0 || is_identifier(at[len]))
		return 0;
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		if (!strncmp(at + len, operators[i], strlen(operators[i])))
			return len + strlen(operators[i]);
	}
	/* "operator new", "operator double", "operator"" _km": the blank does not end a return type. */
	return strchr(" \"", at[len]) ? strcspn(at, "(") : len;
}

/* Return the end of the bracket at @at, behind its closing mark. Long names are cut: then it is the end of the text. */
static const char *find_end(const char *at)
{
	size_t depth = 0;

	for (const char *c = at; *c; c++) {
		size_t len = operator_length(c, c > at ? c[-1] : 0);

		if (len) {
			c += len - 1;
			continue;
		}
		if (*c == '>' && c > at && c[-1] == '-')
			continue;
		depth += strchr("<({[", *c) != NULL;
		depth -= strchr(">)}]", *c) != NULL;
		if (!depth)
			return c + 1;
	}
	return at + strlen(at);
}

static void add_bytes(struct buf *p, const char *at, size_t len)
{
	error_destroy(buf_append(p, at, len));
}

static void add_text(struct buf *p, const char *text)
{
	add_bytes(p, text, strlen(text));
}

static void cut(struct buf *p, size_t len)
{
	if (len < p->len) {
		p->len = len;
		buf_head(p)[len] = 0;
	}
}

/* Append the suffix of an outlined function: " [clone ._omp_fn.0]" as "._omp_fn.0". */
static void add_clones(struct buf *p, const char *rest)
{
	static const char mark[] = " [clone ";

	for (const char *at = rest; (at = strstr(at, mark)); at++)
		add_bytes(p, at + sizeof(mark) - 1, strcspn(at + sizeof(mark) - 1, "]"));
}

/* Return whether the bracket at @at of @name is a part of a name or type, not a list of parameters. */
static bool is_inside_name(const char *name, const char *at, const char *end)
{
	static const char word[] = "decltype";
	size_t len = sizeof(word) - 1;

	return !strncmp(end, "::", 2) || ((size_t)(at - name) >= len && !strncmp(at - len, word, len));
}

/* Append the bracket from @at to @end of @name. Returns the place behind it; NULL: the name ends there. */
static const char *add_bracket(struct buf *p, const char *name, const char *at, const char *end)
{
	if (*at == '<') {
		add_text(p, strncmp(at, "<lambda", 7) ? "<…>" : "<lambda>");
		return end;
	}
	if (*at != '(' || !strncmp(at, "(anonymous ", 11)) {
		add_bytes(p, at, (size_t)(end - at));
		return end;
	}
	if (is_inside_name(name, at, end))
		return end;
	add_clones(p, end);
	return NULL;
}

/* Append the short form. Returns false if the structure is unknown; then a part may have been appended. */
static bool add_parts(struct buf *p, const char *name)
{
	size_t begin = p->len;

	for (const char *at = name; at && *at;) {
		size_t len = operator_length(at, at > name ? at[-1] : 0);

		if (len) {
			add_bytes(p, at, len);
			at += len;
			at += !strncmp(at, " <", 2);
		} else if (strchr("<({[", *at)) {
			const char *end = find_end(at);

			if (!strncmp(at, "(*", 2) || !strncmp(at, "(&", 2))
				return false;
			at = add_bracket(p, name, at, end);
		} else if (!strncmp(at, " [clone ", 8)) {
			add_clones(p, at);
			return true;
		} else if (*at == ' ') {
			cut(p, begin); /* a return type ends */
			at++;
		} else {
			add_bytes(p, at++, 1);
		}
	}
	return true;
}

void function_name_shorten(struct buf *p, const char *name)
{
	size_t begin = p->len;
	/* Without "::" and parameters it is a name of C or Python, or already short. */
	bool is_long = strpbrk(name, "<(") && (strstr(name, "::") || strchr(name, '('));
	bool is_special = strstr(name, " thunk to ") || strstr(name, " for ");

	if (is_long && !is_special && add_parts(p, name) && p->len > begin)
		return;
	cut(p, begin);
	add_text(p, name);
}

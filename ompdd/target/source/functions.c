/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds C++ functions. A mangled name contains the function's own name after its length. Only symbols that contain both
 * are demangled and compared.
 */
#include "target/source/functions.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target/source/demangle.h"
#include "target/modules/modules_ops.h"
#include "target/elf/symbols.h"
#include "target/target_ops.h"

/* The number of different functions of one name that an error lists. */
#define MAX_NAMED 4

struct search {
	char wanted[DEMANGLE_SIZE]; /* without redundant spaces */
	char own_name[256];	    /* "3foo"; "": not known */
	size_t n_names;
	char *first; /* readable; owned */
	struct functions found;
	size_t n_different;
	char different[MAX_NAMED][160];
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Copy [@text, @end) without spaces other than those between two words. */
static void pack_name(const char *text, const char *end, char *buf, size_t size)
{
	size_t len = 0;

	for (; text < end && len + 1 < size; text++) {
		if (!isspace((unsigned char)*text)) {
			buf[len++] = *text;
			continue;
		}
		while (text + 1 < end && isspace((unsigned char)text[1]))
			text++;
		if (len > 0 && text + 1 < end && is_word(buf[len - 1]) && is_word(text[1]))
			buf[len++] = ' ';
	}
	buf[len] = '\0';
}

/* Return the start of the template arguments that end before @end, or NULL. */
static const char *find_arguments(const char *text, const char *end)
{
	int depth = 0;

	while (end > text) {
		end--;
		depth += (*end == '>') - (*end == '<');
		if (depth == 0)
			return end;
	}
	return NULL;
}

/*
 * Return the position after the last "operator" that is a word of its own, or NULL: spaces and brackets have another
 * meaning there.
 */
static const char *find_operator(const char *text)
{
	const char *found = NULL;

	for (const char *at = strstr(text, "operator"); at; at = strstr(at + 1, "operator")) {
		if ((at == text || !is_word(at[-1])) && !is_word(at[8]))
			found = at;
	}
	return found;
}

/* Return the position after the last space outside of brackets: the return type of a template's instance ends there. */
static const char *skip_return_type(const char *text, const char *end)
{
	const char *begin = text;
	int depth = 0;

	for (const char *at = text; at < end; at++) {
		depth += (*at == '<' || *at == '(' || *at == '[' || *at == '{') -
			 (*at == '>' || *at == ')' || *at == ']' || *at == '}');
		if (*at == ' ' && depth == 0)
			begin = at + 1;
	}
	return begin;
}

static bool equals_name(const struct search *s, const char *text, const char *end)
{
	char packed[DEMANGLE_SIZE];

	pack_name(text, end, packed, sizeof(packed));
	return !strcmp(packed, s->wanted);
}

/* Return whether the readable name @text matches the request, with or without the optional parts. */
static bool is_wanted(const struct search *s, const char *text)
{
	const char *end = text + strlen(text), *begin = text, *at;

	if (equals_name(s, text, end))
		return true;
	/* Parts that the compiler split off have another name: "f() [clone .cold]". */
	const char *params = demangle_parameters(text);
	if (params == text || params == end || strstr(params, "[clone") || end[-1] == ']')
		return false;
	if (!find_operator(text)) {
		begin = skip_return_type(text, params);
		if (begin != text && equals_name(s, begin, end))
			return true;
	}
	if (equals_name(s, text, params) || equals_name(s, begin, params))
		return true;
	if (find_operator(text) || params[-1] != '>')
		return false;
	at = find_arguments(begin, params);
	return at && at > begin && equals_name(s, begin, at);
}

static bool is_modifier(const char *word, size_t len)
{
	static const char *const words[] = {"const", "volatile", "operator"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i]) == len && !memcmp(words[i], word, len))
			return true;
	}
	return false;
}

/* Find the last word of @name outside of brackets and before any "operator", as a mangled name has it. */
static void find_own_name(const char *name, char *ret, size_t size)
{
	const char *end = find_operator(name), *word = NULL;
	size_t len = 0;
	int depth = 0;

	if (!end)
		end = name + strlen(name);
	for (const char *at = name; at < end;) {
		size_t n = 0;

		while (at + n < end && is_word(at[n]))
			n++;
		if (n && depth == 0 && !is_modifier(at, n)) {
			word = at;
			len = n;
		}
		if (!n) {
			depth += (*at == '<' || *at == '(' || *at == '[' || *at == '{') -
				 (*at == '>' || *at == ')' || *at == ']' || *at == '}');
			n = 1;
		}
		at += n;
	}
	ret[0] = '\0';
	if (word && len + 8 < size)
		snprintf(ret, size, "%zu%.*s", len, (int)len, word);
}

static struct error *note_address(struct search *s, const char *text, uint64_t address)
{
	if (!s->first) {
		s->first = strdup(text);
		if (!s->first)
			return &error_nomem;
	}
	if (s->n_different < MAX_NAMED) {
		char *shown = s->different[s->n_different];
		size_t i = 0;

		snprintf(shown, sizeof(s->different[0]), "%s", text);
		while (strcmp(s->different[i], shown) != 0)
			i++;
		s->n_different += i == s->n_different;
	}
	/* Two long names may differ after the stored part. */
	if (strcmp(s->first, text) != 0 && s->n_different < 2)
		snprintf(s->different[s->n_different++], sizeof(s->different[0]), "...");
	for (size_t i = 0; i < s->found.n; i++) {
		if (s->found.addresses[i] == address)
			return NULL;
	}
	if (s->found.n < FUNCTIONS_MAX)
		s->found.addresses[s->found.n++] = address;
	else if (s->n_different < 2)
		return error_create(ERR_LIMIT_EXCEEDED, "%s is at more than %d addresses", text, FUNCTIONS_MAX);
	return NULL;
}

static struct error *search_module(struct search *s, struct target *t, const struct target_module *module)
{
	struct symbols *symbols = modules_symbols(t, module);
	size_t n = symbols ? symbols_count(symbols) : 0;

	for (size_t i = 0; i < n; i++) {
		struct symbols_entry entry;

		symbols_get(symbols, i, &entry);
		if (!entry.is_function || strncmp(entry.name, "_Z", 2) != 0 || !strstr(entry.name, s->own_name))
			continue;
		if (s->n_names++ == FUNCTIONS_MAX_NAMES)
			return error_create(ERR_LIMIT_EXCEEDED, "more than %d functions may be %s", FUNCTIONS_MAX_NAMES,
					    s->wanted);
		const char *text = demangle(entry.name);
		if (!text || !is_wanted(s, text))
			continue;
		struct error *err = note_address(s, text, module->base + entry.value);
		if (err)
			return err;
	}
	return NULL;
}

static struct error *error_ambiguous(const struct search *s, const char *name)
{
	char list[MAX_NAMED * sizeof(s->different[0]) + 32] = "";

	for (size_t i = 0; i < s->n_different; i++) {
		size_t len = strlen(list);

		snprintf(list + len, sizeof(list) - len, "%s%s", i ? "; " : "", s->different[i]);
	}
	return error_detail(error_create(ERR_AMBIGUOUS_NAME, "%s may be several functions: %s%s", name, list,
					 s->n_different == MAX_NAMED ? "; ..." : ""),
			    "symbol", "%s", name);
}

static void search_destroy(struct search *s)
{
	if (s)
		free(s->first);
	free(s);
}

static struct error *find_readable(struct target *t, const char *name, struct functions *ret)
{
	const struct target_module *modules;
	size_t n;
	struct error *err = target_modules(t, &modules, &n);
	struct search *s = err ? NULL : calloc(1, sizeof(*s));

	if (err)
		return err;
	if (!s)
		return &error_nomem;
	pack_name(name, name + strlen(name), s->wanted, sizeof(s->wanted));
	find_own_name(name, s->own_name, sizeof(s->own_name));
	for (size_t i = 0; i < n && !err; i++)
		err = search_module(s, t, &modules[i]);
	if (!err && s->n_different > 1)
		err = error_ambiguous(s, name);
	if (!err)
		*ret = s->found;
	search_destroy(s);
	return err;
}

struct error *functions_find(struct target *t, const char *name, struct functions *ret)
{
	struct target_symbol sym;
	struct error *err = target_symbol(t, name, NULL, &sym);
	struct functions found = {0};

	if (!err && sym.is_tls)
		return error_create(ERR_SYMBOL_NOT_FOUND, "%s is not a function", name);
	if (!err) {
		*ret = (struct functions){.addresses = {sym.address}, .n = 1};
		return NULL;
	}
	if (!error_is(err, ERR_SYMBOL_NOT_FOUND))
		return err;
	struct error *other = find_readable(t, name, &found);
	if (other || found.n) {
		error_destroy(err);
		if (!other)
			*ret = found;
		return other;
	}
	return err;
}

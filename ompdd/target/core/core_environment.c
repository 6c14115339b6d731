/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the first environment from the strings that the kernel put on the stack. */
#include "target/core/core_environment.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "target/core/core.h"
#include "target/proc/job.h"

/* The kernel leaves up to 8 KiB between the auxiliary vector and the strings. */
#define MAX_GAP	  (64u << 10)
#define MAX_WORDS (1u << 20)
#define MAX_TYPE  1024	/* of an entry of the auxiliary vector */
#define MAX_ARGC  65536 /* pointers are higher */

static struct error *error_not_found(void)
{
	return error_create(ERR_MEMORY_UNREADABLE, "the core does not show the environment of its program");
}

static bool read_word(struct target *t, uint64_t addr, uint64_t *ret)
{
	struct error *err = target_read(t, addr, ret, sizeof(*ret));

	error_destroy(err);
	return !err;
}

/* Find the entry AT_EXECFN of the auxiliary vector in memory, and from it the vector's first entry. */
static bool find_vector(struct target *t, const struct process_auxv *auxv, uint64_t *ret)
{
	uint64_t at = auxv->random & ~(uint64_t)7, end = at - MAX_GAP, type = 0, value = 0;

	for (at -= 16; at > end; at -= 8) {
		if (!read_word(t, at, &type) || !read_word(t, at + 8, &value))
			return false;
		if (type == AT_EXECFN && value == auxv->execfn)
			break;
	}
	if (type != AT_EXECFN || value != auxv->execfn)
		return false;
	for (size_t i = 0; i < MAX_TYPE; i++, at -= 16) {
		if (!read_word(t, at - 16, &type))
			return false;
		/* Before the first entry are the last pointer of envp, or of argv's end, and NULL. */
		if (!type || type > MAX_TYPE) {
			*ret = at;
			return read_word(t, at - 8, &value) && !value;
		}
	}
	return false;
}

/* Find argc: below the auxiliary vector it is the first word that is neither NULL nor a pointer. */
static bool find_argc(struct target *t, uint64_t vector, uint64_t *addr_ret, uint64_t *argc_ret)
{
	uint64_t word;

	for (size_t i = 1; i < MAX_WORDS; i++) {
		if (!read_word(t, vector - 8 * i, &word))
			return false;
		if (!word || word > MAX_ARGC)
			continue;
		*addr_ret = vector - 8 * i;
		*argc_ret = word;
		return word < i && read_word(t, *addr_ret + 8 * (word + 1), &word) && !word;
	}
	return false;
}

/* Return the lowest address of the strings of argv. The program may have exchanged the pointers. */
static bool find_strings(struct target *t, const struct process_auxv *auxv, uint64_t argv, uint64_t argc, uint64_t *ret)
{
	uint64_t lowest = UINT64_MAX, pointer;

	for (uint64_t i = 0; i < argc; i++) {
		if (!read_word(t, argv + 8 * i, &pointer) || pointer <= auxv->random || pointer >= auxv->execfn)
			return false;
		if (pointer < lowest)
			lowest = pointer;
	}
	*ret = lowest;
	return lowest < auxv->execfn && auxv->execfn - lowest <= JOB_MAX_ENVIRON;
}

/* Return what follows the first @argc strings. */
static size_t skip_strings(const char *text, size_t len, uint64_t argc)
{
	size_t at = 0;

	for (uint64_t i = 0; i < argc && at < len; i++)
		at += strnlen(text + at, len - at) + 1;
	return at < len ? at : len;
}

struct error *core_environment_find(struct target *t, const struct process_auxv *auxv, char **ret, size_t *len_ret)
{
	uint64_t vector, at, argc, strings;
	struct error *err;

	if (auxv->random < 2 * MAX_GAP || auxv->execfn <= auxv->random || !find_vector(t, auxv, &vector) ||
	    !find_argc(t, vector, &at, &argc) || !find_strings(t, auxv, at + 8, argc, &strings))
		return error_not_found();
	size_t len = (size_t)(auxv->execfn - strings);
	_cleanup_free_ char *text = malloc(len + 1);

	if (!text)
		return &error_nomem;
	err = target_read(t, strings, text, len);
	if (err)
		return err;
	size_t skipped = skip_strings(text, len, argc);

	memmove(text, text + skipped, len - skipped);
	text[len - skipped] = '\0';
	*len_ret = len - skipped;
	*ret = text;
	text = NULL;
	return NULL;
}

struct error *core_environment(struct target *t, char **ret, size_t *len_ret)
{
	return core_environment_find(t, &core_of(t)->notes.auxv, ret, len_ret);
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * First derivation of libomp's layout: ompd_init() stores numbers into a table. It is found by its
 * reference to the name of the environment variable that it reads.
 */
#include "libomp/table.h"

#include <string.h>

#include "callbacks.h"
#include "code/pattern.h"

/* The stores precede the reference by fewer bytes than this. */
#define BEFORE	 4096
#define MAX_USES 8
/* Limit on the stores of numbers to fixed addresses. */
#define MAX_STORES 512
/* Every structure of libomp is smaller. */
#define MAX_NUMBER (1u << 20)

struct store {
	ompd_addr_t address;
	uint64_t number;
};

/* Collect the stores. Of several stores to the same address, the last counts. */
static size_t collect_stores(const struct code_walk *walk, struct store *stores)
{
	size_t n = 0;

	for (size_t i = 0; i < walk->count; i++) {
		const struct code_event *event = &walk->events[i];
		size_t j = 0;

		if (event->kind != CODE_STORE || event->address.root != CODE_FIXED || event->address.loads ||
		    event->address.scaled || event->value.root != CODE_FIXED || event->value.loads)
			continue;
		ompd_addr_t address = (ompd_addr_t)event->address.offset[0];

		while (j < n && stores[j].address != address)
			j++;
		if (j == MAX_STORES)
			continue;
		if (j == n)
			n++;
		stores[j] = (struct store){address, (uint64_t)event->value.offset[0]};
	}
	return n;
}

static const struct store *find_store(const struct store *stores, size_t n, ompd_addr_t address)
{
	for (size_t i = 0; i < n; i++)
		if (stores[i].address == address)
			return &stores[i];
	return NULL;
}

/* Fill the table whose lowest word is at @low. */
static bool fill_table(const struct store *stores, size_t n, ompd_addr_t low, struct libomp_table *ret)
{
	const size_t size = sizeof(uint64_t);
	uint64_t words[LIBOMP_WORDS];
	const struct store *first = NULL;

	for (size_t i = 0; i < LIBOMP_WORDS; i++) {
		const struct store *store = find_store(stores, n, low + i * size);

		if (!store)
			return false;
		words[i] = store->number;
		/* The code stores the first word of table.def first. */
		if (!first || store < first)
			first = store;
	}
	ret->address = low;
	ret->is_reversed = first->address != low;
	if (ret->is_reversed && first->address != low + (LIBOMP_WORDS - 1) * size)
		return false;
	for (size_t i = 0; i < LIBOMP_WORDS; i++)
		ret->words[i] = words[ret->is_reversed ? LIBOMP_WORDS - 1 - i : i];
	return true;
}

/* Check invariants of every table: a shifted or shuffled table fails. */
static bool makes_sense(const struct libomp_table *t)
{
	static const enum libomp_word pointers[] = {
		LIBOMP_WIDTH_info_current_task, LIBOMP_WIDTH_info_team,	  LIBOMP_WIDTH_team_implicit_tasks,
		LIBOMP_WIDTH_team_parent,	LIBOMP_WIDTH_team_fn,	  LIBOMP_WIDTH_team_threads,
		LIBOMP_WIDTH_ds_thread,		LIBOMP_WIDTH_task_parent, LIBOMP_WIDTH_task_team,
		LIBOMP_WIDTH_body_routine,
	};
	static const enum libomp_word numbers[] = {
		LIBOMP_WIDTH_root_in_parallel,
		LIBOMP_WIDTH_team_active_level,
		LIBOMP_WIDTH_team_master_tid,
		LIBOMP_WIDTH_team_nproc,
		LIBOMP_WIDTH_team_level,
		LIBOMP_WIDTH_ds_tid,
		LIBOMP_WIDTH_icv_nproc,
		LIBOMP_WIDTH_icv_proc_bind,
		LIBOMP_WIDTH_icv_max_active_levels,
		LIBOMP_WIDTH_icv_thread_limit,
		LIBOMP_WIDTH_task_flags,
		LIBOMP_WIDTH_icv_default_device,
		LIBOMP_WIDTH_sched_type,
		LIBOMP_SIZEOF_int,
		LIBOMP_SIZEOF_flags,
	};

	for (size_t i = 0; i < LIBOMP_WORDS; i++)
		if (t->words[i] > MAX_NUMBER && (i < LIBOMP_FLAG_final || i > LIBOMP_FLAG_native))
			return false;
	for (size_t i = 0; i < sizeof(pointers) / sizeof(pointers[0]); i++)
		if (t->words[pointers[i]] != 8)
			return false;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (t->words[numbers[i]] != 4)
			return false;
	return t->words[LIBOMP_SIZEOF_char] == 1 && t->words[LIBOMP_WIDTH_icv_dynamic] == 1 &&
	       !t->words[LIBOMP_AT_thread_union_th] && !t->words[LIBOMP_AT_team_union_t] &&
	       !t->words[LIBOMP_AT_root_union_r];
}

/* Read the stores before the reference at @use. */
static bool read_before(ompd_address_space_context_t *context, const struct image *image, ompd_addr_t use,
			struct code_walk *walk, struct libomp_table *ret)
{
	bool found = false;
	void *memory;

	if (cb_alloc_raw(MAX_STORES * sizeof(struct store), &memory) != ompd_rc_ok)
		return false;
	struct store *stores = memory;

	/* The start may be in the middle of an instruction: try each byte until decoding reaches @use. */
	for (size_t skipped = 0; skipped < DECODE_MAX_LENGTH && !found; skipped++) {
		size_t n = 0, before = BEFORE - skipped;

		if (pattern_walk(walk, context, image, use - before, before, CODE_LINEAR))
			n = collect_stores(walk, stores);
		for (size_t i = 0; i < n && !found; i++)
			found = !find_store(stores, n, stores[i].address - sizeof(uint64_t)) &&
				fill_table(stores, n, stores[i].address, ret) && makes_sense(ret);
	}
	cb_free(memory);
	return found;
}

/* The words in memory must be zero, or equal to the table. */
static ompd_rc_t compare_memory(ompd_address_space_context_t *context, const struct libomp_table *t, const char **why)
{
	uint64_t words[LIBOMP_WORDS];
	bool is_filled = false;

	RC_TRY(cb_read(context, t->address, sizeof(words), words));
	for (size_t i = 0; i < LIBOMP_WORDS; i++)
		is_filled = is_filled || words[i];
	for (size_t i = 0; i < LIBOMP_WORDS && is_filled; i++) {
		if (words[t->is_reversed ? LIBOMP_WORDS - 1 - i : i] == t->words[i])
			continue;
		*why = "what ompd_init() stored";
		return ompd_rc_incompatible;
	}
	return ompd_rc_ok;
}

ompd_rc_t libomp_table_read(ompd_address_space_context_t *context, const struct image *image, struct code_walk *walk,
			    struct libomp_table *ret, const char **why)
{
	static const char name[] = "\0OMP_DEBUG";
	ompd_addr_t text, use = 0;
	struct libomp_table table;

	if (image_find(context, image, name, sizeof(name), &text) != ompd_rc_ok)
		return ompd_rc_unavailable;
	for (int i = 0; i < MAX_USES; i++) {
		if (image_find_use(context, image, use + (i > 0), text + 1, &use) != ompd_rc_ok)
			break;
		if (!read_before(context, image, use, walk, &table))
			continue;
		RC_TRY(compare_memory(context, &table, why));
		*ret = table;
		return ompd_rc_ok;
	}
	*why = "the code of ompd_init()";
	return ompd_rc_incompatible;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The traits, and their names in OMP_ALLOCATOR. */
#include "core/alloc/alloc_traits.h"

#include <stddef.h>

#include "core/alloc/alloc.h"
#include "os/parse.h"

#define BY_DEFAULT UINTPTR_MAX /* omp_atv_default */

/* In the order of handles[]. */
static const char *const allocator_names[] = {"omp_default_mem_alloc",
					      "omp_large_cap_mem_alloc",
					      "omp_const_mem_alloc",
					      "omp_high_bw_mem_alloc",
					      "omp_low_lat_mem_alloc",
					      "omp_cgroup_mem_alloc",
					      "omp_pteam_mem_alloc",
					      "omp_thread_mem_alloc",
					      "ompx_gnu_pinned_mem_alloc",
					      "ompx_gnu_managed_mem_alloc",
					      NULL};
static const uintptr_t handles[] = {1, 2, 3, 4, 5, 6, 7, 8, ALLOCATOR_PINNED, ALLOCATOR_MANAGED};

/*
 * In the order of omp_memspace_handle_t. The predefined allocator of a space has the same index in handles[], except
 * the last.
 */
static const char *const space_names[] = {"omp_default_mem_space",
					  "omp_large_cap_mem_space",
					  "omp_const_mem_space",
					  "omp_high_bw_mem_space",
					  "omp_low_lat_mem_space",
					  "ompx_gnu_managed_mem_space",
					  NULL};

static const char *const trait_names[] = {"sync_hint", "alignment", "access",	 "pool_size", "fallback",
					  "fb_data",   "pinned",    "partition", NULL};

/* The names of a trait's values, in the order of their numbers from @first. */
struct words {
	uintptr_t first;
	const char *names[5];
};

static const struct words words[] = {
	[ALLOC_SYNC_HINT] = {ALLOC_CONTENDED, {"contended", "uncontended", "serialized", "private"}},
	[ALLOC_ACCESS] = {ALLOC_ALL, {"all", "thread", "pteam", "cgroup"}},
	[ALLOC_FALLBACK] = {ALLOC_DEFAULT_MEM_FB, {"default_mem_fb", "null_fb", "abort_fb", "allocator_fb"}},
	[ALLOC_PINNED] = {false, {"false", "true"}},
	[ALLOC_PARTITION] = {ALLOC_ENVIRONMENT, {"environment", "nearest", "blocked", "interleaved"}},
};

static bool is_one_of_four(uintptr_t value, uintptr_t first)
{
	return value == BY_DEFAULT || (value >= first && value - first < 4);
}

bool alloc_trait_set(struct allocator *a, uint32_t key, uintptr_t value)
{
	bool by_default = value == BY_DEFAULT;

	switch (key) {
	case ALLOC_SYNC_HINT: /* any thread can use any allocator at any time */
		return is_one_of_four(value, ALLOC_CONTENDED);
	case ALLOC_ALIGNMENT:
		if (!by_default && (!value || (value & (value - 1))))
			return false;
		a->alignment = by_default ? ALLOC_ALIGNMENT_DEFAULT : value;
		return true;
	case ALLOC_ACCESS:
		return is_one_of_four(value, ALLOC_ALL);
	case ALLOC_POOL_SIZE:
		a->pool_size = by_default ? SIZE_MAX : value;
		return true;
	case ALLOC_FALLBACK:
		if (!is_one_of_four(value, ALLOC_DEFAULT_MEM_FB))
			return false;
		a->fallback = by_default ? ALLOC_FB_DEFAULT : (enum alloc_fallback)(value - ALLOC_DEFAULT_MEM_FB);
		return true;
	case ALLOC_FB_DATA:
		a->fallback_allocator = value;
		return true;
	case ALLOC_PINNED:
		if (!by_default && value > true)
			return false;
		a->pinned = value == true;
		return true;
	case ALLOC_PARTITION:
		return is_one_of_four(value, ALLOC_ENVIRONMENT);
	default:
		return false;
	}
}

static bool parse_value(const char **text, uint32_t key, uintptr_t *ret)
{
	uint64_t number;
	unsigned i;

	switch (key) {
	case ALLOC_ALIGNMENT:
	case ALLOC_POOL_SIZE:
		if (!parse_unsigned(text, SIZE_MAX - 1, &number))
			return false;
		*ret = number;
		return true;
	case ALLOC_FB_DATA:
		if (!parse_one_of(text, allocator_names, &i))
			return false;
		*ret = handles[i];
		return true;
	default:
		if (!parse_one_of(text, words[key].names, &i))
			return false;
		*ret = words[key].first + i;
		return true;
	}
}

/* Reads "trait=value" into @traits. */
static enum alloc_text parse_trait(const char **text, struct allocator *traits)
{
	const char *at = *text;
	uintptr_t value;
	unsigned i;

	if (!parse_one_of(&at, trait_names, &i) || !parse_char(&at, '='))
		return parse_end(*text) ? ALLOC_TEXT_NO_VALUE : ALLOC_TEXT_INVALID;
	*text = at;
	if (parse_end(at))
		return ALLOC_TEXT_NO_VALUE;
	if (!parse_value(text, i + 1, &value))
		return ALLOC_TEXT_INVALID;
	return alloc_trait_set(traits, i + 1, value) ? ALLOC_TEXT_TRAITS : ALLOC_TEXT_IMPOSSIBLE;
}

enum alloc_text alloc_trait_parse(const char **text, uintptr_t *handle_ret, struct allocator *traits_ret)
{
	enum alloc_text result = ALLOC_TEXT_TRAITS;
	unsigned i;

	if (parse_one_of(text, allocator_names, &i)) {
		*handle_ret = handles[i];
		return parse_end(*text) ? ALLOC_TEXT_PREDEFINED : ALLOC_TEXT_INVALID;
	}
	if (!parse_one_of(text, space_names, &i))
		return ALLOC_TEXT_INVALID;
	*handle_ret = i <= ALLOC_SPACE_LAST ? handles[i] : ALLOCATOR_MANAGED;
	if (parse_end(*text))
		return ALLOC_TEXT_PREDEFINED;
	if (!parse_char(text, ':'))
		return ALLOC_TEXT_INVALID;
	*traits_ret = ALLOCATOR_INIT;
	do {
		enum alloc_text trait = parse_trait(text, traits_ret);

		if (trait == ALLOC_TEXT_INVALID || trait == ALLOC_TEXT_NO_VALUE)
			return trait;
		if (trait == ALLOC_TEXT_IMPOSSIBLE)
			result = trait;
	} while (parse_char(text, ','));
	return parse_end(*text) ? result : ALLOC_TEXT_INVALID;
}

const char *alloc_trait_name_of(uintptr_t handle)
{
	for (size_t i = 0; i < sizeof(handles) / sizeof(*handles); i++) {
		if (handles[i] == handle)
			return allocator_names[i];
	}
	return NULL;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parses lists of places, and creates the places of abstract names such as cores. */
#include "core/affinity/places_parse.h"

#include <stdlib.h>
#include <string.h>

#include "core/state/icv.h"
#include "os/cpus.h"
#include "os/memory.h"
#include "os/message.h"
#include "os/parse.h"

void place_list_deinit(struct place_list *list)
{
	free(list->sets);
	*list = (struct place_list){0};
}

/* Adds an empty place at the end; NULL: too many. */
static cpu_set_t *add_place(struct place_list *list)
{
	if (list->n == PLACES_MAX)
		return NULL;
	if (list->n == list->room) {
		list->room = list->room ? list->room * 2 : 16;
		list->sets = memory_realloc(list->sets, list->room * list->set_size);
	}
	cpu_set_t *set = place_list_get(list, list->n++);
	memset(set, 0, list->set_size);
	return set;
}

static void remove_place(struct place_list *list, uint32_t i)
{
	list->n--;
	memmove(place_list_get(list, i), place_list_get(list, i + 1), (list->n - i) * list->set_size);
}

static bool is_empty(const cpu_set_t *set, size_t size)
{
	return CPU_COUNT_S(size, set) == 0;
}

/* Parses ":length[:stride]", which is optional. */
static bool parse_interval(const char **text, uint64_t *length, int64_t *stride)
{
	*length = 1;
	*stride = 1;
	if (!parse_char(text, ':'))
		return true;
	if (!parse_unsigned(text, PLACES_MAX, length) || *length == 0)
		return false;
	if (!parse_char(text, ':'))
		return true;
	return parse_signed(text, stride) && *stride >= -PLACES_MAX && *stride <= PLACES_MAX;
}

static bool add_cpu(cpu_set_t *set, size_t size, uint64_t cpu)
{
	if (cpu >= size * 8) {
		message_error("Logical CPU number %lu out of range", (unsigned long)cpu);
		return false;
	}
	CPU_SET_S(cpu, size, set);
	return true;
}

/* Parses one element between braces: "!cpu" or "cpu[:length[:stride]]". */
static bool parse_cpus(const char **text, cpu_set_t *set, size_t size)
{
	bool exclude = parse_char(text, '!');
	uint64_t cpu, length;
	int64_t stride;

	if (!parse_unsigned(text, UINT32_MAX, &cpu))
		return false;
	if (exclude) {
		if (cpu >= size * 8 || !CPU_ISSET_S(cpu, size, set)) {
			message_error("Logical CPU %lu to be removed is not in the set", (unsigned long)cpu);
			return false;
		}
		CPU_CLR_S(cpu, size, set);
		return true;
	}
	if (!parse_interval(text, &length, &stride))
		return false;
	for (uint64_t i = 0; i < length; i++) {
		if (!add_cpu(set, size, cpu + i * (uint64_t)stride))
			return false;
	}
	return true;
}

/* Parses "{…}" or one CPU. */
static bool parse_place(const char **text, cpu_set_t *set, size_t size)
{
	uint64_t cpu;

	if (!parse_char(text, '{'))
		return parse_unsigned(text, UINT32_MAX, &cpu) && add_cpu(set, size, cpu);
	do {
		if (!parse_cpus(text, set, size))
			return false;
	} while (parse_char(text, ','));
	return parse_char(text, '}');
}

/* Repeats the last place, each time with its CPUs @stride further. */
static bool repeat_place(struct place_list *list, uint64_t length, int64_t stride)
{
	int64_t limit = (int64_t)list->set_size * 8;

	for (uint64_t i = 1; i < length; i++) {
		cpu_set_t *set = add_place(list);

		if (!set)
			return false;
		const cpu_set_t *before = place_list_get(list, list->n - 2);
		for (int64_t cpu = 0; cpu < limit; cpu++) {
			if (!CPU_ISSET_S(cpu, list->set_size, before))
				continue;
			if (cpu + stride < 0 || cpu + stride >= limit) {
				message_error("Logical CPU number %lu+%ld out of range", (unsigned long)cpu,
					      (long)stride);
				return false;
			}
			CPU_SET_S(cpu + stride, list->set_size, set);
		}
	}
	return true;
}

/* Removes the last place, and the first one that equals it. */
static bool exclude_place(struct place_list *list)
{
	const cpu_set_t *unwanted = place_list_get(list, list->n - 1);

	for (uint32_t i = 0; i + 1 < list->n; i++) {
		if (CPU_EQUAL_S(list->set_size, place_list_get(list, i), unwanted)) {
			remove_place(list, list->n - 1);
			remove_place(list, i);
			return true;
		}
	}
	message_error("Trying to remove a non-existing place from list of places");
	return false;
}

static bool parse_explicit(const char *text, struct place_list *list)
{
	uint64_t length;
	int64_t stride;

	do {
		bool exclude = parse_char(&text, '!');
		cpu_set_t *set = add_place(list);

		if (!set || !parse_place(&text, set, list->set_size))
			return false;
		if (exclude) {
			if (!exclude_place(list))
				return false;
		} else if (!parse_interval(&text, &length, &stride) || !repeat_place(list, length, stride)) {
			return false;
		}
	} while (parse_char(&text, ','));
	if (!parse_end(text))
		return false;
	if (!list->n)
		message_error("All places have been removed");
	return list->n > 0;
}

/* Removes CPUs that the process may not use. Returns false if nothing is left. */
static bool keep_usable(struct place_list *list, const struct cpus *cpus)
{
	uint32_t before = list->n, kept = 0;

	if (!cpus->set)
		return true;
	for (uint32_t i = 0; i < before; i++) {
		cpu_set_t *set = place_list_get(list, kept);

		CPU_AND_S(list->set_size, set, place_list_get(list, i), cpus->set);
		if (!is_empty(set, list->set_size))
			kept++;
	}
	list->n = kept;
	if (!kept)
		message_error("None of the places contain usable logical CPUs");
	else if (kept < before)
		message_error("Number of places reduced from %u to %u because some places didn't contain any usable "
			      "logical CPUs",
			      before, kept);
	return kept > 0;
}

void places_of_threads(const struct cpus *cpus, struct place_list *ret)
{
	*ret = (struct place_list){.set_size = cpus->size};
	for (size_t cpu = 0; cpu < cpus->size * 8; cpu++) {
		cpu_set_t *set = CPU_ISSET_S(cpu, cpus->size, cpus->set) ? add_place(ret) : NULL;

		if (set)
			CPU_SET_S(cpu, cpus->size, set);
	}
}

/* Adds one place for each group of CPUs that /sys calls @level; at most @max places. */
static bool add_level_places(const char *level, uint64_t max, const struct cpus *cpus, struct place_list *list)
{
	cpu_set_t *covered = memory_zalloc(cpus->size);
	bool known = true;

	for (size_t cpu = 0; cpu < cpus->size * 8 && known && list->n < max; cpu++) {
		if (!CPU_ISSET_S(cpu, cpus->size, cpus->set) || CPU_ISSET_S(cpu, cpus->size, covered))
			continue;
		cpu_set_t *set = add_place(list);
		if (!set)
			break;
		if (!strcmp(level, "thread"))
			CPU_SET_S(cpu, cpus->size, set);
		else
			known = cpus_siblings((int)cpu, level, set, cpus->size);
		CPU_AND_S(cpus->size, set, set, cpus->set);
		CPU_OR_S(cpus->size, covered, covered, set);
	}
	free(covered);
	if (!known || !list->n) {
		message_error("Error reading core/socket topology");
		return false;
	}
	return true;
}

static enum places_result parse_level(const char *text, const char *level, const struct cpus *cpus, bool check_only,
				      struct place_list *list)
{
	uint64_t max = PLACES_MAX;

	if (parse_char(&text, '(')) {
		if (!parse_unsigned(&text, UINT32_MAX, &max) || max == 0 || !parse_char(&text, ')'))
			return PLACES_INVALID;
	}
	if (!parse_end(text))
		return PLACES_INVALID;
	if (check_only)
		return PLACES_OK;
	return add_level_places(level, max, cpus, list) ? PLACES_OK : PLACES_UNKNOWN;
}

enum places_result places_parse(const char *text, const struct cpus *cpus, bool check_only, struct place_list *ret)
{
	static const char *const names[] = {"threads", "cores", "sockets", "ll_caches", "numa_domains", NULL};
	static const char *const levels[] = {"thread", "core", "package", "llc", "node"};
	struct place_list list = {.set_size = cpus->size};
	enum places_result result;
	unsigned i;

	if (parse_one_of(&text, names, &i))
		result = parse_level(text, levels[i], cpus, check_only, &list);
	else if (!parse_explicit(text, &list) || (!check_only && !keep_usable(&list, cpus)))
		result = PLACES_INVALID;
	else
		result = PLACES_OK;
	if (result != PLACES_OK || check_only)
		place_list_deinit(&list);
	if (result == PLACES_OK)
		*ret = list;
	return result;
}

enum places_result places_parse_cpu_affinity(const char *text, const struct cpus *cpus, struct place_list *ret)
{
	struct place_list list = {.set_size = cpus->size};

	do {
		uint64_t first, last, stride = 1;

		if (!parse_unsigned(&text, PLACES_MAX - 1, &first))
			goto bad;
		last = first;
		if (*text == '-') {
			text++;
			if (!parse_unsigned(&text, PLACES_MAX - 1, &last) || last < first)
				goto bad;
			if (*text == ':') {
				text++;
				if (!parse_unsigned(&text, PLACES_MAX - 1, &stride) || stride == 0)
					goto bad;
			}
		}
		for (uint64_t cpu = first; cpu <= last && cpu < cpus->size * 8; cpu += stride) {
			cpu_set_t *set = add_place(&list);

			if (!set)
				goto bad;
			CPU_SET_S(cpu, cpus->size, set);
		}
		/* Elements are separated by blanks or a comma. */
		if (*text && *text != ' ' && *text != '\t' && *text != ',')
			goto bad;
		if (parse_char(&text, ',') && parse_end(text))
			goto bad;
	} while (!parse_end(text));
	if (!list.n) {
		place_list_deinit(&list);
		return PLACES_UNKNOWN;
	}
	*ret = list;
	return PLACES_OK;
bad:
	place_list_deinit(&list);
	return PLACES_INVALID;
}

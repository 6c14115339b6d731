/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the list of accepted lines and compares answers with it. */
#include "accepted.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ENTRIES 4096
#define SEPARATOR   " | "

enum field { FIELD_VERDICT, FIELD_ROUTINE, FIELD_SITUATION, FIELD_REASON, FIELD_COUNT };

struct entry {
	char *fields[FIELD_COUNT];
	bool is_used;
};

static struct entry entries[MAX_ENTRIES];
static size_t n_entries;

/* Split @line, which the entry keeps. Returns false unless it has all fields. */
static bool split(char *line, struct entry *ret)
{
	for (int i = 0; i < FIELD_COUNT; i++) {
		char *end = i + 1 < FIELD_COUNT ? strstr(line, SEPARATOR) : line + strlen(line);

		if (!end || end == line)
			return false;
		ret->fields[i] = line;
		line = *end ? end + strlen(SEPARATOR) : end;
		*end = '\0';
	}
	return true;
}

void accepted_read(const char *path)
{
	char *line = NULL;
	size_t room = 0, number = 0;
	FILE *file = fopen(path, "re");

	if (!file)
		target_fail("cannot read %s: %s", path, strerror(errno));
	while (getline(&line, &room, file) >= 0) {
		number++;
		line[strcspn(line, "\n")] = '\0';
		if (!line[0] || line[0] == '#')
			continue;
		char *copy = strdup(line);

		if (n_entries == MAX_ENTRIES)
			target_fail("%s has more than %d entries", path, MAX_ENTRIES);
		if (!copy || !split(copy, &entries[n_entries]))
			target_fail("%s:%zu: not VERDICT | ROUTINE | SITUATION | REASON", path, number);
		n_entries++;
	}
	free(line);
	fclose(file);
}

bool accepted_has(const struct answer *answer)
{
	for (size_t i = 0; i < n_entries; i++) {
		struct entry *entry = &entries[i];

		if (strcmp(entry->fields[FIELD_VERDICT], verdict_names[answer->verdict]) != 0 ||
		    strcmp(entry->fields[FIELD_ROUTINE], answer->line->routine) != 0 ||
		    strcmp(entry->fields[FIELD_SITUATION], answer->line->situation) != 0)
			continue;
		entry->is_used = true;
		return true;
	}
	return false;
}

size_t accepted_report_unused(void)
{
	size_t n = 0;

	for (size_t i = 0; i < n_entries; i++) {
		if (entries[i].is_used)
			continue;
		fprintf(stderr, "ompd_kit: accepted, but it did not occur: %s | %s | %s\n", entries[i].fields[FIELD_VERDICT],
			entries[i].fields[FIELD_ROUTINE], entries[i].fields[FIELD_SITUATION]);
		n++;
	}
	return n;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Formats answers as a table or as JSON, and counts verdicts. */
#include "report.h"

#include <stdio.h>

static enum report_form form;
static size_t counts[VERDICT_COUNT], n_answers;

/* Write the names of the permitted codes. */
static void print_permitted(uint32_t permitted, char *ret, size_t size)
{
	size_t length = 0;

	ret[0] = '\0';
	if (permitted & RC(callback_error) && permitted & RC(incomplete)) {
		snprintf(ret, size, "an error"); /* NOT_OK */
		return;
	}
	for (int code = 0; code <= ompd_rc_incompatible_handle && length < size; code++) {
		if (permitted >> code & 1)
			length += (size_t)snprintf(ret + length, size - length, "%s%s", length ? " or " : "",
						   reply_code_name(code));
	}
}

static void print_json_text(const char *name, const char *text)
{
	printf("\"%s\":\"", name);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else if ((unsigned char)*text < 0x20)
			printf("\\u%04x", (unsigned char)*text);
		else
			putchar(*text);
	}
	printf("\"");
}

static void print_json(const struct answer *answer, const char *permitted, bool is_accepted)
{
	printf("%s\n{", n_answers ? "," : "");
	print_json_text("routine", answer->line->routine);
	putchar(',');
	print_json_text("section", answer->line->section);
	putchar(',');
	print_json_text("situation", answer->line->situation);
	putchar(',');
	print_json_text("required", permitted);
	putchar(',');
	print_json_text("answered", answer->text);
	putchar(',');
	print_json_text("verdict", verdict_names[answer->verdict]);
	printf(",\"accepted\":%s}", is_accepted ? "true" : "false");
}

void report_begin(enum report_form wanted)
{
	form = wanted;
	if (form == REPORT_JSON)
		printf("{\"lines\":[");
}

void report_add(const struct answer *answer, bool is_accepted)
{
	char permitted[160];

	print_permitted(answer->line->permitted, permitted, sizeof(permitted));
	if (form == REPORT_JSON)
		print_json(answer, permitted, is_accepted);
	else if (form == REPORT_TABLE || (form == REPORT_NOT_OK && answer->verdict != VERDICT_OK))
		printf("%-11s %-36s %-9s %s; required: %s; answered: %s%s\n", verdict_names[answer->verdict],
		       answer->line->routine, answer->line->section, answer->line->situation, permitted, answer->text,
		       is_accepted ? " (accepted)" : "");
	counts[answer->verdict]++;
	n_answers++;
	fflush(stdout);
}

void report_end(void)
{
	if (form == REPORT_JSON)
		printf("\n],");
	for (int i = 0; i < VERDICT_COUNT; i++) {
		if (form == REPORT_JSON)
			printf("%s\"%s\":%zu", i ? "," : "\"counts\":{", verdict_names[i], counts[i]);
		else
			printf("%s%zu %s", i ? ", " : "", counts[i], verdict_names[i]);
	}
	printf(form == REPORT_JSON ? "}}\n" : "\n");
}

size_t report_count(enum verdict verdict)
{
	return counts[verdict];
}

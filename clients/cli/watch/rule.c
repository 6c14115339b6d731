/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parsing of rules. */
#include "watch/rule.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "duration.h"
#include "text.h"

#define DEFAULT_FILES	64
#define DEFAULT_BYTES	(INT64_C(64) << 20)
#define DEFAULT_LIMIT_S 60
#define DEFAULT_EVERY_S 600
#define MAX_FILES	INT64_C(100000)
#define MAX_BYTES	(INT64_C(1) << 50)
#define MAX_SECONDS	(366 * 86400.0)
#define MAX_PROFILE_S	3600.0

static const char conditions_hint[] = "conditions: deadlock, barrier>60s, no-progress>5m, metric:NAME>X, metric:NAME<X";
static const char actions_hint[] =
	"actions: keep=DIR, core, profile=10s, push=URL, run=PROGRAM; limits: files=64, size=64M, limit=60s, every=10m";

const char *const watch_metric_names[N_METRICS] = {
	[METRIC_TEAM_THREADS] = "team_threads",	      [METRIC_BUSY_THREADS] = "busy_threads",
	[METRIC_BARRIER_THREADS] = "barrier_threads", [METRIC_BARRIER_SECONDS] = "barrier_seconds",
	[METRIC_CPU_SECONDS] = "cpu_seconds_total",
};

/* Parse a duration above 0 and at most @max seconds. */
static struct error *parse_time(const char *what, const char *text, double max, double *ret)
{
	double seconds = 0;
	struct error *f = duration_parse(what, text, &seconds);

	if (f)
		return f;
	if (!(seconds > 0) || seconds > max)
		return failure_usage(NULL, "%s needs a time above 0 and up to %.0f s, not '%s'", what, max, text);
	*ret = seconds;
	return NULL;
}

/* Parse "metric:NAME>X". */
static struct error *parse_metric(const char *text, struct watch_rule *rule)
{
	const char *name = text + strlen("metric:");
	size_t len = strcspn(name, "<>");
	char *end;

	for (size_t i = 0; i < N_METRICS && name[len]; i++) {
		const char *known = watch_metric_names[i];

		if (strlen(known) != len || strncmp(name, known, len) != 0)
			continue;
		rule->condition = WHEN_METRIC;
		rule->metric = (enum watch_metric)i;
		rule->is_below = name[len] == '<';
		rule->value = strtod(name + len + 1, &end);
		if (end != name + len + 1 && !*end && __builtin_isfinite(rule->value))
			return NULL;
		return failure_usage(NULL, "'%s' needs a number after %c", text, name[len]);
	}
	return failure_usage("metrics: team_threads, busy_threads, barrier_threads, barrier_seconds, cpu_seconds_total",
			     "unknown condition '%s'", text);
}

static struct error *parse_condition(const char *text, struct watch_rule *rule)
{
	static const char barrier[] = "barrier>", no_progress[] = "no-progress>";

	if (!strcmp(text, "deadlock")) {
		rule->condition = WHEN_DEADLOCK;
		return NULL;
	}
	if (!strncmp(text, barrier, strlen(barrier))) {
		rule->condition = WHEN_BARRIER;
		return parse_time("barrier>", text + strlen(barrier), MAX_SECONDS, &rule->seconds);
	}
	if (!strncmp(text, no_progress, strlen(no_progress))) {
		rule->condition = WHEN_NO_PROGRESS;
		return parse_time("no-progress>", text + strlen(no_progress), MAX_SECONDS, &rule->seconds);
	}
	if (!strncmp(text, "metric:", strlen("metric:")))
		return parse_metric(text, rule);
	return failure_usage(conditions_hint, "unknown condition '%s'", text);
}

struct error *watch_rules_add(struct watch_rules *r, const char *text)
{
	struct watch_rule rule = {.max_files = DEFAULT_FILES,
				  .max_bytes = DEFAULT_BYTES,
				  .run_limit_s = DEFAULT_LIMIT_S,
				  .every_s = DEFAULT_EVERY_S};

	if (r->n == RULES_MAX)
		return failure_usage(NULL, "more than %d rules", RULES_MAX);
	struct error *f = parse_condition(text, &rule);
	if (f)
		return f;
	rule.when = text_strdup(text);
	r->items[r->n++] = rule;
	return NULL;
}

/* Parse bytes, with K, M or G behind the number. */
static struct error *parse_bytes(const char *text, int64_t *ret)
{
	static const char units[] = "KMG";
	const char *end = text;
	int64_t n = 0;
	bool is_valid = number_skip(&end, MAX_BYTES, &n);
	const char *unit = *end ? strchr(units, *end) : NULL;
	int shift = unit ? 10 * (int)(unit - units + 1) : 0;

	if (!is_valid || (unit && end[1]) || (*end && !unit) || n < 1 || n > MAX_BYTES >> shift)
		return failure_usage(NULL, "size= needs bytes such as 65536, 512K, 64M or 1G, not '%s'", text);
	*ret = n << shift;
	return NULL;
}

static struct error *parse_files(const char *text, int64_t *ret)
{
	if (number_parse(text, 1, MAX_FILES, ret))
		return NULL;
	return failure_usage(NULL, "files= " NUMBER_MUST_BE ", not '%s'", INT64_C(1), MAX_FILES, text);
}

static struct error *set_text(const char *what, const char *text, char **ret)
{
	if (!*text)
		return failure_usage(actions_hint, "%s needs a value", what);
	free(*ret);
	*ret = text_strdup(text);
	return NULL;
}

struct error *watch_rules_extend(struct watch_rules *r, const char *text)
{
	const char *value = strchr(text, '=');

	if (!r->n)
		return failure_usage("--when CONDITION comes first", "'%s' belongs to no condition", text);
	struct watch_rule *rule = &r->items[r->n - 1];
	if (!strcmp(text, "core")) {
		rule->core = 1;
		return NULL;
	}
	if (!value)
		return failure_usage(actions_hint, "unknown action '%s'", text);
	size_t len = (size_t)(value++ - text);
#define IS(name) (len == strlen(name) && !strncmp(text, name, len))
	if (IS("keep"))
		return set_text("keep=", value, &rule->keep);
	if (IS("run"))
		return set_text("run=", value, &rule->run);
	if (IS("push"))
		return set_text("push=", value, &rule->push);
	if (IS("profile"))
		return parse_time("profile=", value, MAX_PROFILE_S, &rule->profile_s);
	if (IS("files"))
		return parse_files(value, &rule->max_files);
	if (IS("size"))
		return parse_bytes(value, &rule->max_bytes);
	if (IS("limit"))
		return parse_time("limit=", value, MAX_SECONDS, &rule->run_limit_s);
	if (IS("every"))
		return parse_time("every=", value, MAX_SECONDS, &rule->every_s);
#undef IS
	return failure_usage(actions_hint, "unknown action '%s'", text);
}

/* Add the rule of one line; an empty line has none. */
static struct error *read_line(struct watch_rules *r, char *line)
{
	size_t n_words = 0, n_actions = 0;
	struct error *f = NULL;
	char *rest = line, *word;

	while (!f && (word = strsep(&rest, " \t\r"))) {
		if (!*word)
			continue;
		if (*word == '#')
			break;
		n_words++;
		if ((n_words == 1 && strcmp(word, "when") != 0) || (n_words == 3 && strcmp(word, "then") != 0))
			return failure_usage("write: when CONDITION then ACTION...", "expected '%s' before '%s'",
					     n_words == 1 ? "when" : "then", word);
		if (n_words == 2)
			f = watch_rules_add(r, word);
		else if (n_words > 3)
			f = watch_rules_extend(r, word);
		n_actions += n_words > 3;
	}
	if (!f && n_words && !n_actions)
		return failure_usage("write: when CONDITION then ACTION...", "the rule has no action");
	return f;
}

static struct error *read_text(const char *path, char **ret)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd >= 0 && !fstat(fd, &st) && !S_ISREG(st.st_mode)) {
		close(fd);
		return failure_usage(NULL, "cannot read the rules in %s: not a regular file", path);
	}
	*ret = fd >= 0 ? text_read(fd, (size_t)RULES_MAX * RULES_MAX_LINE) : NULL;
	struct error *f = *ret ? NULL : failure_usage(NULL, "cannot read the rules in %s: %m", path);
	if (fd >= 0)
		close(fd);
	return f;
}

struct error *watch_rules_read(struct watch_rules *r, const char *path)
{
	char *text = NULL, *rest, *line;
	struct error *f = read_text(path, &text);
	int number = 0;

	for (rest = text; !f && (line = strsep(&rest, "\n"));) {
		number++;
		f = read_line(r, line);
		if (f)
			f = error_wrap(f, "%s:%d", path, number);
	}
	free(text);
	return f;
}

struct error *watch_rules_check(const struct watch_rules *r)
{
	if (!r->n)
		return failure_usage("for example: ompdctl watch PID --when deadlock --then keep=hangs",
				     "watch needs a rule: --when CONDITION --then ACTION, or --rules FILE");
	for (size_t i = 0; i < r->n; i++) {
		const struct watch_rule *rule = &r->items[i];

		if (rule->profile_s > 0 && !rule->keep && !rule->push)
			return failure_usage("add keep=DIR", "when %s: profile= needs a folder", rule->when);
		if (rule->core && !rule->keep)
			return failure_usage("add keep=DIR", "when %s: core needs a folder", rule->when);
		if (rule->push && !(rule->profile_s > 0))
			return failure_usage("add profile=10s", "when %s: push= needs a profile", rule->when);
		if (!rule->keep && !rule->run && !rule->push)
			return failure_usage(actions_hint, "when %s: the rule has no action", rule->when);
	}
	return NULL;
}

void watch_rules_deinit(struct watch_rules *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->items[i].when);
		free(r->items[i].keep);
		free(r->items[i].run);
		free(r->items[i].push);
	}
	*r = (struct watch_rules){0};
}

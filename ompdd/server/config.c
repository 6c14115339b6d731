/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads ompdd.conf(5). Refuses each line that it does not understand: an administrator may rely on that line. */
#include "server/config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "server/address.h"
#include "server/allow.h"
#include "base/secure_path.h"
#include "server/rules.h"
#include "server/settings.h"

/* The maximum number of settings; they are counted by their index in the list. */
#define MAX_SETTINGS 64

static struct error *open_file(const char *path, int *ret, size_t *size_ret)
{
	char resolved[PATH_MAX];
	struct stat st;
	struct error *err = secure_path_resolve(path, resolved);

	if (err)
		return err;
	_cleanup_close_ int fd = open(resolved, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	if (fd < 0 || fstat(fd, &st))
		return error_create_errno(errno, "%s", path);
	if (!S_ISREG(st.st_mode))
		return error_create(ERR_INVALID_PARAMS, "%s is not a regular file", path);
	if ((st.st_uid != 0 && st.st_uid != geteuid()) || st.st_mode & (S_IWGRP | S_IWOTH))
		return error_hint(error_create(ERR_UNAUTHORIZED, "%s is writable by other users (uid %u, mode %04o)",
					       path, st.st_uid, st.st_mode & 07777),
				  "make root or yourself its owner (chown), and run chmod go-w %s", path);
	if (st.st_size > CONFIG_MAX_SIZE)
		return error_create(ERR_LIMIT_EXCEEDED, "%s is longer than %d bytes", path, CONFIG_MAX_SIZE);
	*size_ret = (size_t)st.st_size;
	*ret = fd;
	fd = -1;
	return NULL;
}

static struct error *read_file(const char *path, char **ret)
{
	_cleanup_close_ int fd = -1;
	size_t size = 0, len = 0;
	ssize_t n;

	struct error *err = open_file(path, &fd, &size);
	if (err)
		return err;
	_cleanup_free_ char *text = malloc(size + 1);
	if (!text)
		return &error_nomem;
	while (len < size && (n = read(fd, text + len, size - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	if (strlen(text) != len)
		return error_create(ERR_INVALID_PARAMS, "%s is not a text file: it has a zero byte", path);
	*ret = no_cleanup(text);
	return NULL;
}

/* Check values whose errors would otherwise be detected too late, or without a line number. */
static struct error *check_value(const struct setting *s, const char *value)
{
	struct allow_users users = {.n = 0};
	struct allow_rule rule;
	struct address address;
	enum method_tier tier;
	size_t len;
	gid_t gid;

	if (!strcmp(s->name, "allow"))
		return allow_parse(value, &rule);
	if (!strcmp(s->name, "metrics-for"))
		return allow_add_users(value, &users);
	if (!strcmp(s->name, "socket-group"))
		return allow_find_group(value, &gid);
	if (!strcmp(s->name, "rule"))
		return rules_check(value);
	if (strcmp(s->name, "listen") != 0)
		return NULL;
	struct error *err = allow_split_uri(value, &len, &tier);
	if (err)
		return err;
	_cleanup_free_ char *uri = strndup(value, len);
	return uri ? address_parse(uri, &address) : &error_nomem;
}

/* Remove blanks at both ends of @text, in place. */
static char *trim_text(char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	size_t len = strlen(text);
	while (len && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	return text;
}

static struct error *refuse_name(const char *name)
{
	const char *near = settings_nearest(name);
	struct error *err = error_create(ERR_INVALID_PARAMS, "no such setting: \"%.64s\"", name);

	return near ? error_hint(err, "did you mean \"%s\"? ompdd.conf(5) lists all settings", near)
		    : error_hint(err, "ompdd.conf(5) lists all settings");
}

/* Apply one line of the file. @first: the line of each setting's first value. */
static struct error *take_line(char *line, int number, int first[MAX_SETTINGS], struct server_options *o)
{
	size_t n;

	line = trim_text(line);
	if (!*line || *line == '#')
		return NULL;
	char *value = strchr(line, '=');
	if (!value)
		return error_hint(error_create(ERR_INVALID_PARAMS, "the line has no \"=\""),
				  "write NAME = VALUE; comments start with #");
	*value++ = '\0';
	line = trim_text(line);
	value = trim_text(value);
	const struct setting *s = settings_find(line);
	if (!s)
		return refuse_name(line);
	int *seen = &first[s - settings_list(&n)];
	if (*seen && !s->is_list)
		return error_hint(error_create(ERR_INVALID_PARAMS, "%s is set in line %d already", s->name, *seen),
				  "only lists may have several lines");
	*seen = number;
	struct error *err = settings_apply(s, value, o);
	return err ? err : check_value(s, value);
}

struct error *config_read(const char *path, struct server_options *o, char **text_ret)
{
	int first[MAX_SETTINGS] = {0}, number = 0;
	char *rest;

	*text_ret = NULL;
	struct error *err = read_file(path, text_ret);
	if (err)
		return err;
	rest = *text_ret;
	while (rest && !err) {
		char *line = strsep(&rest, "\n");

		number++;
		err = take_line(line, number, first, o);
	}
	if (!err)
		return NULL;
	_cleanup_error_ struct error *why = err;
	err = error_create(why->code, "%s:%d: %s", path, number, why->message);
	return why->hint ? error_hint(err, "%s", why->hint) : err;
}

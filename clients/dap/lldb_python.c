/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* PYTHONPATH for lldb's adapter, and without it for the debugged program. */
#include "lldb_python.h"

#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format.h"
#include "text.h"

#define VARIABLE "PYTHONPATH"

extern char **environ;

/* Return the folder of the package lldb in the LLVM that has @program, as /usr/lib/llvm-14/bin/lldb-vscode; NULL: none.
 * The caller frees it. */
static char *find_folder(const char *program)
{
	char *real = realpath(program, NULL), *end = real ? strstr(real, "/bin/lldb-") : NULL, *folder = NULL;
	struct buf t = {0};
	glob_t found = {0};

	if (end) {
		text_add_bytes(&t, real, (size_t)(end - real));
		text_add(&t, "/lib/python3*/dist-packages/lldb/__init__.py");
		if (!glob(t.data, 0, NULL, &found) && found.gl_pathc) {
			const char *last = found.gl_pathv[found.gl_pathc - 1];

			folder = text_strdup(last);
			folder[strlen(last) - strlen("/lldb/__init__.py")] = 0;
		}
		globfree(&found);
	}
	buf_deinit(&t);
	free(real);
	return folder;
}

char **lldb_python_environment(const char *program, char **owned_ret)
{
	const char *before = getenv(VARIABLE);
	char *folder = find_folder(program), **variables;
	struct buf t = {0};
	size_t n = 0, k = 0;

	if (!folder)
		return NULL;
	text_printf(&t, VARIABLE "=%s%s%s", folder, before && *before ? ":" : "", before ? before : "");
	free(folder);
	while (environ[n])
		n++;
	variables = text_calloc(n + 2, sizeof(*variables));
	for (size_t i = 0; i < n; i++) {
		if (strncmp(environ[i], VARIABLE "=", strlen(VARIABLE "=")) != 0)
			variables[k++] = environ[i];
	}
	variables[k] = *owned_ret = text_take(&t);
	return variables;
}

char *lldb_python_restore_command(void)
{
	const char *own = getenv(VARIABLE);
	struct buf t = {0};

	/* The backtick is the adapter's prefix of a command. */
	if (own && *own && !strpbrk(own, "\"\\\n"))
		text_printf(&t, "`settings append target.env-vars \"" VARIABLE "=%s\"", own);
	else
		text_add(&t, "`settings append target.unset-env-vars " VARIABLE);
	return text_take(&t);
}

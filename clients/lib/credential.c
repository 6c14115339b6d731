/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* MUNGE credentials by the program munge(1), so that ompdctl does not need libmunge. */
#include "credential.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <json-c/json.h>

#define SCHEME	       "munge"
#define MAX_CREDENTIAL (64U << 10)

extern char **environ;

int credential_is_requested(void)
{
	const char *auth = getenv("OMPDD_AUTH");

	return auth && (!strcmp(auth, SCHEME) || !strncmp(auth, SCHEME ":/", strlen(SCHEME ":/")));
}

/* Return the first line that @argv prints; NULL: it cannot be run, or fails. The caller frees it. */
static char *run_munge(char **argv)
{
	posix_spawn_file_actions_t actions;
	struct buf t = {0};
	char chunk[1024];
	int fds[2], status = -1;
	pid_t pid;
	ssize_t n;

	if (pipe2(fds, O_CLOEXEC))
		return NULL;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
	int code = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	while (!code && t.len < MAX_CREDENTIAL && ((n = read(fds[0], chunk, sizeof(chunk))) > 0 || errno == EINTR)) {
		if (n > 0)
			error_destroy(buf_append(&t, chunk, (size_t)n));
	}
	close(fds[0]);
	while (!code && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status || !t.len) {
		buf_deinit(&t);
		return NULL;
	}
	t.data[strcspn(t.data, "\r\n")] = 0;
	return t.data;
}

char *credential_make(const char *challenge)
{
	char *socket = strchr(getenv("OMPDD_AUTH"), ':');
	char *argv[] = {(char *)"munge",
			(char *)"--string",
			(char *)challenge,
			socket ? (char *)"--socket" : NULL,
			socket ? socket + 1 : NULL,
			NULL};

	return run_munge(argv);
}

struct error *credential_show(struct rpc *rpc)
{
	struct json_object *result, *challenge;
	struct error *f = rpc_wait(rpc, rpc_request(rpc, "rpc.authenticate", NULL), &result);

	if (f)
		return f;
	char *credential = json_object_object_get_ex(result, "challenge", &challenge)
				   ? credential_make(json_object_get_string(challenge))
				   : NULL;
	json_object_put(result);
	if (!credential)
		return failure_create(ERR_CONNECT, "no_credential", "munge -n | unmunge shows the reason",
				      "munge cannot create a credential");
	f = rpc_wait(rpc, rpc_request_text(rpc, "rpc.authenticate", "munge", credential), NULL);
	free(credential);
	return f;
}

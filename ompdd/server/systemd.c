/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Implements the service interface with libsystemd; without libsystemd the functions do nothing. */
#include "server/systemd.h"

#include <stdlib.h>
#include <string.h>

#ifdef OMPDD_HAVE_SYSTEMD
#include <inttypes.h>
#include <stdio.h>
#include <systemd/sd-daemon.h>

#include "base/clock.h"
#include "base/log.h"

/* One block, so that the caller frees it with one free(). */
static char **join_names(char **names, int n)
{
	size_t size = (size_t)n * sizeof(char *);

	for (int i = 0; i < n; i++)
		size += strlen(names[i]) + 1;
	char **block = malloc(size);
	char *at = (char *)(block + n);
	for (int i = 0; block && i < n; i++) {
		size_t len = strlen(names[i]) + 1;

		block[i] = memcpy(at, names[i], len);
		at += len;
	}
	return block;
}

struct error *systemd_take_sockets(struct systemd_sockets *ret)
{
	char **names = NULL;
	int n = sd_listen_fds_with_names(1, &names);

	*ret = (struct systemd_sockets){.first_fd = SD_LISTEN_FDS_START};
	if (n < 0)
		return error_create(ERR_INVALID_PARAMS, "LISTEN_FDS and LISTEN_FDNAMES: %s", strerror(-n));
	if (n == 0)
		return NULL;
	ret->names = join_names(names, n);
	ret->n = n;
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return ret->names ? NULL : &error_nomem;
}

/* Only log a failure: systemd is the only one that waits for the notification. */
static void notify_manager(const char *text)
{
	int rc = sd_notify(0, text);

	if (rc < 0)
		log_warn("cannot notify systemd of %s: %s", text, strerror(-rc));
}

void systemd_ready(void)
{
	notify_manager("READY=1");
}

void systemd_reloading(void)
{
	char text[64];

	/* systemd identifies the reload by this time. */
	snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%" PRId64, clock_now_us());
	notify_manager(text);
}

void systemd_stopping(void)
{
	notify_manager("STOPPING=1");
}

#else

struct error *systemd_take_sockets(struct systemd_sockets *ret)
{
	*ret = (struct systemd_sockets){0};
	return NULL;
}

void systemd_ready(void)
{
}

void systemd_reloading(void)
{
}

void systemd_stopping(void)
{
}
#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls libmunge and checks its answers. */
#include "server/credential.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#ifdef OMPDD_HAVE_MUNGE
#include <munge.h>
#endif

#define SCHEME "munge"

struct error *credential_begin(const char *spec, struct credential_checker *ret)
{
	size_t len = strcspn(spec, ":");
	unsigned char random[(sizeof(ret->challenge) - 1) / 2];

	if (len != strlen(SCHEME) || strncmp(spec, SCHEME, len) || (spec[len] && spec[len + 1] != '/'))
		return error_hint(error_create(ERR_INVALID_PARAMS, "unknown value of --auth: %s", spec),
				  "use --auth munge, or --auth munge:SOCKET with the absolute path of munged's socket");
#ifndef OMPDD_HAVE_MUNGE
	return error_hint(error_create(ERR_UNAUTHORIZED, "this ompdd was built without MUNGE"),
			  "install libmunge-dev and build ompdd again, or use --token-file");
#endif
	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return error_create_errno(errno, "getrandom");
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(ret->challenge + 2 * i, 3, "%02x", random[i]);
	ret->socket = spec[len] ? spec + len + 1 : NULL;
	return NULL;
}

#ifdef OMPDD_HAVE_MUNGE

struct error *credential_check(const struct credential_checker *c, const char *credential)
{
	munge_ctx_t context = munge_ctx_create();
	struct error *err = NULL;
	void *payload = NULL;
	int len = 0;
	uid_t uid = (uid_t)-1;
	gid_t gid;

	if (!context)
		return &error_nomem;
	munge_err_t rc = c->socket ? munge_ctx_set(context, MUNGE_OPT_SOCKET, c->socket) : EMUNGE_SUCCESS;
	if (rc == EMUNGE_SUCCESS)
		rc = munge_decode(credential, context, &payload, &len, &uid, &gid);
	if (rc != EMUNGE_SUCCESS)
		err = error_create(ERR_UNAUTHORIZED, "the MUNGE credential is refused: %s", munge_strerror(rc));
	else if (len != (int)strlen(c->challenge) || memcmp(payload, c->challenge, (size_t)len))
		err = error_create(ERR_UNAUTHORIZED, "the MUNGE credential was created for another purpose");
	else if (uid != geteuid() && uid != 0)
		err = error_create(ERR_UNAUTHORIZED, "the MUNGE credential belongs to uid %u, this ompdd to uid %u",
				   uid, geteuid());
	if (err)
		err = error_hint(err,
				 "create one with munge for the challenge that rpc.authenticate without parameters "
				 "returns, and send it once");
	free(payload);
	munge_ctx_destroy(context);
	return err;
}

#else

struct error *credential_check(const struct credential_checker *c, const char *credential)
{
	(void)c;
	(void)credential;
	return error_create(ERR_UNAUTHORIZED, "this ompdd was built without MUNGE");
}

#endif

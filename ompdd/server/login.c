/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Becomes another user. A launched program must not inherit the daemon's rights. A folder that the user cannot reach is
 * open to relative paths. A raised limit and the protection from the OOM killer are rights, too.
 */
#include "server/login.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

#define LOGIN_UMASK 022
/* The kernel's maximum number of groups. */
#define MAX_GROUPS 65536

/* The limits of an unconfigured login on Debian; no limit rises above the daemon's. */
static const struct {
	int resource;
	rlim_t soft, hard;
} limits[] = {
	{RLIMIT_CORE, 0, RLIM_INFINITY},
	{RLIMIT_NOFILE, 1024, 1048576},
	{RLIMIT_STACK, 8 << 20, RLIM_INFINITY},
	{RLIMIT_MEMLOCK, 8 << 20, 8 << 20},
	{RLIMIT_MSGQUEUE, 819200, 819200},
	{RLIMIT_NICE, 0, 0},
	{RLIMIT_RTPRIO, 0, 0},
	{RLIMIT_AS, RLIM_INFINITY, RLIM_INFINITY},
	{RLIMIT_DATA, RLIM_INFINITY, RLIM_INFINITY},
	{RLIMIT_RSS, RLIM_INFINITY, RLIM_INFINITY},
	{RLIMIT_FSIZE, RLIM_INFINITY, RLIM_INFINITY},
	{RLIMIT_CPU, RLIM_INFINITY, RLIM_INFINITY},
	{RLIMIT_LOCKS, RLIM_INFINITY, RLIM_INFINITY},
	{RLIMIT_RTTIME, RLIM_INFINITY, RLIM_INFINITY},
};

static bool set_limits(void)
{
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct rlimit has;

		if (getrlimit((__rlimit_resource_t)limits[i].resource, &has))
			return false;
		struct rlimit r = {limits[i].soft, limits[i].hard < has.rlim_max ? limits[i].hard : has.rlim_max};
		if (r.rlim_cur > r.rlim_max)
			r.rlim_cur = r.rlim_max;
		if (setrlimit((__rlimit_resource_t)limits[i].resource, &r))
			return false;
	}
	return true;
}

/*
 * Drop the daemon's scheduling priority and its protection from the OOM killer. Keep values that are worse than normal.
 */
static bool set_priority(void)
{
	const struct sched_param none = {0};
	char text[16] = "";

	if (sched_getscheduler(0) != SCHED_OTHER && sched_setscheduler(0, SCHED_OTHER, &none))
		return false;
	errno = 0;
	if (getpriority(PRIO_PROCESS, 0) < 0 && setpriority(PRIO_PROCESS, 0, 0))
		return false;
	_cleanup_close_ int fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT; /* no /proc: nothing can be read or set */
	if (read(fd, text, sizeof(text) - 1) < 0)
		return false;
	return text[0] != '-' || pwrite(fd, "0", 1, 0) == 1;
}

static bool set_groups(gid_t gid, const struct passwd *pw)
{
	gid_t own = gid;
	int n = 64;

	/* A user without a name has no other groups. */
	if (!pw->pw_name)
		return !setgroups(1, &own);
	for (;;) {
		_cleanup_free_ gid_t *groups = calloc((size_t)n, sizeof(*groups));
		int found = n;

		if (!groups)
			return false;
		if (getgrouplist(pw->pw_name, gid, groups, &found) >= 0)
			return !setgroups((size_t)found, groups);
		if (n >= MAX_GROUPS) {
			errno = E2BIG;
			return false;
		}
		n = found > n && found <= MAX_GROUPS ? found : MAX_GROUPS;
	}
}

bool login_as(uid_t uid, gid_t gid, const struct passwd *pw)
{
	if (setsid() < 0 || !set_limits() || !set_priority())
		return false;
	umask(LOGIN_UMASK);
	/* Without kernel keyrings (ENOSYS, or EPERM in a container) there are no keys to drop. */
	syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
	if (!set_groups(gid, pw) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		return false;
	/* Uses the user's own rights. */
	return (pw->pw_dir && *pw->pw_dir == '/' && chdir(pw->pw_dir) == 0) || chdir("/") == 0;
}

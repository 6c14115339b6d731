/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Target constructs, and leagues of teams. The only device is the host, so mapping, updating and unmapping do nothing.
 * Their dependences count. The teams of a league run one after the other. The numbers are those of gcc's
 * gomp-constants.h.
 */
#include "abi/abi.h"

#include <limits.h>
#include <stdlib.h>

#include "core/state/icv.h"
#include "core/state/task.h"
#include "core/team/league.h"
#include "core/team/registration.h"
#include "core/team/target.h"
#include "omp-tools.h"
#include "os/memory.h"

enum {
	FLAG_NOWAIT = 1,
	FLAG_EXIT_DATA = 2,
	KIND_MASK = 0xff,
	KIND_FIRSTPRIVATE = 12, /* GOMP_MAP_FIRSTPRIVATE */
	KIND_ATTACH = 0x50,	/* GOMP_MAP_ATTACH */
	KIND_ALIGN_SHIFT = 8,
	ARG_SUBSEQUENT = 1 << 7, /* the value is the next word */
	ARG_ID_MASK = 0xff << 8,
	ARG_THREAD_LIMIT = 2 << 8,
	ARG_VALUE_SHIFT = 16,
	ON_STACK_MAX = 256,
};

/* Returns thread_limit from the launch arguments @args, which end with NULL. 0: not set. */
static uint32_t get_thread_limit(void **args)
{
	for (; args && *args; args++) {
		intptr_t arg = (intptr_t)*args, value = arg >> ARG_VALUE_SHIFT;

		if (arg & ARG_SUBSEQUENT)
			value = (intptr_t) * ++args;
		if ((arg & ARG_ID_MASK) == ARG_THREAD_LIMIT && value > 0)
			return value > INT32_MAX ? INT32_MAX : (uint32_t)value;
	}
	return 0;
}

/*
 * gcc 16's Fortran: a descriptor and its data are firstprivate, and an attach entry behind the data is the address of
 * the descriptor's argument. The copy of the descriptor then leads to the copy of the data.
 */
static bool is_attach_of_copies(const struct target_region *region, const uint8_t *align, size_t i,
				const unsigned short *kinds)
{
	uintptr_t offset = (uintptr_t)region->args[i] - (uintptr_t)region->args;
	size_t descriptor = offset / sizeof(void *);

	return (kinds[i] & KIND_MASK) == KIND_ATTACH && i > 0 && TARGET_IS_COPIED(align[i - 1]) && descriptor < i &&
	       offset % sizeof(void *) == 0 && TARGET_IS_COPIED(align[descriptor]) &&
	       region->sizes[descriptor] >= sizeof(void *);
}

static void launch_region(struct thread *t, struct target_region *region, const unsigned short *kinds, unsigned flags,
			  void **depend)
{
	uint8_t small[ON_STACK_MAX], *align = small;
	bool copies = false;

	if (region->n > ON_STACK_MAX)
		align = memory_alloc(region->n);
	for (size_t i = 0; i < region->n; i++) {
		align[i] = TARGET_NOT_COPIED;
		if ((kinds[i] & KIND_MASK) == KIND_FIRSTPRIVATE && region->args[i]) {
			align[i] = (uint8_t)((kinds[i] >> KIND_ALIGN_SHIFT) + 1);
			copies = true;
		} else if (is_attach_of_copies(region, align, i, kinds)) {
			align[i] = TARGET_ATTACHED;
		}
	}
	region->align = copies ? align : NULL;
	if (flags & FLAG_NOWAIT)
		target_spawn(t, region, depend, true);
	else if (depend)
		target_spawn(t, region, depend, false);
	else
		target_run(t, region);
	if (align != small)
		free(align);
}

ABI void GOMP_target_ext(int device, gomp_fn fn, size_t n, void **addresses, size_t *sizes, unsigned short *kinds,
			 unsigned flags, void **depend, void **args)
{
	struct thread *t = thread_self();
	struct target_region region = {.fn = fn,
				       .args = addresses,
				       .sizes = sizes,
				       .n = n,
				       .thread_limit = get_thread_limit(args),
				       .site = SITE_HERE()};

	target_check_device(t, device);
	launch_region(t, &region, kinds, flags, depend);
}

/* gcc 4.9. */
ABI void GOMP_target(int device, gomp_fn fn, const void *unused, size_t n, void **addresses, size_t *sizes,
		     unsigned char *kinds)
{
	struct thread *t = thread_self();
	struct target_region region = {.fn = fn, .args = addresses, .sizes = sizes, .n = n, .site = SITE_HERE()};

	(void)unused;
	(void)kinds;
	target_check_device(t, device);
	target_run(t, &region);
}

/* A construct @kind that moves data. Only its order among the tasks matters. */
static void move_data(int device, ompt_target_t kind, unsigned flags, void **depend, struct site site)
{
	struct thread *t = thread_self();

	target_check_device(t, device);
	target_order(t, flags & FLAG_NOWAIT ? kind + (ompt_target_nowait - ompt_target) : kind, depend,
		     flags & FLAG_NOWAIT, site);
}

ABI void GOMP_target_data_ext(int device, size_t n, void **addresses, size_t *sizes, unsigned short *kinds)
{
	(void)n;
	(void)addresses;
	(void)sizes;
	(void)kinds;
	move_data(device, ompt_target_enter_data, 0, NULL, SITE_HERE());
}

ABI void GOMP_target_data(int device, const void *unused, size_t n, void **addresses, size_t *sizes,
			  unsigned char *kinds)
{
	(void)unused;
	(void)n;
	(void)addresses;
	(void)sizes;
	(void)kinds;
	move_data(device, ompt_target_enter_data, 0, NULL, SITE_HERE());
}

ABI void GOMP_target_end_data(void)
{
	target_order(thread_self(), ompt_target_exit_data, NULL, false, SITE_HERE());
}

ABI void GOMP_target_update_ext(int device, size_t n, void **addresses, size_t *sizes, unsigned short *kinds,
				unsigned flags, void **depend)
{
	(void)n;
	(void)addresses;
	(void)sizes;
	(void)kinds;
	move_data(device, ompt_target_update, flags, depend, SITE_HERE());
}

ABI void GOMP_target_update(int device, const void *unused, size_t n, void **addresses, size_t *sizes,
			    unsigned char *kinds)
{
	(void)unused;
	(void)n;
	(void)addresses;
	(void)sizes;
	(void)kinds;
	move_data(device, ompt_target_update, 0, NULL, SITE_HERE());
}

ABI void GOMP_target_enter_exit_data(int device, size_t n, void **addresses, size_t *sizes, unsigned short *kinds,
				     unsigned flags, void **depend)
{
	(void)n;
	(void)addresses;
	(void)sizes;
	(void)kinds;
	move_data(device, flags & FLAG_EXIT_DATA ? ompt_target_exit_data : ompt_target_enter_data, flags, depend,
		  SITE_HERE());
}

/* Returns the host's address of a function that is called indirectly in a target region. */
ABI void *GOMP_target_map_indirect_ptr(void *function)
{
	return function;
}

/* Device code of a program or library. No device needs it. */
ABI void GOMP_offload_register_ver(unsigned version, const void *host_table, int type, const void *data)
{
	(void)version;
	(void)host_table;
	(void)type;
	(void)data;
	target_note_image();
}

ABI void GOMP_offload_unregister_ver(unsigned version, const void *host_table, int type, const void *data)
{
	(void)version;
	(void)host_table;
	(void)type;
	(void)data;
}

ABI void GOMP_offload_register(const void *host_table, int type, const void *data)
{
	(void)host_table;
	(void)type;
	(void)data;
	target_note_image();
}

ABI void GOMP_offload_unregister(const void *host_table, int type, const void *data)
{
	(void)host_table;
	(void)type;
	(void)data;
}

/* Without an enclosing target region. */
ABI void GOMP_teams_reg(gomp_fn fn, void *data, unsigned num_teams, unsigned thread_limit, unsigned flags)
{
	struct thread *t = thread_self();
	struct site site = SITE_HERE();

	(void)flags;
	if (!num_teams)
		num_teams = league_default_size();
	if (!thread_limit)
		thread_limit = icv_process.teams_thread_limit;
	league_begin(t, num_teams, site);
	for (unsigned i = 0; i < num_teams; i++) {
		league_begin_team(t, fn, data, i, num_teams, thread_limit, site);
		fn(data);
		league_end_team(t);
	}
	league_end(t, site);
}

/* At the start of a target region, gcc 4.9 to 11. There is one team. */
ABI void GOMP_teams(unsigned num_teams, unsigned thread_limit)
{
	(void)num_teams;
	league_resize(thread_self(), 0, 1, thread_limit);
}

/* In a target region, gcc 12: called before each of its teams. Returns false after the last team. */
ABI bool GOMP_teams4(unsigned num_teams_low, unsigned num_teams_high, unsigned thread_limit, bool first)
{
	(void)num_teams_low;
	return league_next(thread_self(), num_teams_high ? num_teams_high : 1, thread_limit, first, SITE_HERE());
}

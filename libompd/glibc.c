/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Thread pointers and thread ids of glibc. */
#include "glibc.h"

#include <stddef.h>
#include <string.h>

#include "callbacks.h"
#include "code/decode.h"
#include "code/pattern.h"

#define ERRNO_SIZE     256
#define MAX_LWP_OFFSET 65536

/* Read the offset of @name from a descriptor for libthread_db: {bits, elements, offset}. */
static bool read_offset(ompd_address_space_context_t *context, const char *name, uint32_t bits, uint32_t *ret)
{
	uint32_t descriptor[3];
	ompd_addr_t address;

	if (cb_symbol(context, NULL, name, NULL, &address) != ompd_rc_ok ||
	    cb_read(context, address, sizeof(descriptor), descriptor) != ompd_rc_ok ||
	    (bits && descriptor[0] != bits) || descriptor[1] != 1 || descriptor[2] > MAX_LWP_OFFSET)
		return false;
	*ret = descriptor[2];
	return true;
}

ompd_rc_t glibc_behind(ompd_address_space_context_t *context, uint32_t *ret)
{
	*ret = 0;
	/* The first word of the control block is the address of the dtv. */
	return !decode_arch->pointer_is_behind || read_offset(context, "_thread_db_pthread_dtvp", 0, ret)
		       ? ompd_rc_ok
		       : ompd_rc_unavailable;
}

void glibc_read(ompd_address_space_context_t *context, struct code_walk *walk, struct glibc *ret)
{
	struct code_value value;
	ompd_addr_t address;

	*ret = (struct glibc){0};
	ret->has_lwp = glibc_behind(context, &ret->behind) == ompd_rc_ok &&
		       read_offset(context, "_thread_db_pthread_tid", 32, &ret->lwp_offset);
	if (cb_symbol(context, NULL, "__errno_location", NULL, &address) == ompd_rc_ok &&
	    pattern_walk(walk, context, NULL, address, ERRNO_SIZE, CODE_ALL_PATHS) &&
	    pattern_find(walk, (struct pattern){CODE_RETURN, CODE_TLS, 0, 8, 0, 0}, &value)) {
		ret->errno_base = value.offset[0];
		ret->has_errno_base = true;
	}
}

ompd_rc_t glibc_check_kind(ompd_thread_id_t kind, ompd_size_t size)
{
	if (kind == OMPD_THREAD_ID_PTHREAD)
		return size == sizeof(uint64_t) ? ompd_rc_ok : ompd_rc_bad_input;
	if (kind == OMPD_THREAD_ID_LWP)
		return size == sizeof(uint32_t) || size == sizeof(uint64_t) ? ompd_rc_ok : ompd_rc_bad_input;
	return ompd_rc_unsupported;
}

/*
 * Check the thread descriptor, where the control block itself proves nothing. It holds the kernel's
 * id, then the list of robust mutexes in the kernel's form. An empty list starts with its own
 * address, any other list with another address.
 */
static bool is_descriptor(ompd_address_space_context_t *context, const struct glibc *glibc, ompd_addr_t thread_pointer)
{
	struct {
		int32_t id, unused;
		uint64_t previous, next;
	} part;
	ompd_addr_t at = thread_pointer - glibc->behind + glibc->lwp_offset;

	return glibc->has_lwp && cb_read(context, at, sizeof(part), &part) == ompd_rc_ok && part.id >= 0 &&
	       (part.previous == at + offsetof(__typeof(part), next) ? part.next == part.previous
								     : part.previous && part.next != part.previous);
}

ompd_rc_t glibc_check_tcb(ompd_address_space_context_t *context, ompd_addr_t thread_pointer)
{
	uint8_t tcb[DECODE_TCB_SIZE];

	return cb_read(context, thread_pointer, sizeof(tcb), tcb) == ompd_rc_ok && decode_is_tcb(tcb, thread_pointer)
		       ? ompd_rc_ok
		       : ompd_rc_bad_input;
}

ompd_rc_t glibc_check_thread(ompd_address_space_context_t *context, const struct glibc *glibc,
			     ompd_addr_t thread_pointer)
{
	RC_TRY(glibc_check_tcb(context, thread_pointer));
	return !decode_arch->pointer_is_behind || is_descriptor(context, glibc, thread_pointer) ? ompd_rc_ok
												: ompd_rc_bad_input;
}

ompd_rc_t glibc_thread_pointer(ompd_address_space_context_t *context, const struct glibc *glibc,
			       ompd_thread_context_t *thread, ompd_addr_t *ret)
{
	static const char *const files[] = {NULL, "libc.so.6"};
	ompd_addr_t address;

	for (size_t i = 0; glibc->has_errno_base && i < sizeof(files) / sizeof(files[0]); i++) {
		/*
		 * The dynamic linker has its own errno. Only the right errno leads to a thread
		 * control block.
		 */
		if (cb_symbol(context, thread, "errno", files[i], &address) != ompd_rc_ok)
			continue;
		address -= (uint64_t)glibc->errno_base;
		if (glibc_check_thread(context, glibc, address) == ompd_rc_ok) {
			*ret = address;
			return ompd_rc_ok;
		}
	}
	return ompd_rc_unavailable;
}

ompd_rc_t glibc_thread_id(ompd_address_space_context_t *context, const struct glibc *glibc, ompd_addr_t thread_pointer,
			  ompd_thread_id_t kind, ompd_size_t size, void *ret)
{
	uint32_t lwp;

	RC_TRY(glibc_check_kind(kind, size));
	if (kind == OMPD_THREAD_ID_PTHREAD) {
		if (decode_arch->pointer_is_behind && !glibc->behind)
			return ompd_rc_unavailable;
		thread_pointer -= glibc->behind;
		memcpy(ret, &thread_pointer, sizeof(thread_pointer));
		return ompd_rc_ok;
	}
	if (!glibc->has_lwp)
		return ompd_rc_unavailable;
	RC_TRY(cb_read(context, thread_pointer - glibc->behind + glibc->lwp_offset, sizeof(lwp), &lwp));
	if (!lwp || lwp > INT32_MAX)
		return ompd_rc_stale_handle;
	uint64_t wide = lwp;

	memcpy(ret, size == sizeof(wide) ? (void *)&wide : (void *)&lwp, size);
	return ompd_rc_ok;
}

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A hash table of decoded instructions. The key includes the bytes that follow an instruction,
 * because its length is not known before decoding. All threads share the table. A thread that finds
 * it locked decodes instead of waiting.
 */
#include "code/decode_memo.h"

#include <string.h>
#include <sys/mman.h>

#define N_SLOTS 4096
#define HALF	(DECODE_MAX_LENGTH / 2)
#define PAGE	4096
#ifndef MADV_POPULATE_WRITE /* Linux 5.14 */
#define MADV_POPULATE_WRITE 23
#endif

struct slot {
	uint8_t code[DECODE_MAX_LENGTH];
	struct decode insn; /* target: relative to the instruction; length 0: the slot is free */
};

/* The first snapshot touches nearly every page of the table: keep it small. */
_Static_assert(sizeof(struct slot) == 64, "a slot has grown");

static struct slot slots[N_SLOTS] __attribute__((aligned(PAGE)));
static bool is_taken;
static const struct decode_arch *arch; /* the processor of the slots' code; NULL: no slot is used */

/*
 * Clear the slots: the same bytes mean something else on another processor. At first use, allocate
 * all pages at once. Page faults one by one cost as much as all decoding. An older kernel allocates
 * on touch.
 */
static void start_slots(void)
{
	if (arch)
		memset(slots, 0, sizeof(slots));
	else
		madvise(slots, sizeof(slots), MADV_POPULATE_WRITE);
	arch = decode_arch;
}

/*
 * A jump's target depends on its address, so the distance is stored. Without a distance, an unknown
 * target and a jump to itself look alike: do not store them.
 */
static bool is_kept(const struct decode *insn, ompd_addr_t address)
{
	bool is_jump = insn->kind == DECODE_CALL || insn->kind == DECODE_JUMP || insn->kind == DECODE_BRANCH;

	return insn->target ? insn->target != address : !is_jump;
}

static struct slot *find_slot(const uint8_t *code)
{
	const uint64_t odd = 0x9e3779b97f4a7c15u;
	uint64_t first, second;

	memcpy(&first, code, HALF);
	memcpy(&second, code + HALF, HALF);
	return &slots[(first * odd ^ second) * odd >> 52];
}

bool decode_memo_next(const uint8_t *code, size_t size, ompd_addr_t address, struct decode *ret)
{
	bool is_odd = decode_arch->aligned && address % decode_arch->aligned;

	if (size < DECODE_MAX_LENGTH || is_odd || __atomic_test_and_set(&is_taken, __ATOMIC_ACQUIRE))
		return decode_next(code, size, address, ret);
	if (arch != decode_arch)
		start_slots();
	struct slot *slot = find_slot(code);
	bool ok = slot->insn.length && !memcmp(slot->code, code, DECODE_MAX_LENGTH);

	if (ok) {
		*ret = slot->insn;
		if (ret->target)
			ret->target += address;
	} else {
		ok = decode_next(code, size, address, ret);
		if (ok && is_kept(ret, address)) {
			memcpy(slot->code, code, DECODE_MAX_LENGTH);
			slot->insn = *ret;
			if (ret->target)
				slot->insn.target -= address;
		}
	}
	__atomic_clear(&is_taken, __ATOMIC_RELEASE);
	return ok;
}

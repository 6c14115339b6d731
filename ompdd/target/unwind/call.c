/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Finds the function that was called from the code before a return address. The processor's table (target/arch/arch.h)
 * decodes calls.
 */
#include "target/unwind/call.h"

#include "target/arch/arch.h"
#include "target/modules/module_header.h"
#include "target/modules/modules.h"
#include "target/target_ops.h"

uint64_t call_through_plt(struct target *t, uint64_t addr)
{
	unsigned char code[ARCH_PLT_BYTES];
	uint64_t slot, to;

	if (!target_try_read_raw(t, addr, code, arch->plt_bytes) ||
	    !arch->plt_slot(code, arch->plt_bytes, addr, &slot) || !target_try_read_raw(t, slot, &to, sizeof(to)))
		return addr;
	return to;
}

bool call_pointer(struct target *t, uint64_t address, uint64_t *ret)
{
	return module_header_is_constant(t, address) && target_try_read_raw(t, address, ret, sizeof(*ret));
}

/* Read the code that ends at @return_address into the end of @code; return its length. */
static size_t read_code(struct target *t, uint64_t return_address, unsigned char *code)
{
	/* Less code lies before the first function of a section. */
	const size_t sizes[] = {arch->call_bytes, arch->call_bytes_least};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (return_address >= sizes[i] &&
		    target_try_read_raw(t, return_address - sizes[i], code + ARCH_CALL_BYTES - sizes[i], sizes[i]))
			return sizes[i];
	}
	return 0;
}

void call_read(struct target *t, uint64_t return_address, struct call_site *ret)
{
	unsigned char code[ARCH_CALL_BYTES];
	size_t len = read_code(t, return_address, code);
	struct call_site calls[2];
	size_t n = len ? arch->calls(code + sizeof(code), len, return_address, calls) : 0;

	*ret = (struct call_site){.kind = CALL_UNKNOWN};
	for (size_t i = 0; i < n; i++) {
		uint64_t address = calls[i].address;

		if (calls[i].kind == CALL_DIRECT) {
			if (!target_module_at(t, address))
				continue;
			calls[i].address = call_through_plt(t, address);
		} else if (calls[i].kind == CALL_POINTER) {
			if (!call_pointer(t, address, &address))
				return;
			calls[i] = (struct call_site){.kind = CALL_DIRECT, .address = address};
		}
		*ret = calls[i];
		return;
	}
}

bool call_target(struct target *t, uint64_t return_address, uint64_t *ret)
{
	struct call_site call;

	call_read(t, return_address, &call);
	if (call.kind != CALL_DIRECT)
		return false;
	*ret = call.address;
	return true;
}

bool call_of_frame(struct target *t, const struct call_site *call, const struct stack_copy *copy,
		   const struct stack *stack, size_t i, uint64_t *ret)
{
	const struct stack_frame *frame = &stack->frames[i];
	uint64_t base;

	if (frame->is_exact)
		return false;
	switch (call->kind) {
	case CALL_DIRECT:
		*ret = call->address;
		return true;
	case CALL_REGISTER:
		return stack_frame_register(frame, call->reg, ret);
	case CALL_SLOT:
		break;
	case CALL_POINTER:
	case CALL_UNKNOWN:
		return false;
	}
	/* Only memory in the frame itself cannot be changed by another function. */
	if (!stack_frame_register(frame, call->reg, &base) || !frame->sp || i + 1 >= stack->n ||
	    !stack->frames[i + 1].sp)
		return false;
	base += (uint64_t)(int64_t)call->displacement;
	if (base < frame->sp || stack->frames[i + 1].sp < sizeof(*ret) || base > stack->frames[i + 1].sp - sizeof(*ret))
		return false;
	return stack_copy_read(t, copy, base, ret);
}

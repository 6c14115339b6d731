/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Symbolic reading of x86-64 code with Zydis; called by gomp/accessors.c. */
#include "code/walk.h"

#include <Zydis/Zydis.h>
#include <string.h>

#include "callbacks.h"

#define MAX_STEPS  4096
#define MAX_STATES 96
#define MAX_VISITS 6 /* of one instruction, by all paths together */
#define REGISTERS  16

struct state {
	size_t pc; /* offset into the code */
	struct code_value registers[REGISTERS];
};

struct walker {
	struct code_walk *walk;
	const uint8_t *code;
	size_t size;
	ompd_addr_t address;
	enum code_mode mode;
	ZydisDecoder decoder;
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	struct state states[MAX_STATES]; /* a stack of paths still to walk */
	size_t n_states;
	uint8_t visits[CODE_MAX_SIZE];
};

static const struct code_value unknown = {.root = CODE_UNKNOWN};

bool code_value_equals(const struct code_value *a, const struct code_value *b)
{
	if (a->root != b->root || a->loads != b->loads || a->width != b->width ||
	    a->scaled != b->scaled)
		return false;
	for (size_t i = 0; i <= a->loads; i++)
		if (a->offset[i] != b->offset[i])
			return false;
	return true;
}

static struct code_value fixed(uint64_t number)
{
	return (struct code_value){.root = CODE_FIXED, .width = 8, .offset = {(int64_t)number}};
}

static int64_t add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static struct code_value plus(struct code_value value, int64_t number)
{
	if (value.root != CODE_UNKNOWN)
		value.offset[value.loads] = add(value.offset[value.loads], number);
	return value;
}

static struct code_value load(struct code_value address, unsigned width)
{
	if (address.root == CODE_UNKNOWN || address.width != 8 || address.loads >= CODE_MAX_LOADS)
		return unknown;
	address.loads++;
	address.offset[address.loads] = 0;
	address.width = (uint8_t)width;
	return address;
}

/* 0..15 for a general register of any width, -1 for others. */
static int register_index(ZydisRegister reg)
{
	ZydisRegister full = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	if (full < ZYDIS_REGISTER_RAX || full > ZYDIS_REGISTER_R15)
		return -1;
	return (int)(full - ZYDIS_REGISTER_RAX);
}

static struct code_event *event_add(struct walker *w, enum code_event_kind kind)
{
	struct code_walk *walk = w->walk;

	if (walk->count >= CODE_MAX_EVENTS)
		return NULL;
	struct code_event *event = &walk->events[walk->count++];

	memset(event, 0, sizeof(*event));
	event->kind = kind;
	return event;
}

static void event_value(struct walker *w, enum code_event_kind kind, struct code_value value)
{
	struct code_event *event = event_add(w, kind);

	if (event)
		event->value = value;
}

static void note_tls_base(struct code_walk *walk, int64_t base)
{
	if (walk->has_tls_base && walk->tls_base != base)
		walk->tls_base_conflict = true;
	walk->has_tls_base = true;
	walk->tls_base = base;
}

/*
 * The number in @value, if it is a known one: an immediate, or a 64-bit word at a fixed address,
 * which for a TLS offset is the GOT slot that the dynamic linker filled once and for all.
 */
static bool known_number(struct walker *w, const struct code_value *value, int64_t *ret)
{
	struct code_walk *walk = w->walk;

	if (value->root != CODE_FIXED || value->width != 8)
		return false;
	if (value->loads == 0) {
		*ret = value->offset[0];
		return true;
	}
	if (value->loads != 1)
		return false;
	if (!walk->got_address || walk->got_address != (ompd_addr_t)value->offset[0]) {
		int64_t slot;

		if (cb_read(walk->context, (ompd_addr_t)value->offset[0], sizeof(slot), &slot) !=
		    ompd_rc_ok)
			return false;
		walk->got_address = (ompd_addr_t)value->offset[0];
		walk->got_value = slot;
	}
	*ret = add(walk->got_value, value->offset[1]);
	return true;
}

/* The address that a memory operand names. */
static struct code_value operand_address(struct walker *w, const struct state *s,
					 const ZydisDecodedOperand *op)
{
	const ZydisDecodedOperandMem *mem = &op->mem;
	int64_t disp = mem->disp.has_displacement ? mem->disp.value : 0;
	struct code_value base;

	if (mem->segment == ZYDIS_REGISTER_FS) {
		struct code_value tls = {.root = CODE_TLS, .width = 8};
		int64_t number = 0;

		if (mem->index != ZYDIS_REGISTER_NONE)
			return unknown;
		if (mem->base != ZYDIS_REGISTER_NONE) {
			int index = register_index(mem->base);

			if (index < 0 || !known_number(w, &s->registers[index], &number))
				return unknown;
			note_tls_base(w->walk, number);
		}
		return plus(tls, add(number, disp));
	}
	if (mem->base == ZYDIS_REGISTER_RIP) {
		base = fixed(w->address + s->pc + w->insn.length);
	} else if (mem->base == ZYDIS_REGISTER_NONE) {
		base = fixed(0);
	} else {
		int index = register_index(mem->base);

		base = index < 0 ? unknown : s->registers[index];
	}
	if (mem->index != ZYDIS_REGISTER_NONE) {
		int index = register_index(mem->index);
		const struct code_value *value = index < 0 ? &unknown : &s->registers[index];

		if (value->root == CODE_FIXED && !value->loads)
			base = plus(base, (int64_t)((uint64_t)value->offset[0] * mem->scale));
		else if (base.root == CODE_UNKNOWN && mem->scale == 1)
			base = *value; /* which of the two is the pointer? */
		if (value->root != CODE_FIXED || value->loads)
			base.scaled = mem->scale;
	}
	return plus(base, disp);
}

static unsigned operand_width(const ZydisDecodedOperand *op)
{
	return op->size / 8u;
}

/* The value of a source operand; loads are recorded. */
static struct code_value operand_value(struct walker *w, const struct state *s,
				       const ZydisDecodedOperand *op)
{
	switch (op->type) {
	case ZYDIS_OPERAND_TYPE_REGISTER: {
		int index = register_index(op->reg.value);

		return index < 0 ? unknown : s->registers[index];
	}
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		return fixed(op->imm.is_signed ? (uint64_t)op->imm.value.s : op->imm.value.u);
	case ZYDIS_OPERAND_TYPE_MEMORY: {
		struct code_value address = operand_address(w, s, op);

		/* %fs:0 holds the thread pointer itself (x86-64 psABI). */
		if (op->mem.segment == ZYDIS_REGISTER_FS && address.root == CODE_TLS &&
		    address.offset[0] == 0 && operand_width(op) == 8)
			return address;
		struct code_value value = load(address, operand_width(op));

		if (value.root != CODE_UNKNOWN)
			event_value(w, CODE_LOAD, value);
		return value;
	}
	case ZYDIS_OPERAND_TYPE_UNUSED:
	case ZYDIS_OPERAND_TYPE_POINTER:
	default:
		return unknown;
	}
}

static void set_register(struct state *s, const ZydisDecodedOperand *op, struct code_value value)
{
	if (op->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return;
	int index = register_index(op->reg.value);

	if (index < 0)
		return;
	if (op->size < 32 || (op->size == 32 && value.width == 8 && value.loads))
		value = unknown; /* a part of something: not worth following */
	if (op->size == 32 && value.root == CODE_FIXED && !value.loads)
		value.offset[0] = (int64_t)(uint32_t)value.offset[0];
	if (op->size == 32 && !value.loads && value.root != CODE_FIXED)
		value = unknown;
	s->registers[index] = value;
}

/* What the instruction writes by its general description becomes unknown. */
static void clobber_written(struct walker *w, struct state *s)
{
	for (size_t i = 0; i < w->insn.operand_count; i++) {
		const ZydisDecodedOperand *op = &w->operands[i];

		if (op->type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    !(op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		int index = register_index(op->reg.value);

		if (index >= 0)
			s->registers[index] = unknown;
	}
}

static void clobber_call(struct state *s)
{
	static const ZydisRegister caller_saved[] = {
	    ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_RCX, ZYDIS_REGISTER_RDX,
	    ZYDIS_REGISTER_RSI, ZYDIS_REGISTER_RDI, ZYDIS_REGISTER_R8,
	    ZYDIS_REGISTER_R9,	ZYDIS_REGISTER_R10, ZYDIS_REGISTER_R11,
	};

	for (size_t i = 0; i < sizeof(caller_saved) / sizeof(caller_saved[0]); i++)
		s->registers[register_index(caller_saved[i])] = unknown;
}

static struct code_value sum(struct walker *w, struct code_value a, struct code_value b)
{
	int64_t number;

	if (b.root == CODE_FIXED && !b.loads)
		return plus(a, b.offset[0]);
	if (a.root == CODE_FIXED && !a.loads)
		return plus(b, a.offset[0]);
	/* thread pointer + TLS offset from the GOT */
	if (a.root == CODE_TLS && !a.loads && known_number(w, &b, &number)) {
		note_tls_base(w->walk, number);
		return plus(a, number);
	}
	if (b.root == CODE_TLS && !b.loads && known_number(w, &a, &number)) {
		note_tls_base(w->walk, number);
		return plus(b, number);
	}
	return unknown;
}

static void fork_state(struct walker *w, const struct state *s, size_t pc)
{
	if (w->mode == CODE_LINEAR || w->n_states >= MAX_STATES || pc >= w->size)
		return;
	w->states[w->n_states] = *s;
	w->states[w->n_states].pc = pc;
	w->n_states++;
}

static bool is_conditional_move(ZydisMnemonic mnemonic)
{
	switch ((int)mnemonic) {
	case ZYDIS_MNEMONIC_CMOVB:
	case ZYDIS_MNEMONIC_CMOVBE:
	case ZYDIS_MNEMONIC_CMOVL:
	case ZYDIS_MNEMONIC_CMOVLE:
	case ZYDIS_MNEMONIC_CMOVNB:
	case ZYDIS_MNEMONIC_CMOVNBE:
	case ZYDIS_MNEMONIC_CMOVNL:
	case ZYDIS_MNEMONIC_CMOVNLE:
	case ZYDIS_MNEMONIC_CMOVNO:
	case ZYDIS_MNEMONIC_CMOVNP:
	case ZYDIS_MNEMONIC_CMOVNS:
	case ZYDIS_MNEMONIC_CMOVNZ:
	case ZYDIS_MNEMONIC_CMOVO:
	case ZYDIS_MNEMONIC_CMOVP:
	case ZYDIS_MNEMONIC_CMOVS:
	case ZYDIS_MNEMONIC_CMOVZ:
		return true;
	default:
		return false;
	}
}

/* Where a direct jump or call goes, as an address; 0 if it is indirect. */
static ompd_addr_t branch_target(struct walker *w, const struct state *s)
{
	const ZydisDecodedOperand *op = &w->operands[0];

	if (op->type != ZYDIS_OPERAND_TYPE_IMMEDIATE || !op->imm.is_relative)
		return 0;
	return w->address + s->pc + w->insn.length + op->imm.value.u;
}

static void step_call(struct walker *w, struct state *s)
{
	struct code_event *event = event_add(w, CODE_CALL);

	if (event) {
		event->target = branch_target(w, s);
		static const ZydisRegister args[CODE_ARGS] = {
		    ZYDIS_REGISTER_RDI, ZYDIS_REGISTER_RSI, ZYDIS_REGISTER_RDX, ZYDIS_REGISTER_RCX};

		for (size_t i = 0; i < CODE_ARGS; i++)
			event->arg[i] = s->registers[register_index(args[i])];
	}
}

/* mov and its relatives: @s gets the new register, stores are recorded. */
static void step_move(struct walker *w, struct state *s)
{
	struct code_value value = operand_value(w, s, &w->operands[1]);

	if (w->operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY) {
		struct code_event *event = event_add(w, CODE_STORE);

		if (event) {
			event->address = operand_address(w, s, &w->operands[0]);
			event->value = value;
		}
		return;
	}
	if (w->insn.mnemonic != ZYDIS_MNEMONIC_MOV && !value.loads)
		value = unknown; /* a widened register: only widened memory is followed */
	set_register(s, &w->operands[0], value);
}

static void step_compare(struct walker *w, struct state *s)
{
	struct code_value a = operand_value(w, s, &w->operands[0]);
	struct code_value b = operand_value(w, s, &w->operands[1]);
	bool mem_a = w->operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY;
	bool mem_b = w->operands[1].type == ZYDIS_OPERAND_TYPE_MEMORY;

	if (mem_a && w->operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER)
		event_value(w, CODE_COMPARE, a);
	else if (mem_a && w->operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		event_value(w, CODE_TEST, a);
	else if (mem_b)
		event_value(w, CODE_COMPARE, b);
}

/* One instruction of @s that is no jump; s->pc is advanced by the caller. */
static void step_plain(struct walker *w, struct state *s)
{
	const ZydisDecodedOperand *ops = w->operands;

	if (is_conditional_move(w->insn.mnemonic)) {
		struct code_value moved = operand_value(w, s, &ops[1]);

		fork_state(w, s, s->pc + w->insn.length);
		set_register(s, &ops[0], moved);
		return;
	}
	switch ((int)w->insn.mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_MOVZX:
	case ZYDIS_MNEMONIC_MOVSX:
	case ZYDIS_MNEMONIC_MOVSXD:
		step_move(w, s);
		break;
	case ZYDIS_MNEMONIC_LEA:
		set_register(s, &ops[0], operand_address(w, s, &ops[1]));
		break;
	case ZYDIS_MNEMONIC_ADD:
		if (ops[0].type != ZYDIS_OPERAND_TYPE_REGISTER)
			break;
		set_register(s, &ops[0],
			     sum(w, operand_value(w, s, &ops[0]), operand_value(w, s, &ops[1])));
		break;
	case ZYDIS_MNEMONIC_SUB:
		if (ops[0].type != ZYDIS_OPERAND_TYPE_REGISTER)
			break;
		if (ops[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
			int64_t number = ops[1].imm.value.s;

			set_register(
			    s, &ops[0],
			    plus(operand_value(w, s, &ops[0]), (int64_t)(0 - (uint64_t)number)));
		} else {
			clobber_written(w, s);
		}
		break;
	case ZYDIS_MNEMONIC_XOR:
		if (ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    ops[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    ops[0].reg.value == ops[1].reg.value)
			set_register(s, &ops[0], fixed(0));
		else
			clobber_written(w, s);
		break;
	case ZYDIS_MNEMONIC_CMP:
	case ZYDIS_MNEMONIC_TEST:
		step_compare(w, s);
		break;
	default:
		clobber_written(w, s);
		break;
	}
}

/* False when the path of @s has ended. */
static bool step(struct walker *w, struct state *s)
{
	size_t next = s->pc + w->insn.length;

	switch ((int)w->insn.meta.category) {
	case ZYDIS_CATEGORY_RET:
		event_value(w, CODE_RETURN, s->registers[register_index(ZYDIS_REGISTER_RAX)]);
		s->pc = next;
		return w->mode == CODE_LINEAR;
	case ZYDIS_CATEGORY_CALL:
		step_call(w, s);
		clobber_call(s);
		s->pc = next;
		return true;
	case ZYDIS_CATEGORY_UNCOND_BR: {
		ompd_addr_t target = branch_target(w, s);

		if (w->mode == CODE_LINEAR) {
			s->pc = next;
			return true;
		}
		if (target < w->address || target >= w->address + w->size) {
			step_call(w, s); /* a tail call */
			return false;
		}
		s->pc = (size_t)(target - w->address);
		return true;
	}
	case ZYDIS_CATEGORY_COND_BR: {
		ompd_addr_t target = branch_target(w, s);

		if (target >= w->address && target < w->address + w->size)
			fork_state(w, s, (size_t)(target - w->address));
		s->pc = next;
		return true;
	}
	default:
		step_plain(w, s);
		s->pc = next;
		return true;
	}
}

static void walk_path(struct walker *w, struct state *s, unsigned *steps)
{
	while (s->pc < w->size && (*steps)++ < MAX_STEPS) {
		if (w->visits[s->pc] >= (w->mode == CODE_ALL_PATHS ? MAX_VISITS : 1))
			return;
		w->visits[s->pc]++;
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&w->decoder, w->code + s->pc,
							 w->size - s->pc, &w->insn, w->operands)))
			return;
		if (!step(w, s))
			return;
	}
}

void code_walk_init(struct code_walk *walk, ompd_address_space_context_t *context)
{
	memset(walk, 0, offsetof(struct code_walk, events));
	walk->context = context;
}

void code_walk_run(struct code_walk *walk, const uint8_t *code, size_t size, ompd_addr_t address,
		   enum code_mode mode)
{
	struct walker w; /* mostly states not in use: no need to clear them */
	static const ZydisRegister arguments[] = {ZYDIS_REGISTER_RDI, ZYDIS_REGISTER_RSI};
	unsigned steps = 0;

	w.walk = walk;
	w.code = code;
	w.size = size < CODE_MAX_SIZE ? size : CODE_MAX_SIZE;
	w.address = address;
	w.mode = mode;
	memset(w.visits, 0, w.size);
	memset(&w.states[0], 0, sizeof(w.states[0]));
	if (!ZYAN_SUCCESS(
		ZydisDecoderInit(&w.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
		return;
	for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++)
		w.states[0].registers[register_index(arguments[i])] = (struct code_value){
		    .root = CODE_ARG, .width = 8, .offset = {(int64_t)(i << 32)}};
	w.n_states = 1;
	while (w.n_states) {
		struct state s = w.states[--w.n_states];

		walk_path(&w, &s, &steps);
	}
}

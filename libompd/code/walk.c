/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Symbolic execution of code, one decoded instruction (code/decode.h) at a time. */
#include "code/walk.h"

#include <string.h>

#include "callbacks.h"
#include "code/decode_memo.h"

#define MAX_STEPS  4096
#define MAX_STATES 96
#define MAX_VISITS 6 /* limit per instruction, over all paths */

struct state {
	size_t pc; /* offset into the code */
	struct code_value registers[DECODE_REGISTERS];
};

struct walker {
	struct code_walk *walk;
	const uint8_t *code;
	size_t size;
	ompd_addr_t address;
	enum code_mode mode;
	struct decode insn;
	struct state states[MAX_STATES]; /* stack of the paths that remain */
	size_t n_states;
	uint8_t visits[CODE_MAX_SIZE];
};

static const struct code_value unknown = {.root = CODE_UNKNOWN};

bool code_value_equals(const struct code_value *a, const struct code_value *b)
{
	if (a->root != b->root || a->loads != b->loads || a->width != b->width || a->scaled != b->scaled)
		return false;
	for (size_t i = 0; i <= a->loads; i++)
		if (a->offset[i] != b->offset[i])
			return false;
	return true;
}

static struct code_value make_fixed(uint64_t number)
{
	return (struct code_value){.root = CODE_FIXED, .width = 8, .offset = {(int64_t)number}};
}

static int64_t add_numbers(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static struct code_value add_offset(struct code_value value, int64_t number)
{
	if (value.root != CODE_UNKNOWN)
		value.offset[value.loads] = add_numbers(value.offset[value.loads], number);
	return value;
}

static struct code_value make_load(struct code_value address, unsigned width)
{
	if (address.root == CODE_UNKNOWN || address.width != 8 || address.loads >= CODE_MAX_LOADS)
		return unknown;
	address.loads++;
	address.offset[address.loads] = 0;
	address.width = (uint8_t)width;
	return address;
}

/* Return the value of register @reg. */
static const struct code_value *get_register(const struct state *s, int reg)
{
	return reg < 0 ? &unknown : &s->registers[reg];
}

/* Return the new event, or NULL if there are too many. */
static struct code_event *add_event(struct walker *w, enum code_event_kind kind, struct code_value value)
{
	struct code_walk *walk = w->walk;

	if (walk->count >= CODE_MAX_EVENTS)
		return NULL;
	struct code_event *event = &walk->events[walk->count++];

	memset(event, 0, sizeof(*event));
	event->kind = kind;
	event->value = value;
	return event;
}

static void note_tls_base(struct code_walk *walk, int64_t base)
{
	if (walk->has_tls_base && walk->tls_base != base)
		walk->tls_base_conflict = true;
	walk->has_tls_base = true;
	walk->tls_base = base;
}

/*
 * Return the number in @value if it is known: an immediate, or a 64-bit word at a fixed address.
 * For a TLS offset, that word is the GOT slot that the dynamic linker filled once.
 */
static bool read_known_number(struct walker *w, const struct code_value *value, int64_t *ret)
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

		if (cb_read(walk->context, (ompd_addr_t)value->offset[0], sizeof(slot), &slot) != ompd_rc_ok)
			return false;
		walk->got_address = (ompd_addr_t)value->offset[0];
		walk->got_value = slot;
	}
	*ret = add_numbers(walk->got_value, value->offset[1]);
	return true;
}

/* Return the address of a memory operand. */
static struct code_value compute_operand_address(struct walker *w, const struct state *s,
						 const struct decode_operand *op)
{
	struct code_value base;

	if (op->of_thread) {
		struct code_value tls = {.root = CODE_TLS, .width = 8};
		int64_t number = 0;

		if (op->index != DECODE_NONE)
			return unknown;
		if (op->base != DECODE_NONE) {
			if (!read_known_number(w, get_register(s, op->base), &number))
				return unknown;
			note_tls_base(w->walk, number);
		}
		return add_offset(tls, add_numbers(number, op->number));
	}
	if (op->base == DECODE_PC)
		base = make_fixed(w->address + s->pc + w->insn.length);
	else if (op->base == DECODE_PAGE)
		base = make_fixed((w->address + s->pc) & ~(ompd_addr_t)4095);
	else if (op->base == DECODE_NONE)
		base = make_fixed(0);
	else
		base = *get_register(s, op->base);
	if (op->index != DECODE_NONE) {
		const struct code_value *value = get_register(s, op->index);

		if (value->root == CODE_FIXED && !value->loads)
			base = add_offset(base, (int64_t)((uint64_t)value->offset[0] * op->scale));
		else if (base.root == CODE_UNKNOWN && op->scale == 1)
			base = *value; /* either could be the pointer */
		if (value->root != CODE_FIXED || value->loads)
			base.scaled = (uint8_t)op->scale;
	}
	return add_offset(base, op->number);
}

/*
 * Return whether @address is that of a slot of the global offset table which holds an address in
 * the same file. Only on some processors, linkers replace the slot by that address.
 */
static bool is_slot(struct walker *w, const struct code_value *address, unsigned size, struct code_value *ret)
{
	const struct image *image = w->walk->image;
	ompd_addr_t word;

	if (!image || address->root != CODE_FIXED || address->loads || address->scaled || size != sizeof(word) ||
	    !image_is_relro(image, (ompd_addr_t)address->offset[0]) ||
	    cb_read(w->walk->context, (ompd_addr_t)address->offset[0], sizeof(word), &word) != ompd_rc_ok ||
	    !image_has(image, word))
		return false;
	*ret = make_fixed(word);
	return true;
}

/* Return the value of a source operand. Loads are recorded. */
static struct code_value read_operand(struct walker *w, const struct state *s, const struct decode_operand *op)
{
	switch ((enum decode_operand_kind)op->kind) {
	case DECODE_REGISTER:
		return *get_register(s, op->reg);
	case DECODE_NUMBER:
		return make_fixed((uint64_t)op->number);
	case DECODE_MEMORY: {
		struct code_value address = compute_operand_address(w, s, op);

		if (decode_arch->points_at_itself && op->of_thread && address.root == CODE_TLS &&
		    address.offset[0] == 0 && op->size == 8)
			return address;
		struct code_value value = make_load(address, op->size);

		if (is_slot(w, &address, op->size, &value))
			return value;
		if (value.root != CODE_UNKNOWN)
			add_event(w, CODE_LOAD, value);
		return value;
	}
	case DECODE_NO_OPERAND:
		break;
	}
	return unknown;
}

/* Return the value of the third register, of @size bytes. */
static struct code_value read_other(struct walker *w, const struct state *s, unsigned size)
{
	const struct decode_operand op = {.kind = DECODE_REGISTER, .size = (uint16_t)size, .reg = w->insn.other};

	return w->insn.other == DECODE_ZERO ? make_fixed(0) : read_operand(w, s, &op);
}

static void set_register(struct state *s, const struct decode_operand *op, struct code_value value)
{
	if (op->kind != DECODE_REGISTER || op->reg < 0)
		return;
	if (op->size < 4 || (op->size == 4 && value.width == 8 && value.loads))
		value = unknown; /* a part of a value is not followed */
	if (op->size == 4 && value.root == CODE_FIXED && !value.loads)
		value.offset[0] = (int64_t)(uint32_t)value.offset[0];
	if (op->size == 4 && !value.loads && value.root != CODE_FIXED)
		value = unknown;
	s->registers[op->reg] = value;
}

/* Set the registers in @set to unknown. */
static void clobber_registers(struct state *s, uint32_t set)
{
	for (size_t i = 0; i < decode_arch->n_registers; i++)
		if (set >> i & 1)
			s->registers[i] = unknown;
}

static struct code_value add_values(struct walker *w, struct code_value a, struct code_value b)
{
	int64_t number;

	/* thread pointer + TLS offset, from the GOT or from an immediate that the linker wrote */
	if (a.root == CODE_TLS && !a.loads && read_known_number(w, &b, &number)) {
		note_tls_base(w->walk, number);
		return add_offset(a, number);
	}
	if (b.root == CODE_TLS && !b.loads && read_known_number(w, &a, &number)) {
		note_tls_base(w->walk, number);
		return add_offset(b, number);
	}
	if (b.root == CODE_FIXED && !b.loads)
		return add_offset(a, b.offset[0]);
	if (a.root == CODE_FIXED && !a.loads)
		return add_offset(b, a.offset[0]);
	return unknown;
}

/* Copy only the registers that the processor has. */
static void copy_state(struct state *to, const struct state *from)
{
	memcpy(to, from, offsetof(struct state, registers) + decode_arch->n_registers * sizeof(from->registers[0]));
}

static void fork_state(struct walker *w, const struct state *s, size_t pc)
{
	if (w->mode == CODE_LINEAR || w->n_states >= MAX_STATES || pc >= w->size)
		return;
	copy_state(&w->states[w->n_states], s);
	w->states[w->n_states].pc = pc;
	w->n_states++;
}

static void step_call(struct walker *w, struct state *s)
{
	struct code_event *event = add_event(w, CODE_CALL, unknown);

	if (event) {
		event->target = w->insn.target;
		for (size_t i = 0; i < CODE_ARGS; i++)
			event->arg[i] = s->registers[decode_arch->arguments[i]];
	}
}

static void add_store_event(struct walker *w, struct code_value address, struct code_value value)
{
	struct code_event *event = add_event(w, CODE_STORE, value);

	if (event)
		event->address = address;
}

/* Execute a move: set the register in @s, or record the store. */
static void step_move(struct walker *w, struct state *s)
{
	const struct decode_operand *ops = w->insn.operands;
	struct code_value value = read_operand(w, s, &ops[1]);

	if (ops[0].kind == DECODE_MEMORY) {
		add_store_event(w, compute_operand_address(w, s, &ops[0]), value);
		return;
	}
	if (w->insn.kind == DECODE_WIDEN && !value.loads)
		value = unknown; /* only widened memory is followed, not a widened register */
	set_register(s, &ops[0], value);
}

/* Execute the second move of a pair. */
static void step_second(struct walker *w, struct state *s)
{
	const struct decode_operand *ops = w->insn.operands;
	bool is_store = ops[0].kind == DECODE_MEMORY;
	struct decode_operand at = ops[is_store ? 0 : 1], second = ops[0];

	second.reg = w->insn.other;
	at.number = add_numbers(at.number, at.size);
	if (is_store)
		add_store_event(w, compute_operand_address(w, s, &at), read_other(w, s, at.size));
	else
		set_register(s, &second, read_operand(w, s, &at));
}

static void step_compare(struct walker *w, struct state *s)
{
	const struct decode_operand *ops = w->insn.operands;
	struct code_value a = read_operand(w, s, &ops[0]);
	struct code_value b = read_operand(w, s, &ops[1]);

	if (decode_arch->loads_apart ? a.loads : ops[0].kind == DECODE_MEMORY)
		add_event(w, ops[1].kind == DECODE_NUMBER ? CODE_TEST : CODE_COMPARE, a);
	if (decode_arch->loads_apart ? b.loads : ops[1].kind == DECODE_MEMORY)
		add_event(w, CODE_COMPARE, b);
}

/* Execute an addition or a subtraction. */
static void step_sum(struct walker *w, struct state *s)
{
	const struct decode_operand *ops = w->insn.operands;

	if (ops[0].kind != DECODE_REGISTER)
		return;
	struct code_value from =
		w->insn.other == DECODE_NONE ? read_operand(w, s, &ops[0]) : read_other(w, s, ops[0].size);

	if (w->insn.kind == DECODE_ADD && ops[1].kind == DECODE_NUMBER)
		set_register(s, &ops[0], add_offset(from, ops[1].number));
	else if (w->insn.kind == DECODE_ADD)
		set_register(s, &ops[0], add_values(w, from, read_operand(w, s, &ops[1])));
	else if (ops[1].kind == DECODE_NUMBER)
		set_register(s, &ops[0], add_offset(from, (int64_t)(0 - (uint64_t)ops[1].number)));
	else
		clobber_registers(s, w->insn.written);
}

/* Insert a part of a number; the result is unknown for any other value. */
static void step_insert(struct walker *w, struct state *s)
{
	const struct decode_operand *ops = w->insn.operands;
	struct code_value value = read_operand(w, s, &ops[0]);

	if (value.root != CODE_FIXED || value.loads) {
		clobber_registers(s, w->insn.written);
		return;
	}
	uint64_t others = ~((uint64_t)0xffff << ops[1].scale);

	value.offset[0] = (int64_t)(((uint64_t)value.offset[0] & others) | (uint64_t)ops[1].number);
	set_register(s, &ops[0], value);
}

/* Execute one instruction of @s. Returns false at the end of its path. */
static bool execute_insn(struct walker *w, struct state *s)
{
	const struct decode_operand *ops = w->insn.operands;
	size_t next = s->pc + w->insn.length;
	bool is_inside = w->insn.target >= w->address && w->insn.target < w->address + w->size;

	switch ((enum decode_kind)w->insn.kind) {
	case DECODE_RETURN:
		add_event(w, CODE_RETURN, s->registers[decode_arch->result]);
		s->pc = next;
		return w->mode == CODE_LINEAR;
	case DECODE_CALL:
		step_call(w, s);
		clobber_registers(s, decode_arch->lost);
		break;
	case DECODE_JUMP:
		if (w->mode == CODE_LINEAR)
			break;
		if (!is_inside) {
			step_call(w, s); /* a tail call */
			return false;
		}
		s->pc = (size_t)(w->insn.target - w->address);
		return true;
	case DECODE_BRANCH:
		if (ops[0].kind == DECODE_REGISTER)
			step_compare(w, s);
		if (is_inside)
			fork_state(w, s, (size_t)(w->insn.target - w->address));
		break;
	case DECODE_CHOOSE: {
		struct code_value chosen = read_operand(w, s, &ops[1]);

		if (w->insn.other == DECODE_NONE) {
			fork_state(w, s, next);
		} else {
			struct state other;

			copy_state(&other, s);
			set_register(&other, &ops[0], read_other(w, s, ops[0].size));
			fork_state(w, &other, next);
		}
		set_register(s, &ops[0], chosen);
		break;
	}
	case DECODE_MOVE:
	case DECODE_WIDEN:
		step_move(w, s);
		if (w->insn.is_pair)
			step_second(w, s);
		break;
	case DECODE_LEA:
		set_register(s, &ops[0], compute_operand_address(w, s, &ops[1]));
		break;
	case DECODE_ADD:
	case DECODE_SUB:
		step_sum(w, s);
		break;
	case DECODE_CLEAR:
		set_register(s, &ops[0], make_fixed(0));
		break;
	case DECODE_INSERT:
		step_insert(w, s);
		break;
	case DECODE_COMPARE:
		step_compare(w, s);
		break;
	case DECODE_ELSE:
		clobber_registers(s, w->insn.written);
		break;
	}
	s->pc = next;
	return true;
}

static void walk_path(struct walker *w, struct state *s, unsigned *steps)
{
	while (s->pc < w->size && (*steps)++ < MAX_STEPS) {
		if (w->visits[s->pc] >= (w->mode == CODE_ALL_PATHS ? MAX_VISITS : 1))
			return;
		w->visits[s->pc]++;
		if (!decode_memo_next(w->code + s->pc, w->size - s->pc, w->address + s->pc, &w->insn) ||
		    !execute_insn(w, s))
			return;
	}
}

void code_walk_init(struct code_walk *walk, ompd_address_space_context_t *context)
{
	memset(walk, 0, offsetof(struct code_walk, events));
	walk->context = context;
}

void code_walk_run(struct code_walk *walk, const uint8_t *code, size_t size, ompd_addr_t address, enum code_mode mode)
{
	struct walker w; /* not initialised: most states are not used */
	unsigned steps = 0;

	w.walk = walk;
	w.code = code;
	w.size = size < CODE_MAX_SIZE ? size : CODE_MAX_SIZE;
	w.address = address;
	w.mode = mode;
	memset(w.visits, 0, w.size);
	memset(&w.states[0], 0, sizeof(w.states[0]));
	for (size_t i = 0; i < 2; i++)
		w.states[0].registers[decode_arch->arguments[i]] =
			(struct code_value){.root = CODE_ARG, .width = 8, .offset = {(int64_t)(i << 32)}};
	w.n_states = 1;
	while (w.n_states) {
		struct state s;

		copy_state(&s, &w.states[--w.n_states]);
		walk_path(&w, &s, &steps);
	}
}

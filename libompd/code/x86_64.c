/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decoder for x86-64 (System V ABI), based on Zydis, and glibc's thread control block. */
#include <Zydis/Zydis.h>
#include <elf.h>
#include <string.h>

#include "code/decode.h"

/* Registers by their encoding in instructions. */
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11 };

/* Return the number of a general register of any width. */
static int8_t get_register_number(ZydisRegister reg)
{
	if (reg == ZYDIS_REGISTER_NONE)
		return DECODE_NONE;
	if (reg == ZYDIS_REGISTER_RIP)
		return DECODE_PC;
	ZydisRegister full = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	if (full < ZYDIS_REGISTER_RAX || full > ZYDIS_REGISTER_R15)
		return DECODE_OTHER;
	return (int8_t)(full - ZYDIS_REGISTER_RAX);
}

static void read_operand(const ZydisDecodedOperand *op, struct decode_operand *ret)
{
	*ret = (struct decode_operand){.size = (uint16_t)(op->size / 8u)};
	switch (op->type) {
	case ZYDIS_OPERAND_TYPE_REGISTER:
		ret->kind = DECODE_REGISTER;
		ret->reg = get_register_number(op->reg.value);
		break;
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		ret->kind = DECODE_NUMBER;
		ret->number = op->imm.is_signed ? op->imm.value.s : (int64_t)op->imm.value.u;
		break;
	case ZYDIS_OPERAND_TYPE_MEMORY:
		ret->kind = DECODE_MEMORY;
		ret->base = get_register_number(op->mem.base);
		ret->index = get_register_number(op->mem.index);
		ret->scale = op->mem.scale;
		ret->number = op->mem.disp.has_displacement ? op->mem.disp.value : 0;
		ret->of_thread = op->mem.segment == ZYDIS_REGISTER_FS;
		break;
	case ZYDIS_OPERAND_TYPE_UNUSED:
	case ZYDIS_OPERAND_TYPE_POINTER:
	default:
		break;
	}
}

static uint32_t get_written(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operands)
{
	uint32_t written = 0;

	for (size_t i = 0; i < insn->operand_count; i++) {
		const ZydisDecodedOperand *op = &operands[i];

		if (op->type != ZYDIS_OPERAND_TYPE_REGISTER || !(op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		int number = get_register_number(op->reg.value);

		if (number >= 0)
			written |= 1u << number;
	}
	return written;
}

static enum decode_kind classify_insn(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operands)
{
	switch ((int)insn->meta.category) {
	case ZYDIS_CATEGORY_RET:
		return DECODE_RETURN;
	case ZYDIS_CATEGORY_CALL:
		return DECODE_CALL;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return DECODE_JUMP;
	case ZYDIS_CATEGORY_COND_BR:
		return DECODE_BRANCH;
	default:
		break;
	}
	switch ((int)insn->mnemonic) {
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
		return DECODE_CHOOSE;
	case ZYDIS_MNEMONIC_MOV:
		return DECODE_MOVE;
	case ZYDIS_MNEMONIC_MOVZX:
	case ZYDIS_MNEMONIC_MOVSX:
	case ZYDIS_MNEMONIC_MOVSXD:
		return DECODE_WIDEN;
	case ZYDIS_MNEMONIC_LEA:
		return DECODE_LEA;
	case ZYDIS_MNEMONIC_ADD:
		return DECODE_ADD;
	case ZYDIS_MNEMONIC_SUB:
		return DECODE_SUB;
	case ZYDIS_MNEMONIC_XOR:
		if (operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER && operands[0].reg.value == operands[1].reg.value)
			return DECODE_CLEAR;
		return DECODE_ELSE;
	case ZYDIS_MNEMONIC_CMP:
	case ZYDIS_MNEMONIC_TEST:
		return DECODE_COMPARE;
	default:
		return DECODE_ELSE;
	}
}

static bool decode_insn(const uint8_t *code, size_t size, ompd_addr_t address, struct decode *ret)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction insn;
	ZydisDecoderContext context;
	ZydisDecoder decoder;

	/*
	 * Like ZydisDecoderDecodeFull(), but without clearing unused operands, which takes a third
	 * of its time.
	 */
	if (!ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, &context, code, size, &insn)) ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeOperands(&decoder, &context, &insn, operands, insn.operand_count)))
		return false;
	*ret = (struct decode){
		.kind = (uint8_t)classify_insn(&insn, operands),
		.length = insn.length,
		.other = DECODE_NONE,
		.written = get_written(&insn, operands),
	};
	for (size_t i = 0; i < DECODE_OPERANDS && i < insn.operand_count; i++)
		read_operand(&operands[i], &ret->operands[i]);
	ret->is_of_plt = ret->kind == DECODE_JUMP && ret->operands[0].kind == DECODE_MEMORY &&
			 ret->operands[0].base == DECODE_PC && ret->operands[0].index == DECODE_NONE;
	if (insn.operand_count && operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operands[0].imm.is_relative)
		ret->target = address + insn.length + operands[0].imm.value.u;
	return true;
}

/* Find lea of a 64-bit register from the program counter and a 32-bit number at the end: 7 bytes. */
static size_t find_use(const uint8_t *code, size_t size, ompd_addr_t address, ompd_addr_t target)
{
	const size_t length = 7;
	const uint8_t *end = code + size;

	if (size < length)
		return SIZE_MAX;
	/* Search for the opcode: it is rare, but every other instruction has the prefix. */
	for (const uint8_t *opcode = code + 1; (opcode = memchr(opcode, 0x8d, (size_t)(end - opcode))); opcode++) {
		size_t i = (size_t)(opcode - 1 - code);
		int32_t number;

		if (i + length > size)
			break;
		if ((code[i] & 0xfb) != 0x48 || (code[i + 2] & 0xc7) != 0x05)
			continue;
		memcpy(&number, code + i + 3, sizeof(number));
		if (address + i + length + (uint64_t)(int64_t)number == target)
			return i;
	}
	return SIZE_MAX;
}

/* The first word is the control block's own address, and so is the word after the dtv (psABI, nptl). */
static bool is_tcb(const uint8_t tcb[DECODE_TCB_SIZE], ompd_addr_t thread_pointer)
{
	uint64_t words[DECODE_TCB_SIZE / 8];

	memcpy(words, tcb, sizeof(words));
	return words[0] == thread_pointer && words[2] == thread_pointer;
}

/* Static TLS lies below the thread pointer (psABI, variant II). */
static bool is_tls_offset(int64_t offset)
{
	return offset < 0;
}

const struct decode_arch decode_x86_64 = {
	.name = "x86-64",
	.elf_machine = EM_X86_64,
	.n_registers = 16,
	.arguments = {RDI, RSI, RDX, RCX, R8, R9},
	.result = RAX,
	.lost = 1u << RAX | 1u << RCX | 1u << RDX | 1u << RSI | 1u << RDI | 1u << R8 | 1u << R9 | 1u << R10 | 1u << R11,
	.dwarf = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15},
	.points_at_itself = true,
	.pads_libomp = true,
	.next = decode_insn,
	.find_use = find_use,
	.is_tcb = is_tcb,
	.is_tls_offset = is_tls_offset,
};

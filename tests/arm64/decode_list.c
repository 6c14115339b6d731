/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lists what libompd reads in aarch64 instructions, for decoder.py: pairs of address and word, in hex, one per line. */
#include <inttypes.h>
#include <stdio.h>

#include "code/decode.h"

static void print_operand(const struct decode_operand *op)
{
	printf(" %u:%u:%d:%d:%d:%u:%d:%" PRId64, op->kind, op->size, op->reg, op->base, op->index, op->scale,
	       op->of_thread, op->number);
}

int main(void)
{
	uint64_t address;
	uint32_t insn;

	while (scanf("%" SCNx64 " %" SCNx32, &address, &insn) == 2) {
		struct decode d;

		if (!decode_aarch64.next((const uint8_t *)&insn, sizeof(insn), address, &d)) {
			puts("none");
			continue;
		}
		printf("%u %d %d %" PRIx32 " %" PRIx64, d.kind, d.other, d.is_pair, d.written, d.target);
		print_operand(&d.operands[0]);
		print_operand(&d.operands[1]);
		putchar('\n');
	}
	return 0;
}

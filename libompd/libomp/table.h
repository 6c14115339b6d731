/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The table of structure layouts that libomp provides for its OMPD library (libomp/table.def), read
 * from the code that fills it.
 */
#ifndef OMPDD_LIBOMPD_LIBOMP_TABLE_H
#define OMPDD_LIBOMPD_LIBOMP_TABLE_H

#include <stdint.h>

#include "code/image.h"
#include "code/walk.h"
#include "omp-tools.h"

enum libomp_word {
#define MEMBER(type, member) LIBOMP_AT_##type##_##member,
#define FLAG(name)
#define SIZE(of)
#include "libomp/table.def"
#undef MEMBER
#define MEMBER(type, member) LIBOMP_WIDTH_##type##_##member,
#include "libomp/table.def"
#undef MEMBER
#undef FLAG
#define MEMBER(type, member)
#define FLAG(name) LIBOMP_FLAG_##name,
#include "libomp/table.def"
#undef FLAG
#undef SIZE
#define FLAG(name)
#define SIZE(of) LIBOMP_SIZEOF_##of,
#include "libomp/table.def"
#undef MEMBER
#undef FLAG
#undef SIZE
	LIBOMP_WORDS
};

struct libomp_table {
	ompd_addr_t address;	      /* address of the lowest word */
	bool is_reversed;	      /* the first word of table.def is the last in memory */
	uint64_t words[LIBOMP_WORDS]; /* in the order of table.def */
};

/*
 * Read the table that ompd_init() of the libomp in @image stores. Uses @walk. Errors:
 * - unavailable: there is no such function, because the library is older or was built without OMPD.
 * - incompatible: the function is not as expected, or the words in memory differ. *@why names the
 *   reason.
 */
ompd_rc_t libomp_table_read(ompd_address_space_context_t *context, const struct image *image, struct code_walk *walk,
			    struct libomp_table *ret, const char **why);

#endif

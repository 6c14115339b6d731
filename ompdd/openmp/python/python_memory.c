/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Members of CPython's objects in the target's memory. */
#include "openmp/python/python_memory.h"

#include <stdlib.h>

#include "base/vector.h"
#include "target/target_ops.h"

bool python_seen_add(struct python_seen *s, uint64_t address)
{
	uint32_t hash = hash_number(address);

	hash_for_each(i, &s->index, hash)
	{
		if (s->addresses[i] == address)
			return false;
	}
	if (!VECTOR_GROW(s->addresses, s->n, s->cap) || !hash_add(&s->index, hash, s->n))
		return false;
	s->addresses[s->n++] = address;
	return true;
}

void python_seen_deinit(struct python_seen *s)
{
	free(s->addresses);
	hash_deinit(&s->index);
	*s = (struct python_seen){0};
}

bool python_read(struct target *t, bool is_fresh, uint64_t address, void *buf, size_t len)
{
	if (!address)
		return false;
	return is_fresh ? target_try_read_raw(t, address, buf, len) : target_try_read(t, address, buf, len);
}

bool python_read_word(struct target *t, uint64_t address, uint64_t *ret)
{
	return python_read(t, false, address, ret, sizeof(*ret));
}

bool python_read_int(struct target *t, uint64_t address, int32_t *ret)
{
	return python_read(t, false, address, ret, sizeof(*ret));
}

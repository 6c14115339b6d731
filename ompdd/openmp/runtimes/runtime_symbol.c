/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds and reads symbols by which runtimes are recognised and examined. */
#include "openmp/runtimes/runtime_symbol.h"

#include "target/modules/modules.h"
#include "target/target.h"

struct error *runtime_has_symbol(struct target *t, const char *name, bool *ret)
{
	struct target_symbol symbol;
	struct error *err = target_symbol(t, name, NULL, &symbol);

	*ret = !err;
	return error_catch(&err, ERR_SYMBOL_NOT_FOUND) ? NULL : err;
}

bool runtime_symbol(struct target *t, const char *name, const char *file, uint64_t *ret)
{
	struct target_symbol sym;
	struct error *err = target_symbol(t, name, file, &sym);

	if (err || sym.is_tls) {
		error_destroy(err);
		return false;
	}
	*ret = sym.address;
	return true;
}

uint64_t runtime_read_variable(struct target *t, const char *name, const char *file, bool *ret)
{
	uint64_t address, value;

	*ret = false;
	if (!runtime_symbol(t, name, file, &address))
		return 0;
	struct error *err = target_read(t, address, &value, sizeof(value));

	*ret = !err;
	error_destroy(err);
	return *ret ? value : 0;
}

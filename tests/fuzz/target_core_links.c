/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A whole core: runs target_open_core() on the input as a file, then all code that walks its memory: the link map, the
 * modules' headers and dynamic sections, symbols, threads, thread-local storage. The corpus has cores with a link map,
 * two modules and threads.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "target/modules/modules.h"
#include "target/target.h"

static void ask(struct target *t)
{
	const struct target_module *modules;
	const struct target_thread *threads;
	struct target_symbol symbol;
	char name[64];
	uint64_t offset;
	size_t n;

	struct error *err = target_modules(t, &modules, &n);
	for (size_t i = 0; !err && i < n; i++) {
		FUZZ_ASSERT(modules[i].path);
		FUZZ_ASSERT(strlen(modules[i].build_id) <= 40);
		target_symbol_at(t, modules[i].start, name, sizeof(name), &offset);
		target_module_at(t, modules[i].end - 1);
	}
	error_destroy(err);
	error_destroy(target_symbol(t, "GOMP_parallel", NULL, &symbol));
	err = target_threads(t, &threads, &n);
	for (size_t i = 0; !err && i < n; i++) {
		struct target_registers registers;
		struct target_activity activity;

		FUZZ_ASSERT(memchr(threads[i].comm, '\0', sizeof(threads[i].comm)));
		target_registers(t, threads[i].tid, &registers);
		target_activity(t, threads[i].tid, &activity);
	}
	if (!err && n) {
		const struct target_symbol tls = {.is_tls = true, .module = NULL};
		uint64_t address;

		error_destroy(target_tls_address(t, &threads[0], &tls, &address));
	}
	error_destroy(err);
	error_destroy(target_missing(t, 0x400000));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct target *t = NULL;
	char path[64];
	int fd = memfd_create("core", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	/* Without this machine's files: the names in a core must not decide the fuzzer's findings. */
	const struct target_core_options options = {.core = path, .sysroot = "/proc/self/fdinfo"};
	struct error *err = target_open_core(&options, &t);
	if (!err)
		ask(t);
	error_destroy(err);
	target_destroy(t);
	close(fd);
	return 0;
}

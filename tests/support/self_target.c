/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OMPD callbacks on the test's own process; linked into the unit tests of libompd. */
#include "self_target.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_THREADS 1024
#define PAGE	    4096
#define MAX_PAGES   2048
/* The number of pages that one input may read: an input that reads more finds no memory there. */
#define MAX_COPIED 1024

struct _ompd_aspace_cont {
	int unused;
};

struct _ompd_thread_cont {
	pthread_t thread;
};

struct self_target self_target;

static struct _ompd_aspace_cont the_process;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	pid_t tid;
	struct _ompd_thread_cont context;
} registered[MAX_THREADS];
static int n_registered;
/* Contexts of threads that were requested by pthread id. OMPD tools keep a context as long as the thread. */
static struct _ompd_thread_cont by_pthread[MAX_THREADS];
static int n_by_pthread;

ompd_address_space_context_t *self_target_context(void)
{
	return &the_process;
}

void self_target_patch_copy(int slot, uint64_t address, size_t size, void *copy)
{
	memcpy(copy, (const void *)(uintptr_t)address, size);
	self_target.patches[slot] = (struct self_target_patch){address, size, copy};
}

void self_target_reset(void)
{
	int64_t live = self_target.live_blocks;

	memset(&self_target, 0, sizeof(self_target));
	self_target.live_blocks = live;
}

void self_target_register(void)
{
	pthread_mutex_lock(&lock);
	if (n_registered < MAX_THREADS) {
		registered[n_registered].tid = gettid();
		registered[n_registered].context.thread = pthread_self();
		n_registered++;
	}
	pthread_mutex_unlock(&lock);
}

static ompd_rc_t alloc_memory(ompd_size_t size, void **ptr)
{
	self_target.allocs++;
	if (self_target.allocs_until_failure && !--self_target.allocs_until_failure) {
		self_target.allocs_until_failure = 1;
		return ompd_rc_nomem;
	}
	void *block = malloc(size);

	if (!block)
		return ompd_rc_nomem;
	memset(block, 0xa5, size); /* callers must not rely on zeroes */
	self_target.live_blocks++;
	*ptr = block;
	return ompd_rc_ok;
}

static ompd_rc_t free_memory(void *ptr)
{
	if (ptr)
		self_target.live_blocks--;
	free(ptr);
	return ompd_rc_ok;
}

static ompd_rc_t print_string(const char *string, int category)
{
	size_t used = strlen(self_target.printed), length = strlen(string);

	(void)category;
	if (used + length >= sizeof(self_target.printed))
		used = 0;
	if (length < sizeof(self_target.printed))
		memcpy(self_target.printed + used, string, length + 1);
	return ompd_rc_ok;
}

static ompd_rc_t sizeof_type(ompd_address_space_context_t *context, ompd_device_type_sizes_t *sizes)
{
	(void)context;
	*sizes = (ompd_device_type_sizes_t){1, 2, 4, 8, 8, 8};
	if (self_target.pointer_size)
		sizes->sizeof_pointer = self_target.pointer_size;
	return ompd_rc_ok;
}

/* Return the address of a TLS symbol in another thread: initial-exec TLS has the same offset in all threads. */
static uint64_t tls_address(pthread_t thread, void *mine)
{
	return (uint64_t)thread + ((uint64_t)(uintptr_t)mine - (uint64_t)pthread_self());
}

static ompd_rc_t symbol_addr(ompd_address_space_context_t *context, ompd_thread_context_t *thread_context,
			     const char *name, ompd_address_t *address, const char *file_name)
{
	(void)context;
	self_target.symbol_lookups++;
	if (file_name && self_target.no_files)
		return ompd_rc_unavailable;
	address->segment = ompd_segment_none;
	for (size_t i = 0; i < 16 && self_target.hide[i]; i++)
		if (!strcmp(self_target.hide[i], name))
			return ompd_rc_unavailable;
	for (size_t i = 0; i < 16 && self_target.symbols[i].name; i++) {
		if (!strcmp(self_target.symbols[i].name, name)) {
			address->address = self_target.symbols[i].address;
			return ompd_rc_ok;
		}
	}
	for (size_t i = 0; i < 8 && self_target.rename[i][0]; i++)
		if (!strcmp(self_target.rename[i][0], name))
			name = self_target.rename[i][1];
	if (thread_context && !strcmp(name, "errno")) {
		address->address = tls_address(thread_context->thread, &errno);
		return ompd_rc_ok;
	}
	/* For a thread-local variable, this is the calling thread's copy. */
	void *found = dlsym(RTLD_DEFAULT, name);

	if (!found)
		return ompd_rc_unavailable;
	address->address = thread_context ? tls_address(thread_context->thread, found) : (uint64_t)(uintptr_t)found;
	return ompd_rc_ok;
}

static bool read_kernel(uint64_t address, size_t size, void *buffer)
{
	struct iovec local = {buffer, size};
	struct iovec remote = {(void *)(uintptr_t)address, size};

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

/* Return a copy of the page, or NULL if it is not mapped. */
static const uint8_t *page_copy(uint64_t number)
{
	static struct {
		uint64_t number; /* page number + 1 */
		bool is_there;
		uint8_t bytes[PAGE];
	} copies[MAX_PAGES];
	__typeof__(copies[0]) *copy = &copies[number % MAX_PAGES];

	if (copy->number != number + 1) {
		if (self_target.pages_copied++ >= MAX_COPIED)
			return NULL;
		copy->number = number + 1;
		copy->is_there = read_kernel(number * PAGE, PAGE, copy->bytes);
	}
	return copy->is_there ? copy->bytes : NULL;
}

static bool read_frozen(uint64_t address, size_t size, void *buffer)
{
	for (size_t done = 0; done < size;) {
		uint64_t at = address + done;
		size_t offset = at % PAGE, n = size - done < PAGE - offset ? size - done : PAGE - offset;
		const uint8_t *page = page_copy(at / PAGE);

		if (!page)
			return false;
		memcpy((uint8_t *)buffer + done, page + offset, n);
		done += n;
	}
	return true;
}

static ompd_rc_t read_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread_context,
			     const ompd_address_t *address, ompd_size_t nbytes, void *buffer)
{
	(void)context, (void)thread_context;
	self_target.reads++;
	self_target.bytes_read += nbytes;
	if (self_target.reads_until_failure && !--self_target.reads_until_failure) {
		self_target.reads_until_failure = 1;
		return ompd_rc_device_read_error;
	}
	for (size_t i = 0; i < 16 && self_target.patches[i].size; i++) {
		const struct self_target_patch *patch = &self_target.patches[i];

		if (address->address >= patch->address && address->address - patch->address + nbytes <= patch->size) {
			memcpy(buffer, (const char *)patch->bytes + (address->address - patch->address), nbytes);
			return ompd_rc_ok;
		}
	}
	bool is_read = self_target.is_frozen ? read_frozen(address->address, nbytes, buffer)
					     : read_kernel(address->address, nbytes, buffer);

	return is_read ? ompd_rc_ok : ompd_rc_device_read_error;
}

static ompd_rc_t write_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread_context,
			      const ompd_address_t *address, ompd_size_t nbytes, const void *buffer)
{
	(void)context, (void)thread_context, (void)address, (void)nbytes, (void)buffer;
	return ompd_rc_device_write_error;
}

static ompd_rc_t read_string(ompd_address_space_context_t *context, ompd_thread_context_t *thread_context,
			     const ompd_address_t *address, ompd_size_t nbytes, void *buffer)
{
	char *text = buffer;

	for (ompd_size_t i = 0; i < nbytes; i++) {
		ompd_address_t at = {ompd_segment_none, address->address + i};

		if (i + 1 == nbytes) {
			text[i] = '\0';
			break;
		}
		ompd_rc_t rc = read_memory(context, thread_context, &at, 1, &text[i]);

		if (rc != ompd_rc_ok)
			return rc;
		if (!text[i])
			break;
	}
	return ompd_rc_ok;
}

static ompd_rc_t convert(ompd_address_space_context_t *context, const void *input, ompd_size_t unit_size,
			 ompd_size_t count, void *output)
{
	(void)context;
	memmove(output, input, unit_size * count);
	return ompd_rc_ok;
}

static ompd_rc_t thread_context(ompd_address_space_context_t *context, ompd_thread_id_t kind, ompd_size_t size,
				const void *id, ompd_thread_context_t **ret)
{
	ompd_rc_t rc = ompd_rc_unavailable;

	(void)context;
	pthread_mutex_lock(&lock);
	if (kind == OMPD_THREAD_ID_LWP) {
		uint64_t tid = 0;

		memcpy(&tid, id, size < sizeof(tid) ? size : sizeof(tid));
		for (int i = 0; i < n_registered; i++) {
			if ((uint64_t)registered[i].tid == tid) {
				*ret = &registered[i].context;
				rc = ompd_rc_ok;
			}
		}
	} else if (kind == OMPD_THREAD_ID_PTHREAD && size == sizeof(pthread_t)) {
		pthread_t thread;

		memcpy(&thread, id, sizeof(thread));
		struct _ompd_thread_cont *found = &by_pthread[n_by_pthread++ % MAX_THREADS];

		found->thread = thread;
		*ret = found;
		rc = ompd_rc_ok;
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

const ompd_callbacks_t *self_target_callbacks(void)
{
	static const ompd_callbacks_t callbacks = {
		.alloc_memory = alloc_memory,
		.free_memory = free_memory,
		.print_string = print_string,
		.sizeof_type = sizeof_type,
		.symbol_addr_lookup = symbol_addr,
		.read_memory = read_memory,
		.write_memory = write_memory,
		.read_string = read_string,
		.device_to_host = convert,
		.host_to_device = convert,
		.get_thread_context_for_thread_id = thread_context,
	};

	return &callbacks;
}

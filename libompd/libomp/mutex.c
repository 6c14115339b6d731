/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Locks of stock libomp: the threads in their queues and their holders; in backend_libomp. A
 * program's lock is a word. An odd word is the lock itself (tas, futex). An even word is twice the
 * number of a record in a table. For a critical construct, it may also be the record's address.
 */
#include <string.h>

#include "libomp/libomp.h"
#include "ompd-more.h"

/* The lowest byte of a word that is the lock itself, and the shift for the rest. */
#define TAG_TAS	  3
#define TAG_FUTEX 5
#define TAG_BITS  8
/* Bit of a queuing lock's flags. */
#define IS_CRITICAL 1

#define ROW	    1024
#define MAX_LOCKS   (16 * ROW)
#define MAX_WAITERS 65536

/* A record starts with its own address while its lock exists. */
#define RECORD_SIZE 48

struct record {
	ompd_addr_t address;
	int32_t head, tail; /* queue of waiting threads, 1 + gtid; head -1: held, no queue; 0: free */
	int32_t owner;	    /* 1 + gtid, if it is recorded */
	int32_t depth, flags;
};

/* An entry of the table. */
struct entry {
	ompd_addr_t lock;
	uint32_t type, unused;
};

static int32_t get_word(const uint8_t *bytes, uint32_t offset)
{
	int32_t value;

	memcpy(&value, bytes + offset, sizeof(value));
	return value;
}

static ompd_rc_t read_record(const struct process *process, ompd_addr_t address, struct record *ret)
{
	const struct libomp_layout *l = &libomp_of(process)->layout;
	uint8_t bytes[RECORD_SIZE];
	ompd_addr_t self;

	if (!offset_known(l->queuing_head) || l->queuing_flags > RECORD_SIZE - sizeof(int32_t))
		return ompd_rc_unavailable;
	RC_TRY(cb_read(process->context, address, sizeof(bytes), bytes));
	memcpy(&self, bytes, sizeof(self));
	if (self != address)
		return ompd_rc_unavailable;
	*ret = (struct record){
		.address = address,
		.head = get_word(bytes, l->queuing_head),
		.tail = get_word(bytes, l->queuing_tail),
		.owner = get_word(bytes, l->queuing_owner),
		.depth = get_word(bytes, l->queuing_depth),
		.flags = get_word(bytes, l->queuing_flags),
	};
	return ompd_rc_ok;
}

/* Return the table's rows and the number of used entries. */
static ompd_rc_t read_table(const struct process *process, ompd_addr_t *rows, uint32_t *n)
{
	const struct libomp *libomp = libomp_of(process);
	uint32_t n_rows;

	if (!libomp->locks || !offset_known(libomp->layout.locks_next))
		return ompd_rc_unavailable;
	RC_TRY(PROCESS_READ(process, libomp->locks + libomp->layout.locks_table, rows));
	RC_TRY(PROCESS_READ(process, libomp->locks + libomp->layout.locks_next, n));
	if (*n > MAX_LOCKS)
		*n = MAX_LOCKS;
	/* Locks that do not fit into this table are in further tables, which are not read. */
	if (offset_known(libomp->layout.locks_rows)) {
		RC_TRY(PROCESS_READ(process, libomp->locks + libomp->layout.locks_rows, &n_rows));
		if (n_rows < MAX_LOCKS / ROW && n_rows * ROW < *n)
			*n = n_rows * ROW;
	}
	return ompd_rc_ok;
}

static ompd_rc_t read_entry(const struct process *process, ompd_addr_t rows, uint32_t i, struct entry *ret)
{
	ompd_addr_t row;

	RC_TRY(PROCESS_READ(process, rows + i / ROW * sizeof(row), &row));
	return PROCESS_READ(process, row + i % ROW * sizeof(*ret), ret);
}

/* Return whether @thread is in the lock's queue. Each thread in the queue names the next. */
static bool is_queued(const struct process *process, const struct record *record, const struct libomp_thread *thread)
{
	const struct libomp_layout *l = &libomp_of(process)->layout;
	struct libomp_thread other;
	int32_t waiter = record->head;
	ompd_addr_t array;

	if (libomp_threads(process, &array) != ompd_rc_ok || !offset_known(l->th_next_waiting))
		return false;
	for (unsigned n = 0; waiter > 0 && n < MAX_WAITERS; n++) {
		if (waiter == thread->gtid + 1)
			return true;
		if (waiter == record->tail ||
		    libomp_thread_at(process, array, (uint32_t)waiter - 1, &other) != ompd_rc_ok ||
		    PROCESS_READ(process, other.address + l->th_next_waiting, &waiter) != ompd_rc_ok)
			return false;
	}
	return false;
}

ompd_rc_t libomp_queue_of(const struct process *process, const struct libomp_thread *thread, ompd_addr_t *lock,
			  bool *is_critical)
{
	struct record record;
	struct entry entry;
	ompd_addr_t rows;
	uint32_t n;

	if (thread->spins_here != 1 || thread->gtid < 0)
		return ompd_rc_unavailable;
	RC_TRY(read_table(process, &rows, &n));
	for (uint32_t i = 0; i < n; i++) {
		RC_TRY(read_entry(process, rows, i, &entry));
		if (!entry.lock || read_record(process, entry.lock, &record) != ompd_rc_ok ||
		    !is_queued(process, &record, thread))
			continue;
		*lock = record.address;
		*is_critical = record.flags & IS_CRITICAL;
		return ompd_rc_ok;
	}
	return ompd_rc_unavailable;
}

/* Set the holder; @word is 1 + gtid. */
static ompd_rc_t set_owner(const struct process *process, uint32_t word, struct mutex_owner *ret)
{
	struct libomp_thread thread;
	ompd_addr_t array;

	if (!word || word > LIBOMP_MAX_THREADS)
		return ompd_rc_unavailable;
	RC_TRY(libomp_threads(process, &array));
	ompd_rc_t rc = libomp_thread_at(process, array, word - 1, &thread);

	if (rc != ompd_rc_ok && rc != ompd_rc_unavailable)
		return rc;
	ret->has_thread = rc == ompd_rc_ok;
	ret->state = ret->has_thread ? ompd_mutex_held : ompd_mutex_orphaned;
	if (ret->has_thread)
		ret->thread = libomp_thread_ref(&thread);
	return ompd_rc_ok;
}

/* A queuing lock records its holder if it is nestable, or if libomp checks the use of locks. */
static ompd_rc_t set_record_owner(const struct process *process, const struct record *record, struct mutex_owner *ret)
{
	if (!record->head && !record->tail)
		return ompd_rc_ok; /* free */
	if (record->owner < 0)
		return ompd_rc_unavailable;
	return set_owner(process, (uint32_t)record->owner, ret);
}

/* Return the record for the word of a lock, or of a critical construct. */
static ompd_rc_t find_record(const struct process *process, ompd_addr_t lock, uint32_t word, ompd_word_t kind,
			     struct record *ret)
{
	struct entry entry;
	ompd_addr_t rows, behind;
	uint32_t n;

	if (kind == ompt_mutex_critical) {
		RC_TRY(PROCESS_READ(process, lock, &behind));
		RC_TRY(PROCESS_READ(process, behind, &entry));
	} else {
		RC_TRY(read_table(process, &rows, &n));
		if (word / 2 >= n)
			return ompd_rc_unavailable;
		RC_TRY(read_entry(process, rows, word / 2, &entry));
	}
	return read_record(process, entry.lock, ret);
}

ompd_rc_t libomp_mutex_owner(const struct process *process, ompd_addr_t lock, ompd_word_t kind, struct mutex_owner *ret)
{
	struct mutex_owner owner = {.state = ompd_mutex_free};
	struct record record;
	uint32_t word;

	if (kind != ompt_mutex_lock && kind != ompt_mutex_nest_lock && kind != ompt_mutex_critical)
		return ompd_rc_unsupported;
	RC_TRY(PROCESS_READ(process, lock, &word));
	if (word & 1) {
		uint32_t tag = word & ((1u << TAG_BITS) - 1), value = word >> TAG_BITS;

		if (tag != TAG_TAS && tag != TAG_FUTEX)
			return ompd_rc_unavailable;
		if (tag == TAG_FUTEX) /* the lowest bit: a thread sleeps */
			value >>= 1;
		if (value)
			RC_TRY(set_owner(process, value, &owner));
	} else {
		/* A queued thread's wait id is the record itself. */
		if (read_record(process, lock, &record) != ompd_rc_ok)
			RC_TRY(find_record(process, lock, word, kind, &record));
		RC_TRY(set_record_owner(process, &record, &owner));
	}
	*ret = owner;
	return ompd_rc_ok;
}

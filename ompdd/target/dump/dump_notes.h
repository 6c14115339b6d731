/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The notes of a core: the process, its threads with their registers, its mapped files. core/core_notes.h reads them.
 */
#ifndef OMPDD_TARGET_DUMP_NOTES_H
#define OMPDD_TARGET_DUMP_NOTES_H

#include "base/buf.h"
#include "target/core/dump_note.h"
#include "target/proc/maps.h"
#include "target/stop/stopped_threads.h"

/* Append NT_PRPSINFO and NT_AUXV of process @pid. @dirfd: /proc/PID. Data that cannot be read is omitted. */
MUST_USE struct error *dump_notes_add_process(struct buf *to, int dirfd, pid_t pid);
/* Append NT_PRSTATUS of each thread that has registers, the thread @first before the others. *@n_ret: their number. */
MUST_USE struct error *dump_notes_add_threads(struct buf *to, const struct stopped_threads *threads, pid_t first,
					      size_t *n_ret);
/* Append NT_FILE. @page: bytes of a page. */
MUST_USE struct error *dump_notes_add_files(struct buf *to, const struct maps *maps, uint64_t page);
/* Append ompdd's own note. */
MUST_USE struct error *dump_notes_add_dump(struct buf *to, const struct dump_note *note);

#endif

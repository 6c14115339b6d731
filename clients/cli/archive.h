/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An OTF2 archive on its way: another program writes it into a folder beside its destination; it is placed when whole.
 */
#ifndef OMPDD_CLI_ARCHIVE_H
#define OMPDD_CLI_ARCHIVE_H

#include "output.h"

struct archive {
	struct output output;
	char name[NAME_MAX + 1]; /* the archive is NAME.otf2, NAME.def and the folder NAME */
	char beside[OUTPUT_BESIDE_LEN];
	int folder; /* of that name; -1: not created yet */
};

/* Check that an archive can be written at @path. One that exists is not overwritten. archive_close() in any case. */
struct failure *archive_open(struct archive *a, const char *path);

/* Create the folder, a->folder, into which the files are written. */
struct failure *archive_begin(struct archive *a);

/* Move the files to their destination: all, or none. */
struct failure *archive_place(struct archive *a);

/* Remove what was not placed. */
void archive_close(struct archive *a);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An OTF2 archive under construction: another program writes it into a folder beside its destination. It moves to
 * the destination when it is complete. */
#ifndef OMPDD_CLI_ARCHIVE_H
#define OMPDD_CLI_ARCHIVE_H

#include "output.h"

struct archive {
	struct output output;
	char name[NAME_MAX + 1]; /* the archive is NAME.otf2, NAME.def and the folder NAME */
	char beside[OUTPUT_BESIDE_LEN];
	int folder; /* its descriptor; -1: not created yet */
};

/* Check that an archive can be written at @path. An existing archive is not overwritten. Call archive_close() also
 * after a failure. */
struct error *archive_open(struct archive *a, const char *path);

/* Create the folder a->folder, which receives the files. */
struct error *archive_begin(struct archive *a);

/* Move all files to their destination, or none. */
struct error *archive_place(struct archive *a);

/* Remove the files that archive_place() has not moved. */
void archive_close(struct archive *a);

#endif

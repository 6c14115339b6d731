/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A fuzzer without libFuzzer: runs its target once for each file of the given folders. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

/* No corpus file is larger. */
#define REPLAY_MAX_INPUT (4 << 20)

static int replay(const char *folder, const char *name)
{
	char path[4096];
	uint8_t *data = malloc(REPLAY_MAX_INPUT);
	int n = snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = data && n > 0 && (size_t)n < sizeof(path) ? fopen(path, "rb") : NULL;

	if (!file) {
		fprintf(stderr, "cannot read %s\n", path);
		free(data);
		return -1;
	}
	size_t len = fread(data, 1, REPLAY_MAX_INPUT, file);
	fclose(file);
	/* The size is exact, so that a sanitizer sees reads behind the end. */
	uint8_t *exact = malloc(len ? len : 1);
	if (exact) {
		memcpy(exact, data, len);
		LLVMFuzzerTestOneInput(exact, len);
	}
	free(exact);
	free(data);
	return exact ? 0 : -1;
}

/* Returns the number of replayed files, or -1. */
static int replay_folder(const char *path)
{
	DIR *dir = opendir(path);
	int n = 0;

	if (!dir) {
		perror(path);
		return -1;
	}
	for (struct dirent *e = readdir(dir); e && n >= 0; e = readdir(dir)) {
		if (e->d_name[0] == '.')
			continue;
		n = replay(path, e->d_name) < 0 ? -1 : n + 1;
	}
	closedir(dir);
	return n;
}

int main(int argc, char **argv)
{
	int total = 0;

	for (int i = 1; i < argc; i++) {
		int n = replay_folder(argv[i]);

		if (n <= 0) {
			fprintf(stderr, "%s: no corpus\n", argv[i]);
			return 1;
		}
		total += n;
	}
	printf("%d inputs\n", total);
	return total > 0 ? 0 : 1;
}

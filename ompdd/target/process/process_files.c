/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The data of a process for the list of modules: its maps, and its mapped files. */
#include "target/process/process_files.h"

#include <fcntl.h>

#include "target/process/process.h"

/* Return why the mappings could not be read: the process may have exited since its last check. Takes @err. */
static struct error *explain_unread(struct target *t, struct error *err)
{
	struct error *why = err == &error_nomem ? NULL : target_check(t);

	if (!why)
		return err;
	error_destroy(err);
	return why;
}

static struct error *read_maps(struct target *t, struct maps *ret)
{
	_cleanup_(maps_deinit) struct maps maps = {0};
	size_t len;

	struct error *err = proc_read_all(process_dir(process_of(t)), "maps", PROC_MAX_MAPS, &maps.text, &len);
	if (err)
		return explain_unread(t, err);
	if (len >= PROC_MAX_MAPS)
		return error_detail(
			error_create(ERR_LIMIT_EXCEEDED,
				     "cannot list the libraries of process %d: /proc/%d/maps is longer than %u MB",
				     t->pid, t->pid, PROC_MAX_MAPS >> 20),
			"limit", "maps");
	if (!maps_parse(&maps, len))
		return &error_nomem;
	*ret = maps;
	maps = (struct maps){0};
	return NULL;
}

static Elf *open_file(struct target *t, const struct elf_file_identity *id, int *fd_ret)
{
	return elf_file_open(process_dir(process_of(t)), id, fd_ret);
}

static Elf *open_debug(struct target *t, Elf *elf, const char *path, const char *build_id, int *fd_ret)
{
	_cleanup_close_ int root = openat(process_dir(process_of(t)), "root", O_PATH | O_DIRECTORY | O_CLOEXEC);

	return elf_file_find_debug(root, (const char *const *)t->debug_dirs, t->n_debug_dirs, elf, path, build_id,
				   fd_ret);
}

static bool find_root(struct target *t, uint64_t *dev_ret, uint64_t *inode_ret)
{
	struct stat st;

	if (fstatat(process_dir(process_of(t)), "root", &st, 0) != 0)
		return false;
	*dev_ret = st.st_dev;
	*inode_ret = st.st_ino;
	return true;
}

const struct module_source process_files = {
	.read_maps = read_maps,
	.open = open_file,
	.open_debug = open_debug,
	.root = find_root,
};

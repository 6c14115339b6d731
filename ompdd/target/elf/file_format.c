/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A table of magic numbers of files that users confuse with cores. */
#include "target/elf/file_format.h"

#include <string.h>

/* Without the terminating NUL. */
#define MAGIC(text) text, sizeof(text) - 1

static const char minidump_hint[] = "a minidump leaves out the memory that OpenMP's state is in; write a core: `gcore "
				    "PID`, or `ulimit -c unlimited` "
				    "before the program starts";
static const char linux_hint[] = "ompdd reads ELF cores of Linux: `gcore PID` writes one";

static const struct file_format formats[] = {
	{MAGIC("\x1f\x8b\x08"), 0, FILE_FORMAT_GZIP, "a gzip file", NULL},
	{MAGIC("\x28\xb5\x2f\xfd"), 0, FILE_FORMAT_ZSTD, "a zstd file", NULL},
	{MAGIC("\xfd\x37zXZ"), 0, FILE_FORMAT_OTHER, "an xz file", "unpack it: `xz -dc %s > core`"},
	{MAGIC("BZh"), 0, FILE_FORMAT_OTHER, "a bzip2 file", "unpack it: `bzip2 -dc %s > core`"},
	{MAGIC("\x04\x22\x4d\x18"), 0, FILE_FORMAT_OTHER, "an lz4 file", "unpack it: `lz4 -dc %s > core`"},
	{MAGIC("PK\x03\x04"), 0, FILE_FORMAT_OTHER, "a zip archive", "unpack it: `unzip %s`"},
	{MAGIC("ustar"), 257, FILE_FORMAT_OTHER, "a tar archive", "unpack it: `tar -xf %s`"},
	{MAGIC("!<arch>\n"), 0, FILE_FORMAT_OTHER, "an ar archive", NULL},
	{MAGIC("MDMP"), 0, FILE_FORMAT_OTHER, "a minidump (Breakpad, Crashpad)", minidump_hint},
	{MAGIC("ProblemType: "), 0, FILE_FORMAT_OTHER, "an Apport report",
	 "unpack it: `apport-unpack %s DIR`, then give DIR/CoreDump"},
	{MAGIC("LPKSHHRH"), 0, FILE_FORMAT_OTHER, "a journal of systemd",
	 "get the core: `coredumpctl dump PID -o core`"},
	{MAGIC("\xcf\xfa\xed\xfe"), 0, FILE_FORMAT_OTHER, "a Mach-O file (macOS)", linux_hint},
	{MAGIC("\xce\xfa\xed\xfe"), 0, FILE_FORMAT_OTHER, "a Mach-O file (macOS)", linux_hint},
	{MAGIC("\xca\xfe\xba\xbe"), 0, FILE_FORMAT_OTHER, "a Mach-O file (macOS)", linux_hint},
	{MAGIC("PAGEDU64"), 0, FILE_FORMAT_OTHER, "a crash dump of Windows", linux_hint},
	{MAGIC("MZ"), 0, FILE_FORMAT_OTHER, "a PE file (Windows)", linux_hint},
	{MAGIC("#!"), 0, FILE_FORMAT_OTHER, "a script", NULL},
};

const struct file_format *file_format_find(const void *bytes, size_t len)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		const struct file_format *f = &formats[i];

		if (len >= f->offset + f->len && !memcmp((const char *)bytes + f->offset, f->magic, f->len))
			return f;
	}
	return NULL;
}

struct error *file_format_error(const struct file_format *format, const char *path)
{
	if (!format)
		return error_create(ERR_CORE_NOT_A_CORE, "%s is not a core: it is not an ELF file", path);
	struct error *err = error_create(ERR_CORE_NOT_A_CORE, "%s is not a core, but %s", path, format->name);
	const char *at = format->hint ? strstr(format->hint, "%s") : NULL;

	if (at)
		return error_hint(err, "%.*s%s%s", (int)(at - format->hint), format->hint, path, at + 2);
	return format->hint ? error_hint(err, "%s", format->hint) : err;
}

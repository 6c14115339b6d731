/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The devices that an OpenMP runtime knows, as its memory on the host shows them: their map tables, and the images that
 * the program has registered. Read within a view. No memory of a device is read. All tables are hostile input.
 */
#ifndef OMPDD_OPENMP_DEVICES_H
#define OMPDD_OPENMP_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct runtime;
struct target;

/* More are left out, and the table is marked as incomplete. */
#define DEVICES_MAX	    256
#define DEVICES_MAX_IMAGES  256
#define DEVICES_MAX_MAPS    65536
#define DEVICES_MAX_ENTRIES 16384
#define DEVICES_MAX_NAME    64
#define DEVICES_MAX_KIND    16
/* Longer names are refused. */
#define DEVICES_MAX_ENTRY_NAME 1024

enum device_state { DEVICE_UNINITIALISED, DEVICE_INITIALISED, DEVICE_FINALISED };

/* How often an object is mapped. */
enum device_count {
	DEVICE_COUNTED,
	DEVICE_INFINITE, /* for the program's life: declare target, omp_target_associate_ptr() */
	DEVICE_LINK,	 /* declare target link: only its pointer is on the device */
};

/* The variable of a mapped object that no symbol names. */
struct device_name {
	char *variable; /* as declared, or as in the map clause */
	char *function; /* that declares it; NULL: global, or not known */
	char *file;	/* NULL: not known */
	int line;
	pid_t tid;	   /* of the stack that has the variable; 0: none */
	uint64_t offset;   /* of the object in the variable */
	bool is_candidate; /* the variable is a pointer that holds the object's address */
};

/* An object of the host with its copy on the device. */
struct device_map {
	uint64_t host, size;
	uint64_t base; /* the address of the variable, or the value of the pointer, in the map clause; 0: not known */
	struct device_name *name; /* NULL: not known */
	uint64_t device_address;
	enum device_count kind;
	uint64_t count; /* DEVICE_COUNTED */
};

struct device {
	unsigned number;	     /* of OpenMP: omp_get_device_num() */
	unsigned plugin_number;	     /* among the devices of its plugin */
	uint64_t address;	     /* of the runtime's record */
	char kind[DEVICES_MAX_KIND]; /* "": not known */
	char name[DEVICES_MAX_NAME];
	char *plugin; /* path of the plugin's file */
	enum device_state state;
	bool is_of_openmp;
	bool is_locked;		 /* a thread of the process holds the lock of the map table, and may change it */
	struct device_map *maps; /* by host address */
	size_t n_maps;
	bool is_cut;		/* there are more maps */
	struct error *maps_why; /* why the map table is not known; NULL: it is */
};

/* A function or variable that an image has for a device. */
struct device_entry {
	uint64_t address; /* on the host; LLVM: of a byte that identifies the function */
	uint64_t size;	  /* 0: a function */
	bool is_link;
	char *name;	   /* for the device; NULL: not known */
	uint64_t function; /* the host's code for it; 0: not known */
};

/* A device image, with the entries that the program has registered for it. */
struct device_image {
	const char *kind; /* of its devices; NULL: not known; a literal, or that of a device */
	uint64_t address; /* of the image's data, or the plugin's description of it */
	char *module;	  /* path of the program or library that registered it; NULL: not known */
	struct device_entry *entries;
	size_t n_entries;
	bool is_cut;
};

/* The devices of one runtime. All zeroes is a valid empty value. */
struct devices {
	struct device *list;
	size_t n;
	struct error *why; /* why the devices are not known; NULL: they are */
	struct device_image *images;
	size_t n_images;
	bool has_images;	  /* the images are known */
	struct error *images_why; /* why they are not; NULL: no reason beside `why` */
};

/*
 * Reads the devices that runtime @r of @t knows. A table that cannot be proven has its reason in @ret. Errors: those of
 * target_read() and target_modules() if the target is gone or a stop took too long; out of memory. Call
 * devices_deinit() also after an error.
 */
MUST_USE struct error *devices_read(struct target *t, const struct runtime *r, struct devices *ret);
void devices_deinit(struct devices *d);

/* Returns whether the host executes the code of @device in the process, as LLVM's plugin for its processor does. */
bool devices_is_of_host(const struct device *device);

/* Parts of devices_read(). */

/* Creates a name; the texts are copied, and may be NULL except @variable. Returns NULL if memory is out. */
struct device_name *devices_create_name(const char *variable, const char *function, const char *file, int line);
void devices_destroy_name(struct device_name *name);

/* Removes the last device. */
void devices_drop_last(struct devices *d);
/* Returns @err, unless it says why a table is not known: then sets *@why_ret to it and returns NULL. */
MUST_USE struct error *devices_or_reason(struct error *err TAKES, struct error **why_ret);

#endif

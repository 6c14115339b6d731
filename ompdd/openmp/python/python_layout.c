/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tables of offsets, and the description that CPython 3.13 and later have in memory. */
#include "openmp/python/python_layout.h"

#include <string.h>

/* Limit for an offset that a description names. */
#define MAX_OFFSET (1u << 20)
/* A text that is not ASCII has its data behind two more words: its UTF-8 form. */
#define WIDE_MEMBERS 16
/* The first traceable instruction is an int, followed by a pointer and the code itself. */
#define FIRST_TRACEABLE 16

/* Members that have kept their place in all versions. */
#define COMMON                                                                                                         \
	.thread_prev = 0, .thread_next = 8, .thread_interpreter = 16, .object_type = 8, .bytes_size = 16,              \
	.bytes_data = 32, .text_length = 16, .text_state = 32, .text_kind_shift = 2, .gil_locked = 16, .gil_holder = 8

static const struct python_layout tables[] = {
	{
		COMMON,
		.version = PYTHON_VERSION(9),
		.frames_kind = PYTHON_FRAMES_OBJECTS,
		.runtime_interpreters = 32,
		.runtime_gil = 352,
		.interpreter_next = 0,
		.interpreter_threads = 8,
		.thread_id = 176,
		.thread_frame = 24,
		.frame_code = 32,
		.frame_previous = 24,
		.frame_instruction = 104,
		.frame_size = 112,
		.code_filename = 104,
		.code_name = 112,
		.code_lines = 120,
		.code_first_line = 40,
		.text_data = 48,
		.text_data_wide = 72,
	},
	{
		COMMON,
		.version = PYTHON_VERSION(10),
		.frames_kind = PYTHON_FRAMES_OBJECTS,
		.runtime_interpreters = 32,
		.runtime_gil = 352,
		.interpreter_next = 0,
		.interpreter_threads = 8,
		.thread_id = 176,
		.thread_frame = 24,
		.thread_c_frame = 48,
		.thread_root = 264,
		.c_frame_previous = 8,
		.frame_code = 32,
		.frame_previous = 24,
		.frame_instruction = 96,
		.frame_size = 104,
		.code_filename = 104,
		.code_name = 112,
		.code_lines = 120,
		.code_first_line = 40,
		.text_data = 48,
		.text_data_wide = 72,
	},
	{
		COMMON,
		.version = PYTHON_VERSION(11),
		.frames_kind = PYTHON_FRAMES_BY_ENTRY,
		.runtime_interpreters = 40,
		.runtime_gil = 360,
		.interpreter_next = 0,
		.interpreter_threads = 16,
		.thread_id = 152,
		.thread_native_id = 160,
		.thread_c_frame = 56,
		.thread_root = 336,
		.c_frame_previous = 16,
		.c_frame_frame = 8,
		.frame_code = 32,
		.frame_previous = 48,
		.frame_instruction = 56,
		.frame_owner = 69,
		.frame_is_entry = 68,
		.frame_size = 72,
		.code_filename = 112,
		.code_name = 120,
		.code_qualified_name = 128,
		.code_lines = 136,
		.code_first_line = 72,
		.code_instructions = 184,
		.code_first_traceable = 168,
		.text_data = 48,
		.text_data_wide = 72,
	},
	{
		COMMON,
		.version = PYTHON_VERSION(12),
		.frames_kind = PYTHON_FRAMES_BY_SHIM,
		.runtime_interpreters = 40,
		.interpreter_next = 0,
		.interpreter_threads = 72,
		.interpreter_gil = 384,
		.thread_id = 136,
		.thread_native_id = 144,
		.thread_c_frame = 56,
		.c_frame_previous = 8,
		.c_frame_frame = 0,
		.frame_code = 0,
		.frame_previous = 8,
		.frame_instruction = 56,
		.frame_owner = 70,
		.frame_size = 72,
		.code_filename = 112,
		.code_name = 120,
		.code_qualified_name = 128,
		.code_lines = 136,
		.code_first_line = 68,
		.code_instructions = 192,
		.code_first_traceable = 176,
		.text_data = 40,
		.text_data_wide = 56,
	},
};

const struct python_layout *python_layout_of(unsigned version)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		if (tables[i].version == version)
			return &tables[i];
	}
	return NULL;
}

/* The members of a description, in 64-bit words from its start. Each group starts with the size of its structure. */
struct words {
	unsigned version;
	uint8_t interpreters_head;
	uint8_t interpreter_next, threads_head, ceval_gil, gil_state, gil_locked, gil_holder;
	uint8_t thread_prev, thread_next, thread_interpreter, current_frame, thread_id, native_thread_id;
	uint8_t frame_size, frame_previous, frame_executable, frame_instruction, frame_owner;
	uint8_t code_filename, code_name, code_qualname, code_linetable, code_firstlineno, code_adaptive;
	uint8_t object_type, bytes_size, bytes_data, text_state, text_length, text_ascii_size;
};

static const struct words descriptions[] = {
	{
		.version = PYTHON_VERSION(13),
		.interpreters_head = 5,
		.interpreter_next = 8,
		.threads_head = 9,
		.ceval_gil = 14,
		.gil_state = 15,
		.gil_locked = 17,
		.gil_holder = 18,
		.thread_prev = 20,
		.thread_next = 21,
		.thread_interpreter = 22,
		.current_frame = 23,
		.thread_id = 24,
		.native_thread_id = 25,
		.frame_size = 28,
		.frame_previous = 29,
		.frame_executable = 30,
		.frame_instruction = 31,
		.frame_owner = 33,
		.code_filename = 35,
		.code_name = 36,
		.code_qualname = 37,
		.code_linetable = 38,
		.code_firstlineno = 39,
		.code_adaptive = 43,
		.object_type = 45,
		.bytes_size = 65,
		.bytes_data = 66,
		.text_state = 68,
		.text_length = 69,
		.text_ascii_size = 70,
	},
	{
		.version = PYTHON_VERSION(14),
		.interpreters_head = 5,
		.interpreter_next = 8,
		.threads_head = 9,
		.ceval_gil = 15,
		.gil_state = 16,
		.gil_locked = 18,
		.gil_holder = 19,
		.thread_prev = 23,
		.thread_next = 24,
		.thread_interpreter = 25,
		.current_frame = 26,
		.thread_id = 27,
		.native_thread_id = 28,
		.frame_size = 31,
		.frame_previous = 32,
		.frame_executable = 33,
		.frame_instruction = 34,
		.frame_owner = 36,
		.code_filename = 40,
		.code_name = 41,
		.code_qualname = 42,
		.code_linetable = 43,
		.code_firstlineno = 44,
		.code_adaptive = 48,
		.object_type = 51,
		.bytes_size = 75,
		.bytes_data = 76,
		.text_state = 78,
		.text_length = 79,
		.text_ascii_size = 80,
	},
};

static uint64_t read_word(const unsigned char *bytes, size_t at)
{
	uint64_t value;

	memcpy(&value, bytes + at * sizeof(value), sizeof(value));
	return value;
}

/* Takes the offset at word @at. Returns false if no structure is that large. */
static bool take_offset(const unsigned char *bytes, size_t at, uint32_t *ret)
{
	uint64_t value = read_word(bytes, at);

	*ret = (uint32_t)value;
	return value < MAX_OFFSET;
}

/* Returns whether a frame has a word at @offset. */
static bool has_word(const struct python_layout *l, uint32_t offset)
{
	return offset + sizeof(uint64_t) <= l->frame_size;
}

bool python_layout_describe(const unsigned char *bytes, size_t len, struct python_layout *ret)
{
	const struct words *w = NULL;
	struct python_layout l = {.frames_kind = PYTHON_FRAMES_BY_SHIM};
	uint32_t gil = 0;
	bool ok = true;

	if (len < PYTHON_DESCRIPTION_SIZE || memcmp(bytes, "xdebugpy", 8) != 0)
		return false;
	l.version = (unsigned)(read_word(bytes, 1) >> 16 & 0xfff);
	l.is_free_threaded = read_word(bytes, 2) != 0;
	for (size_t i = 0; i < sizeof(descriptions) / sizeof(descriptions[0]); i++) {
		if (descriptions[i].version == l.version)
			w = &descriptions[i];
	}
	if (!w)
		return false;
	const struct {
		uint8_t word;
		uint32_t *to;
	} members[] = {
		{w->interpreters_head, &l.runtime_interpreters},
		{w->interpreter_next, &l.interpreter_next},
		{w->threads_head, &l.interpreter_threads},
		{w->ceval_gil, &l.interpreter_gil},
		{w->gil_state, &gil},
		{w->gil_locked, &l.gil_locked},
		{w->gil_holder, &l.gil_holder},
		{w->thread_prev, &l.thread_prev},
		{w->thread_next, &l.thread_next},
		{w->thread_interpreter, &l.thread_interpreter},
		{w->current_frame, &l.thread_frame},
		{w->thread_id, &l.thread_id},
		{w->native_thread_id, &l.thread_native_id},
		{w->frame_size, &l.frame_size},
		{w->frame_previous, &l.frame_previous},
		{w->frame_executable, &l.frame_code},
		{w->frame_instruction, &l.frame_instruction},
		{w->frame_owner, &l.frame_owner},
		{w->code_filename, &l.code_filename},
		{w->code_name, &l.code_name},
		{w->code_qualname, &l.code_qualified_name},
		{w->code_linetable, &l.code_lines},
		{w->code_firstlineno, &l.code_first_line},
		{w->code_adaptive, &l.code_instructions},
		{w->object_type, &l.object_type},
		{w->bytes_size, &l.bytes_size},
		{w->bytes_data, &l.bytes_data},
		{w->text_state, &l.text_state},
		{w->text_length, &l.text_length},
		{w->text_ascii_size, &l.text_data},
	};
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		ok &= take_offset(bytes, members[i].word, members[i].to);
	/* The GIL of an interpreter may be the main interpreter's: its members count from the GIL's own start. */
	ok &= gil <= l.gil_locked && gil <= l.gil_holder;
	ok &= l.frame_size <= PYTHON_MAX_FRAME_SIZE && l.frame_owner < l.frame_size && has_word(&l, l.frame_code) &&
	      has_word(&l, l.frame_previous) && has_word(&l, l.frame_instruction) &&
	      l.code_instructions > FIRST_TRACEABLE;
	l.gil_locked -= gil;
	l.gil_holder -= gil;
	l.text_data_wide = l.text_data + WIDE_MEMBERS;
	l.text_kind_shift = l.is_free_threaded ? 8 : 2;
	l.code_first_traceable = l.is_free_threaded ? 0 : l.code_instructions - FIRST_TRACEABLE;
	*ret = l;
	return ok;
}

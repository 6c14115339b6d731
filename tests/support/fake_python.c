/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes CPython's objects at the offsets of a layout. */
#include "fake_python.h"

#include <string.h>

#include "fake_target.h"

#define TEXTS	    0x5000u
#define TEXT_SIZE   0x80u
#define CODE_SIZE   0x400u
#define LINES	    0x6000u
#define LINES_SIZE  0x80u
#define PTHREAD	    0x700000u
#define INSTRUCTION 4 /* the byte offset of the instruction that executes */

static uint64_t address_of(uint32_t offset)
{
	return FAKE_PYTHON_MEMORY + offset;
}

void fake_python_set(struct fake_python *f, uint32_t offset, uint64_t value)
{
	memcpy(f->memory + offset, &value, sizeof(value));
}

static void set_int(struct fake_python *f, uint32_t offset, int32_t value)
{
	memcpy(f->memory + offset, &value, sizeof(value));
}

static uint64_t write_text(struct fake_python *f, unsigned number, const char *text)
{
	uint32_t at = TEXTS + number * TEXT_SIZE;

	fake_python_set(f, at + f->layout.object_type, address_of(FAKE_PYTHON_TYPES + 16));
	fake_python_set(f, at + f->layout.text_length, strlen(text));
	/* One byte per character, compact, ASCII. */
	set_int(f, at + f->layout.text_state, (1 | 1 << 3 | 1 << 4) << f->layout.text_kind_shift);
	memcpy(f->memory + at + f->layout.text_data, text, strlen(text));
	return address_of(at);
}

/* Write a table of lines: the instruction is on the second line after the function's first one. */
static uint64_t write_lines(struct fake_python *f, unsigned number)
{
	static const unsigned char increments[] = {0, 1, 4, 1}, ranges[] = {4, 1, 4, 1},
				   entries[] = {0x80 | 13 << 3 | 1, 2, 0x80 | 13 << 3 | 1, 2};
	uint32_t at = LINES + number * LINES_SIZE;
	const unsigned char *table = f->layout.version < PYTHON_VERSION(10)   ? increments
				     : f->layout.version < PYTHON_VERSION(11) ? ranges
									      : entries;

	fake_python_set(f, at + f->layout.object_type, address_of(FAKE_PYTHON_TYPES + 32));
	fake_python_set(f, at + f->layout.bytes_size, 4);
	memcpy(f->memory + at + f->layout.bytes_data, table, 4);
	return address_of(at);
}

static void write_code(struct fake_python *f, unsigned number, const char *name, const char *file, int line)
{
	const struct python_layout *l = &f->layout;
	uint32_t at = FAKE_PYTHON_CODE + number * CODE_SIZE;
	uint64_t text = write_text(f, number * 2, name);

	fake_python_set(f, at + l->object_type, address_of(FAKE_PYTHON_TYPES));
	fake_python_set(f, at + l->code_name, text);
	if (l->code_qualified_name)
		fake_python_set(f, at + l->code_qualified_name, text);
	fake_python_set(f, at + l->code_filename, write_text(f, number * 2 + 1, file));
	fake_python_set(f, at + l->code_lines, write_lines(f, number));
	set_int(f, at + l->code_first_line, line);
}

static void write_frame(struct fake_python *f, uint32_t at, unsigned number, uint64_t previous)
{
	const struct python_layout *l = &f->layout;
	uint32_t code = FAKE_PYTHON_CODE + number * CODE_SIZE;

	fake_python_set(f, at + l->frame_code, address_of(code));
	fake_python_set(f, at + l->frame_previous, previous);
	if (l->code_instructions)
		fake_python_set(f, at + l->frame_instruction, address_of(code + l->code_instructions) + INSTRUCTION);
	else
		set_int(f, at + l->frame_instruction, l->version < PYTHON_VERSION(10) ? INSTRUCTION : INSTRUCTION / 2);
}

static void write_thread(struct fake_python *f, uint32_t at, uint32_t previous, uint32_t next, unsigned number)
{
	const struct python_layout *l = &f->layout;

	fake_python_set(f, at + l->thread_prev, previous ? address_of(previous) : 0);
	fake_python_set(f, at + l->thread_next, next ? address_of(next) : 0);
	fake_python_set(f, at + l->thread_interpreter, address_of(FAKE_PYTHON_INTERPRETER));
	fake_python_set(f, at + l->thread_id, PTHREAD + number * 0x1000);
	if (l->thread_native_id)
		fake_python_set(f, at + l->thread_native_id, 100 + number);
	if (l->thread_c_frame)
		fake_python_set(f, at + l->thread_c_frame, address_of(at + l->thread_root));
}

/* Link the frames of the first thread as the version does. */
static void write_frames(struct fake_python *f)
{
	const struct python_layout *l = &f->layout;
	uint64_t record = address_of(FAKE_PYTHON_C_STACK), end = 0;

	if (l->frames_kind == PYTHON_FRAMES_BY_SHIM) {
		f->memory[FAKE_PYTHON_C_STACK + l->frame_owner] = 3;
		end = record;
	}
	write_frame(f, FAKE_PYTHON_INNER, 0, address_of(FAKE_PYTHON_OUTER));
	write_frame(f, FAKE_PYTHON_OUTER, 1, end);
	if (l->thread_frame)
		fake_python_set(f, FAKE_PYTHON_THREAD + l->thread_frame, address_of(FAKE_PYTHON_INNER));
	if (!l->thread_c_frame)
		return;
	/* The record follows the frame on the C stack, which 3.12 has as well. */
	record += 0x100;
	fake_python_set(f, FAKE_PYTHON_THREAD + l->thread_c_frame, record);
	uint64_t root = address_of(FAKE_PYTHON_THREAD + l->thread_root);
	if (l->frames_kind == PYTHON_FRAMES_OBJECTS) {
		/* An evaluation in C for each frame. */
		fake_python_set(f, FAKE_PYTHON_C_STACK + 0x100 + l->c_frame_previous, record + 0x40);
		fake_python_set(f, FAKE_PYTHON_C_STACK + 0x140 + l->c_frame_previous, root);
		return;
	}
	fake_python_set(f, FAKE_PYTHON_C_STACK + 0x100 + l->c_frame_previous, root);
	fake_python_set(f, FAKE_PYTHON_C_STACK + 0x100 + l->c_frame_frame, address_of(FAKE_PYTHON_INNER));
	if (l->frame_is_entry)
		f->memory[FAKE_PYTHON_OUTER + l->frame_is_entry] = 1;
}

/* Describe 3.13: words of the description, with offsets of our own that keep objects small. */
static void write_description(struct fake_python *f)
{
	static const struct {
		uint8_t word;
		uint16_t offset;
	} words[] = {
		{5, 1032}, {8, 0},   {9, 16},	{14, 24},  {15, 32},  {17, 48},	 {18, 40}, {20, 0},
		{21, 8},   {22, 16}, {23, 72},	{24, 152}, {25, 160}, {28, 80},	 {29, 8},  {30, 0},
		{31, 56},  {33, 70}, {35, 112}, {36, 120}, {37, 128}, {38, 136}, {39, 68}, {43, 200},
		{45, 8},   {65, 16}, {66, 32},	{68, 32},  {69, 16},  {70, 40},
	};

	memcpy(f->memory, "xdebugpy", 8);
	fake_python_set(f, 8, 0x030d00f0);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		fake_python_set(f, words[i].word * 8u, words[i].offset);
	python_layout_describe(f->memory, PYTHON_DESCRIPTION_SIZE, &f->layout);
}

void fake_python_fill(struct fake_python *f, unsigned minor)
{
	const struct python_layout *layout = python_layout_of(PYTHON_VERSION(minor));

	memset(f, 0, sizeof(*f));
	if (layout)
		f->layout = *layout;
	else
		write_description(f);
	const struct python_layout *l = &f->layout;
	fake_python_set(f, FAKE_PYTHON_VERSION, 0x030000f0u | minor << 16);
	fake_python_set(f, l->runtime_interpreters, address_of(FAKE_PYTHON_INTERPRETER));
	fake_python_set(f, FAKE_PYTHON_INTERPRETER + l->interpreter_threads, address_of(FAKE_PYTHON_THREAD));
	if (!l->runtime_gil)
		fake_python_set(f, FAKE_PYTHON_INTERPRETER + l->interpreter_gil, address_of(FAKE_PYTHON_GIL));
	uint32_t gil = l->runtime_gil ? l->runtime_gil : FAKE_PYTHON_GIL;
	set_int(f, gil + l->gil_locked, 1);
	fake_python_set(f, gil + l->gil_holder, address_of(FAKE_PYTHON_THREAD));
	write_thread(f, FAKE_PYTHON_THREAD, 0, FAKE_PYTHON_IDLE, 0);
	write_thread(f, FAKE_PYTHON_IDLE, FAKE_PYTHON_THREAD, 0, 1);
	write_code(f, 0, "inner", "/x/inner.py", 10);
	write_code(f, 1, "outer", "/x/outer.py", 20);
	write_frames(f);
}

struct target *fake_python_create(const unsigned char *memory)
{
	static const struct {
		const char *name;
		uint32_t offset;
	} symbols[] = {
		{"_PyRuntime", 0},
		{"Py_Version", FAKE_PYTHON_VERSION},
		{"PyCode_Type", FAKE_PYTHON_TYPES},
		{"PyUnicode_Type", FAKE_PYTHON_TYPES + 16},
		{"PyBytes_Type", FAKE_PYTHON_TYPES + 32},
	};
	struct target *t = fake_target_create(TARGET_STOP);
	size_t module = fake_target_add_module(t, "/usr/lib/libpython3.so.1.0", FAKE_PYTHON_MEMORY,
					       FAKE_PYTHON_MEMORY + FAKE_PYTHON_SIZE, NULL, NULL);

	fake_target_map(t, FAKE_PYTHON_MEMORY, memory, FAKE_PYTHON_SIZE);
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
		fake_target_add_symbol(t, module, symbols[i].name, FAKE_PYTHON_MEMORY + symbols[i].offset, 8, false);
	fake_target_add_thread(t, 100, PTHREAD, "python3");
	fake_target_add_thread(t, 101, PTHREAD + 0x1000, "python3");
	return t;
}

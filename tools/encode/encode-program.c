// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/file.h"
#include "encode-program.h"

/* Code is compared by words: an instruction of T32 may be half of one. */
#define WORD	4

static int open_one(struct encode_program *program, const char *text, struct problems *problems)
{
	char path[PATH_MAX];
	int err;

	options_file_at(text, path, sizeof(path), &program->offset);
	program->path = realpath(path, NULL);
	err = program->path ? elf_file_open(&program->file, program->path) : -errno;
	if (!err && (!program->file->is_elf || !program->file->is_arm))
		err = -ENOEXEC;
	if (err)
		problems_error(problems, path, 0, "%s", err == -ENOEXEC ?
			       "not an ELF file of an Arm program" : file_elf_words(path, err));
	return err;
}

int encode_programs_open(struct encode_programs *p, const struct opt_list *list,
			 struct problems *problems)
{
	int err = 0;

	p->program = calloc(list->n + 1, sizeof(*p->program));
	if (!p->program)
		return -ENOMEM;
	for (size_t i = 0; i < list->n && !err; i++) {
		err = open_one(&p->program[i], list->value[i], problems);
		p->n++;
	}
	return err;
}

void encode_programs_close(struct encode_programs *p)
{
	for (size_t i = 0; i < p->n; i++) {
		elf_file_close(p->program[i].file);
		free(p->program[i].path);
	}
	free(p->program);
}

/* The bytes of the program at an address of the log; NULL: it has no code there. */
static const uint8_t *bytes_at(const struct encode_program *program, uint64_t addr, size_t n)
{
	const struct elf_segment *s = elf_segment_find(program->file, addr - program->offset);

	addr -= program->offset;
	if (!s || !s->exec || s->size - (addr - s->addr) < n)
		return NULL;
	return program->file->bytes + s->offset + (addr - s->addr);
}

static bool is_known(const struct code_page *page, size_t at)
{
	return page->known[at / 8] >> at % 8 & 1;
}

enum agreement { NOTHING_THERE, SAME, DIFFERENT };

static enum agreement compare(const struct encode_program *program, const struct code_page *page,
			      size_t at, size_t n)
{
	const uint8_t *bytes = bytes_at(program, page->addr + at, n);

	for (size_t i = 0; bytes && i < n; i++)
		if (is_known(page, at + i) && page->bytes[at + i] != bytes[i])
			return DIFFERENT;
	return bytes ? SAME : NOTHING_THERE;
}

static bool has_known(const struct code_page *page, size_t at)
{
	for (size_t i = at; i < at + WORD; i++)
		if (is_known(page, i))
			return true;
	return false;
}

static bool runs(const struct encode_program *program, struct code_page *const *page, size_t n)
{
	size_t n_as[3] = { 0 };

	for (size_t i = 0; i < n; i++)
		for (size_t at = 0; at < CODE_PAGE; at += WORD)
			if (has_known(page[i], at))
				n_as[compare(program, page[i], at, WORD)]++;
	return n_as[SAME] > n_as[DIFFERENT];
}

void encode_programs_of(struct encode_programs *p, struct code_page *const *page, size_t n)
{
	for (size_t i = 0; i < p->n; i++) {
		p->program[i].pid = runs(&p->program[i], page, n);
		p->program[i].ran |= p->program[i].pid;
	}
}

bool encode_programs_have(const struct encode_programs *p, const struct code_page *page, size_t at,
			  size_t n)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->program[i].pid && compare(&p->program[i], page, at, n) == SAME)
			return true;
	return false;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens files with code.  The file is mapped once, and libelf reads that map.
 *
 * Source: System V gABI, chapters 4 and 5.
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf-inline.h"
#include "elf-lines.h"
#include "elf-module.h"
#include "elf-names.h"
#include "elf-unpack.h"
#include "elf.h"
#include "no-memory.h"

/* Kernel modules are often compressed. */
static int unpack(struct elf_file *file)
{
	size_t n = 0;
	uint8_t *bytes;
	int err = elf_unpack(file->bytes, file->size, &bytes, &n);

	if (err || !bytes)
		return err == -EINVAL ? -EBADMSG : err;
	munmap((void *)file->bytes, file->size);
	file->bytes = bytes;
	file->size = n;
	return 0;
}

/* Copy on write, as libelf may modify its input. */
static int map_file(struct elf_file *file, const char *path)
{
	/* nothing is read from a pipe, so do not wait for a writer */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	void *map;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0) {
		close(fd);
		return -EINVAL;
	}
	map = mmap(NULL, st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED) {
		no_memory_for("a program", st.st_size);
		return -errno;
	}
	file->bytes = map;
	file->size = st.st_size;
	return unpack(file);
}

static int by_addr(const void *a, const void *b)
{
	const struct elf_segment *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

void elf_segment_add(struct elf_file *file, const struct elf_segment *segment)
{
	struct elf_segment s = *segment;

	if (s.offset >= file->size || !s.size)
		return;
	if (s.size > file->size - s.offset)
		s.size = file->size - s.offset;
	if (s.size > UINT64_MAX - s.addr)
		return;
	file->segment[file->n_segment++] = s;
}

static int read_segments(struct elf_file *file)
{
	size_t n;

	if (elf_getphdrnum(file->elf, &n) || n > 0xffff)
		return 0;
	file->segment = calloc(n + 1, sizeof(*file->segment));
	if (!file->segment)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct elf_segment s;
		GElf_Phdr ph;

		if (!gelf_getphdr(file->elf, i, &ph) || ph.p_type != PT_LOAD)
			continue;
		s = (struct elf_segment){ .addr = ph.p_vaddr, .offset = ph.p_offset,
					  .size = ph.p_filesz, .exec = ph.p_flags & PF_X };
		elf_segment_add(file, &s);
	}
	return 0;
}

/* Notes are read without gelf_getnote(), which requires correct alignment. */
static bool find_build_id(struct elf_file *file, const uint8_t *p, uint64_t n)
{
	while (n >= 12) {
		uint32_t namesz, descsz, type;
		uint64_t name, all;

		memcpy(&namesz, p, 4);
		memcpy(&descsz, p + 4, 4);
		memcpy(&type, p + 8, 4);
		name = 12 + (((uint64_t)namesz + 3) & ~3ull);
		all = name + (((uint64_t)descsz + 3) & ~3ull);
		if (name + descsz > n)
			return false;
		if (type == NT_GNU_BUILD_ID && namesz == 4 && !memcmp(p + 12, "GNU", 4)) {
			file->n_build_id = descsz < ELF_BUILD_ID_MAX ? descsz : ELF_BUILD_ID_MAX;
			memcpy(file->build_id, p + name, file->n_build_id);
			return true;
		}
		if (all >= n)
			return false;
		p += all;
		n -= all;
	}
	return false;
}

static bool note_range(struct elf_file *file, uint64_t offset, uint64_t size)
{
	if (offset >= file->size || size > file->size - offset)
		return false;
	return find_build_id(file, file->bytes + offset, size);
}

static void read_build_id(struct elf_file *file)
{
	Elf_Scn *scn = NULL;
	size_t n;

	if (!elf_getphdrnum(file->elf, &n) && n <= 0xffff)
		for (size_t i = 0; i < n; i++) {
			GElf_Phdr ph;

			if (gelf_getphdr(file->elf, i, &ph) && ph.p_type == PT_NOTE &&
			    note_range(file, ph.p_offset, ph.p_filesz))
				return;
		}
	while ((scn = elf_nextscn(file->elf, scn))) {
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE &&
		    note_range(file, sh.sh_offset, sh.sh_size))
			return;
	}
}

static int read_elf(struct elf_file *file)
{
	GElf_Ehdr eh;
	int err;

	elf_version(EV_CURRENT);
	file->elf = elf_memory((char *)file->bytes, file->size);
	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF || !gelf_getehdr(file->elf, &eh) ||
	    eh.e_ident[EI_DATA] != ELFDATA2LSB)
		return 0;
	file->is_elf = true;
	file->is_a64 = eh.e_machine == EM_AARCH64;
	file->is_arm = file->is_a64 || eh.e_machine == EM_ARM;
	file->is_module = eh.e_type == ET_REL;
	file->is_core = eh.e_type == ET_CORE;
	file->entry = eh.e_entry;
	err = file->is_module ? elf_module_layout(file) : read_segments(file);
	if (err)
		return err;
	if (file->n_segment)
		qsort(file->segment, file->n_segment, sizeof(*file->segment), by_addr);
	if (file->is_module)
		elf_module_link(file);
	read_build_id(file);
	return 0;
}

int elf_file_open(struct elf_file **out, const char *path)
{
	struct elf_file *file = calloc(1, sizeof(*file));
	int err;

	*out = NULL;
	if (!file)
		return -ENOMEM;
	err = map_file(file, path);
	if (!err) {
		file->path = strdup(path);
		err = file->path ? read_elf(file) : -ENOMEM;
	}
	if (err) {
		elf_file_close(file);
		return err;
	}
	*out = file;
	return 0;
}

int elf_file_copy(struct elf_file **out, const void *bytes, size_t n)
{
	struct elf_file *file = calloc(1, sizeof(*file));
	void *map = mmap(NULL, n ? n : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			 0);
	int err = -ENOMEM;

	*out = NULL;
	if (file && map != MAP_FAILED) {
		memcpy(map, bytes, n);
		file->bytes = map;
		file->size = n ? n : 1;
		err = read_elf(file);
	} else if (map != MAP_FAILED) {
		munmap(map, n ? n : 1);
	}
	if (err)
		elf_file_close(file);
	else
		*out = file;
	return err;
}

void elf_file_close(struct elf_file *file)
{
	if (!file)
		return;
	elf_names_free(file->names);
	elf_inlines_free(file->inlines);
	elf_lines_free(file->lines);
	elf_dwarf_free(file->dwarf);
	if (file->elf)
		elf_end(file->elf);
	if (file->bytes)
		munmap((void *)file->bytes, file->size);
	free(file->segment);
	free(file->path);
	free(file);
}

const struct elf_segment *elf_segment_at(const struct elf_file *file, uint64_t offset)
{
	for (size_t i = 0; i < file->n_segment; i++)
		if (offset >= file->segment[i].offset &&
		    offset - file->segment[i].offset < file->segment[i].size)
			return &file->segment[i];
	return NULL;
}

const struct elf_segment *elf_segment_find(const struct elf_file *file, uint64_t addr)
{
	for (size_t i = 0; i < file->n_segment; i++)
		if (addr >= file->segment[i].addr &&
		    addr - file->segment[i].addr < file->segment[i].size)
			return &file->segment[i];
	return NULL;
}

bool elf_file_section(const struct elf_file *file, const char *name, struct elf_range *range)
{
	Elf_Scn *scn = NULL;
	size_t strings;

	if (!file->is_elf || elf_getshdrstrndx(file->elf, &strings))
		return false;
	while ((scn = elf_nextscn(file->elf, scn))) {
		const char *s;
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_ALLOC) ||
		    sh.sh_size > UINT64_MAX - sh.sh_addr)
			continue;
		s = elf_strptr(file->elf, strings, sh.sh_name);
		if (s && !strcmp(s, name)) {
			*range = (struct elf_range){ sh.sh_addr, sh.sh_addr + sh.sh_size };
			return true;
		}
	}
	return false;
}

static bool has_names(struct elf_file *file)
{
	if (!file->names && file->is_elf)
		file->names = elf_names_new(file);
	return file->names;
}

bool elf_file_symbol(struct elf_file *file, uint64_t addr, struct elf_symbol *symbol)
{
	return has_names(file) && elf_names_find(file->names, addr, symbol);
}

bool elf_file_address(struct elf_file *file, const char *name, uint64_t *addr)
{
	return has_names(file) && elf_names_address(file->names, name, addr);
}

/* Opens the debug information when it is first needed. */
static bool open_dwarf(struct elf_file *file)
{
	if (!file->is_elf)
		return false;
	if (!file->dwarf)
		file->dwarf = elf_dwarf_new(file);
	if (file->dwarf && !file->lines)
		file->lines = elf_lines_new(file->dwarf);
	return file->lines;
}

/*
 * Debug information has addresses that libdwfl gave to the sections of a module.  @addr is turned
 * into one of them.
 */
static bool dwarf_addr(const struct elf_file *file, uint64_t *addr)
{
	const struct elf_segment *s;

	if (!file->is_module)
		return true;
	s = elf_segment_find(file, *addr);
	return s && elf_dwarf_place(file->dwarf, s->offset + (*addr - s->addr), addr);
}

bool elf_file_line(struct elf_file *file, uint64_t addr, struct elf_line *line)
{
	return open_dwarf(file) && dwarf_addr(file, &addr) &&
	       elf_lines_find(file->lines, addr, line);
}

int elf_file_row(struct elf_file *file, uint64_t addr, const struct line_row **row)
{
	*row = NULL;
	if (!open_dwarf(file) || !dwarf_addr(file, &addr))
		return 0;
	return elf_lines_row(file->lines, addr, row);
}

/* The same for inlined functions.  @addr is turned into one of the debug information. */
static bool open_inlines(struct elf_file *file, uint64_t *addr)
{
	if (!open_dwarf(file) || !dwarf_addr(file, addr))
		return false;
	if (!file->inlines)
		file->inlines = elf_inlines_new(file->dwarf, file->lines);
	return file->inlines;
}

const struct elf_inlined *elf_file_inlined(struct elf_file *file, uint64_t addr,
					   struct elf_range *range)
{
	const struct elf_segment *s = elf_segment_find(file, addr);
	const struct elf_inlined *found;
	uint64_t at = addr;

	*range = s ? (struct elf_range){ 0, UINT64_MAX } : (struct elf_range){ addr, addr + 1 };
	if (!s || !open_inlines(file, &at))
		return NULL;
	found = elf_inlines_find(file->inlines, addr, at - addr, range);
	/* each section of a module was moved in its own way */
	if (range->start < s->addr)
		range->start = s->addr;
	if (range->end - s->addr > s->size)
		range->end = s->addr + s->size;
	return found;
}

const struct elf_function *elf_file_function(struct elf_file *file, uint64_t addr)
{
	return open_inlines(file, &addr) ? elf_inlines_function(file->inlines, addr) : NULL;
}

bool elf_file_bodies(struct elf_file *file, struct elf_bodies *bodies)
{
	uint64_t addr = 0;

	*bodies = (struct elf_bodies){ 0 };
	return !open_inlines(file, &addr) || elf_inlines_bodies(file->inlines, bodies);
}

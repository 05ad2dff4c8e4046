// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "../../perf-plugin/lower-bound.h"
#include "map.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "guest.h"
#include "page.h"
#include "port.h"

/**
 * struct region - a piece of the program's address space
 * @from: up to but not including @to
 * @offset: offset of @from in the file
 * @file: NULL: none
 */
struct region {
	uint64_t from, to;
	uint64_t offset;
	uint32_t prot, flags;
	struct page_file *file;
};

static struct {
	pthread_mutex_t lock;
	struct region *region;		/* sorted */
	size_t n, size;
} map = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---------------------------------------------------------------- the table */

static bool insert(size_t i, const struct region *region)
{
	if (map.n == map.size) {
		size_t size = map.size ? 2 * map.size : 64;
		struct region *p = realloc(map.region, size * sizeof(*p));

		if (!p)
			return false;
		map.region = p;
		map.size = size;
	}
	memmove(map.region + i + 1, map.region + i, (map.n - i) * sizeof(*region));
	map.region[i] = *region;
	map.n++;
	return true;
}

/* The first region that ends after @addr. */
static size_t first_after(uint64_t addr)
{
	return LOWER_BOUND(map.n, i, map.region[i].to <= addr);
}

/* Cuts the region around @addr in two. */
static void cut(uint64_t addr)
{
	size_t i = first_after(addr);
	struct region upper;

	if (i == map.n || map.region[i].from >= addr)
		return;
	upper = map.region[i];
	upper.offset += addr - upper.from;
	upper.from = addr;
	if (insert(i + 1, &upper))
		map.region[i].to = addr;
}

static void forget(uint64_t from, uint64_t to)
{
	size_t i, n;

	cut(from);
	cut(to);
	i = first_after(from);
	for (n = 0; i + n < map.n && map.region[i + n].from < to; n++)
		;
	memmove(map.region + i, map.region + i + n, (map.n - i - n) * sizeof(*map.region));
	map.n -= n;
	page_forget(from, to);
}

static const struct region *at(uint64_t addr)
{
	size_t i = first_after(addr);

	return i < map.n && map.region[i].from <= addr ? &map.region[i] : NULL;
}

/* ---------------------------------------------------------------- records of maps */

static void tell(const struct region *r, const struct map_who *who)
{
	const struct page_file *f = r->file;
	const char *name = f ? f->name : "//anon";
	struct port_head head = { .type = PORT_MAP, .time = who->time, .pid = who->pid,
				  .tid = who->tid, .cpu = who->cpu };
	struct port_map as = { .addr = r->from, .len = r->to - r->from, .pgoff = r->offset,
			       .ino = f ? f->ino : 0, .maj = f ? major(f->dev) : 0,
			       .min = f ? minor(f->dev) : 0, .prot = r->prot, .flags = r->flags };
	struct truth_map truth = { .addr = as.addr, .len = as.len, .pgoff = as.pgoff,
				   .ino = as.ino, .maj = as.maj, .min = as.min, .pid = who->pid,
				   .tid = who->tid, .prot = as.prot, .flags = as.flags,
				   .name = name };

	port_send(&head, &as, sizeof(as), name, strlen(name) + 1);
	if (who->truth)
		truth_map(who->truth, &truth);
	if (f)
		page_again(r->from, r->to, who);
}

static void tell_all(uint64_t from, uint64_t to, const struct map_who *who)
{
	for (size_t i = first_after(from); i < map.n && map.region[i].from < to; i++)
		if (map.region[i].prot & PROT_EXEC)
			tell(&map.region[i], who);
}

static void tell_gone(uint64_t from, uint64_t to, const struct map_who *who)
{
	struct truth_map truth = { .addr = from, .len = to - from, .pid = who->pid,
				   .tid = who->tid };
	bool any = false;

	for (size_t i = first_after(from); i < map.n && map.region[i].from < to; i++)
		any |= map.region[i].prot & PROT_EXEC;
	if (any && who->truth)
		truth_unmap(who->truth, &truth);
}

/* ---------------------------------------------------------------- calls of the program */

static uint64_t up(uint64_t len)
{
	return (len + MAP_PAGE - 1) & -(uint64_t)MAP_PAGE;
}

static void put(const struct region *region, const struct map_who *who)
{
	tell_gone(region->from, region->to, who);
	forget(region->from, region->to);
	if (insert(first_after(region->from), region) && region->prot & PROT_EXEC)
		tell(region, who);
}

void map_add(const struct map_request *request, const struct map_who *who)
{
	struct region r = { .from = request->addr, .to = request->addr + up(request->len),
			    .offset = request->offset, .prot = request->prot,
			    .flags = request->flags };

	if (r.to <= r.from)
		return;
	pthread_mutex_lock(&map.lock);
	if (request->fd >= 0)
		r.file = page_file_of(request->fd);
	put(&r, who);
	pthread_mutex_unlock(&map.lock);
}

void map_protect(uint64_t addr, uint64_t len, uint32_t prot, const struct map_who *who)
{
	uint64_t to = addr + up(len);

	pthread_mutex_lock(&map.lock);
	cut(addr);
	cut(to);
	for (size_t i = first_after(addr); i < map.n && map.region[i].from < to; i++)
		map.region[i].prot = prot;
	tell_all(addr, to, who);
	pthread_mutex_unlock(&map.lock);
}

void map_remove(uint64_t addr, uint64_t len, const struct map_who *who)
{
	pthread_mutex_lock(&map.lock);
	tell_gone(addr, addr + up(len), who);
	forget(addr, addr + up(len));
	pthread_mutex_unlock(&map.lock);
}

void map_move(const struct map_move *move, const struct map_who *who)
{
	const struct region *old;
	struct region r = { .prot = PROT_READ };

	pthread_mutex_lock(&map.lock);
	old = at(move->from);
	if (old) {
		r = *old;
		r.offset += move->from - old->from;
	}
	r.from = move->to;
	r.to = move->to + up(move->to_len);
	tell_gone(move->from, move->from + up(move->from_len), who);
	forget(move->from, move->from + up(move->from_len));
	put(&r, who);
	pthread_mutex_unlock(&map.lock);
}

/* ---------------------------------------------------------------- maps at the beginning */

/* Maps that are not the program's: QEMU, its libraries, and the plugin. */
struct own {
	uint64_t addr;
	bool is;
};

static int is_own(struct dl_phdr_info *info, size_t size, void *data)
{
	struct own *own = data;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		uint64_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
		    own->addr >= (from & -(uint64_t)MAP_PAGE) &&
		    own->addr < up(from + info->dlpi_phdr[i].p_memsz))
			own->is = true;
	}
	return 0;
}

/*
 * The protection that the program requested: QEMU never maps its memory for execution.
 * Segments begin anywhere in a page, and the rest of the page is mapped, too.
 */
static bool is_code(struct page_file *file, uint64_t offset)
{
	const uint8_t *bytes = page_file_bytes(file);
	const Elf64_Ehdr *e64 = (const void *)bytes;
	const Elf32_Ehdr *e32 = (const void *)bytes;
	uint64_t at;
	uint32_t n;

	if (!bytes || file->size < sizeof(*e64) || memcmp(bytes, ELFMAG, SELFMAG))
		return false;
	at = guest_is_arm() ? e32->e_phoff : e64->e_phoff;
	n = guest_is_arm() ? e32->e_phnum : e64->e_phnum;
	for (uint32_t i = 0; i < n; i++) {
		Elf64_Phdr p64 = { 0 };
		Elf32_Phdr p32 = { 0 };

		if (at > file->size || file->size - at < sizeof(p64))
			return false;
		memcpy(&p64, bytes + at, sizeof(p64));
		memcpy(&p32, bytes + at, sizeof(p32));
		at += guest_is_arm() ? sizeof(p32) : sizeof(p64);
		if (guest_is_arm())
			p64 = (Elf64_Phdr){ .p_type = p32.p_type, .p_flags = p32.p_flags,
					    .p_offset = p32.p_offset, .p_filesz = p32.p_filesz };
		if (p64.p_type == PT_LOAD && p64.p_flags & PF_X &&
		    offset >= (p64.p_offset & -(uint64_t)MAP_PAGE) &&
		    offset < p64.p_offset + p64.p_filesz)
			return true;
	}
	return false;
}

static void begin_with(const char *line, const struct map_who *who)
{
	unsigned long from, to, offset, ino;
	struct own own = { 0 };
	struct region r;
	char prot[5], name[PATH_MAX];

	if (sscanf(line, "%lx-%lx %4s %lx %*s %lu %4095[^\n]", &from, &to, prot, &offset, &ino,
		   name) != 6 || name[0] != '/')
		return;
	own.addr = from;
	dl_iterate_phdr(is_own, &own);
	if (own.is || from < guest_base())
		return;
	r = (struct region){ .from = from - guest_base(), .to = to - guest_base(),
			     .offset = offset, .prot = PROT_READ, .flags = MAP_PRIVATE };
	r.file = page_file_named(name);
	/* our own map of the file */
	if (r.file && (uintptr_t)r.file->bytes == from)
		return;
	if (r.file && is_code(r.file, offset))
		r.prot |= PROT_EXEC;
	if (insert(first_after(r.from), &r) && r.prot & PROT_EXEC)
		tell(&r, who);
}

void map_begin(const struct map_who *who)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[PATH_MAX + 128];

	if (!f)
		return;
	pthread_mutex_lock(&map.lock);
	while (fgets(line, sizeof(line), f))
		begin_with(line, who);
	pthread_mutex_unlock(&map.lock);
	fclose(f);
}

/* ---------------------------------------------------------------- code */

/* @code lies in one page. */
static bool has_part(uint64_t addr, const uint8_t *code, size_t n)
{
	const struct region *r = at(addr);
	const uint8_t *bytes, *page = page_bytes(addr);
	uint64_t offset;

	if (page)
		return !memcmp(page + addr % MAP_PAGE, code, n);
	bytes = r && r->file ? page_file_bytes(r->file) : NULL;
	if (!bytes)
		return false;
	offset = r->offset + (addr - r->from);
	return offset <= r->file->size && r->file->size - offset >= n &&
		!memcmp(bytes + offset, code, n);
}

static size_t in_page(uint64_t addr, size_t n)
{
	size_t left = MAP_PAGE - addr % MAP_PAGE;

	return n < left ? n : left;
}

bool map_has(uint64_t addr, const uint8_t *code, size_t n)
{
	bool has = true;

	pthread_mutex_lock(&map.lock);
	while (n && has) {
		size_t part = in_page(addr, n);

		has = has_part(addr, code, part);
		addr += part;
		code += part;
		n -= part;
	}
	pthread_mutex_unlock(&map.lock);
	return has;
}

void map_write_code(uint64_t addr, const uint8_t *code, size_t n, const struct map_who *who)
{
	pthread_mutex_lock(&map.lock);
	while (n) {
		size_t part = in_page(addr, n);

		if (!has_part(addr, code, part))
			page_write(addr, code, part, who);
		addr += part;
		code += part;
		n -= part;
	}
	pthread_mutex_unlock(&map.lock);
}

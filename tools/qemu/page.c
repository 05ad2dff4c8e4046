// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "page.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest.h"
#include "port.h"

#define N_HASH	1024

struct page {
	uint64_t addr;
	struct page *next;
	uint8_t bytes[MAP_PAGE];
};

static struct page_file *files;
static struct page *pages[N_HASH];

/* ---------------------------------------------------------------- files */

static struct page_file *enter(const char *name, const struct stat *st)
{
	struct page_file *f = files;

	if (!S_ISREG(st->st_mode))
		return NULL;
	while (f && (f->ino != st->st_ino || f->dev != st->st_dev || strcmp(f->name, name)))
		f = f->next;
	if (f)
		return f;
	f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	f->name = strdup(name);
	if (!f->name) {
		free(f);
		return NULL;
	}
	f->ino = st->st_ino;
	f->dev = st->st_dev;
	f->size = st->st_size;
	f->next = files;
	files = f;
	return f;
}

/* The program's descriptors are also ours. */
struct page_file *page_file_of(int fd)
{
	char link[32], name[PATH_MAX];
	struct stat st;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, name, sizeof(name) - 1);
	if (n <= 0 || name[0] != '/' || fstat(fd, &st))
		return NULL;
	name[n] = '\0';
	return enter(name, &st);
}

struct page_file *page_file_named(const char *name)
{
	struct stat st;

	return stat(name, &st) ? NULL : enter(name, &st);
}

const uint8_t *page_file_bytes(struct page_file *file)
{
	struct stat st;
	void *bytes;
	int fd;

	if (file->tried)
		return file->bytes;
	file->tried = true;
	fd = open(file->name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && st.st_ino == file->ino && st.st_dev == file->dev && st.st_size) {
		bytes = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (bytes != MAP_FAILED) {
			file->bytes = bytes;
			file->size = st.st_size;
		}
	}
	close(fd);
	return file->bytes;
}

/* ---------------------------------------------------------------- pages */

static struct page **slot(uint64_t addr)
{
	return &pages[(addr / MAP_PAGE * 0x9e3779b97f4a7c15ull >> 40) % N_HASH];
}

static struct page *find(uint64_t addr)
{
	uint64_t start = addr & -(uint64_t)MAP_PAGE;
	struct page *p = *slot(start);

	while (p && p->addr != start)
		p = p->next;
	return p;
}

const uint8_t *page_bytes(uint64_t addr)
{
	const struct page *p = find(addr);

	return p ? p->bytes : NULL;
}

static void send(const struct page *p, const struct map_who *who)
{
	struct port_head head = { .type = PORT_CODE, .time = who->time, .pid = who->pid,
				  .tid = who->tid, .cpu = who->cpu };
	struct port_code as = { p->addr };

	port_send(&head, &as, sizeof(as), p->bytes, sizeof(p->bytes));
}

/* The translated code is executed, whatever another thread writes there meanwhile. */
void page_write(uint64_t addr, const uint8_t *code, size_t n, const struct map_who *who)
{
	struct page *p = find(addr);

	if (!p) {
		p = calloc(1, sizeof(*p));
		if (!p)
			return;
		p->addr = addr & -(uint64_t)MAP_PAGE;
		p->next = *slot(p->addr);
		*slot(p->addr) = p;
	}
	guest_read(p->addr, p->bytes, sizeof(p->bytes));
	memcpy(p->bytes + addr % MAP_PAGE, code, n);
	send(p, who);
}

void page_again(uint64_t from, uint64_t to, const struct map_who *who)
{
	for (size_t i = 0; i < N_HASH; i++)
		for (const struct page *p = pages[i]; p; p = p->next)
			if (p->addr >= from && p->addr < to)
				send(p, who);
}

void page_forget(uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < N_HASH; i++) {
		struct page **link = &pages[i];

		while (*link) {
			struct page *p = *link;

			if (p->addr < from || p->addr >= to) {
				link = &p->next;
				continue;
			}
			*link = p->next;
			free(p);
		}
	}
}

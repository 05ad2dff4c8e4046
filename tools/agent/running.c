// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "running.h"

#include <dirent.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../perf-plugin/array.h"

/* A file that is mapped, and its build-id; @n 0: it has none. */
struct known {
	uint64_t ino;
	uint32_t maj, min;
	uint8_t n, id[20];
};

/* All files that were seen. */
struct files {
	struct known *known;
	size_t n, size;
};

/* ---------------------------------------------------------------- build-ids */

/*
 * As the process itself sees the path, for it may have another root.  The file is not mapped:
 * another process may cut it meanwhile, and then reading the map would end the agent.
 */
static void read_id(struct known *file, uint32_t pid, const char *path)
{
	char name[PATH_MAX + 32];
	const void *id;
	ssize_t n;
	Elf *elf;
	int fd;

	snprintf(name, sizeof(name), "/proc/%" PRIu32 "/root%s", pid, path);
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	n = elf ? dwelf_elf_gnu_build_id(elf, &id) : 0;
	if (n > 0 && n <= (ssize_t)sizeof(file->id)) {
		memcpy(file->id, id, n);
		file->n = n;
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
}

/* Return: NULL: no memory. */
static const struct known *look_up(struct files *files, uint32_t pid, const struct perf_mmap *map)
{
	struct known *file;

	for (size_t i = files->n; i--;)
		if (files->known[i].ino == map->ino && files->known[i].maj == map->maj &&
		    files->known[i].min == map->min)
			return &files->known[i];
	if (!array_room(&files->known, files->n, &files->size, sizeof(*files->known)))
		return NULL;
	file = &files->known[files->n++];
	*file = (struct known){ .ino = map->ino, .maj = map->maj, .min = map->min };
	read_id(file, pid, map->name);
	return file;
}

/* ---------------------------------------------------------------- maps */

/* A line of /proc/PID/maps.  Return: it is of code, and says everything. */
static bool read_map(char *line, struct perf_mmap *map)
{
	uint64_t end;
	char prot[5];
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &map->addr,
		   &end, prot, &map->pgoff, &map->maj, &map->min, &map->ino, &at) != 7 || !at)
		return false;
	map->len = end - map->addr;
	map->prot = (prot[0] == 'r' ? PROT_READ : 0) | (prot[1] == 'w' ? PROT_WRITE : 0) |
		    (prot[2] == 'x' ? PROT_EXEC : 0);
	map->flags = prot[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	line[strcspn(line, "\n")] = '\0';
	/* perf's name for memory that is in no file */
	map->name = line[at] ? line + at : "//anon";
	return map->prot & PROT_EXEC;
}

static int write_maps(struct perf_writer *writer, struct files *files, uint32_t pid)
{
	const struct perf_write_who who = { .pid = pid, .tid = pid };
	char name[64], *line = NULL;
	size_t size = 0;
	int err = 0;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%" PRIu32 "/maps", pid);
	f = fopen(name, "re");
	while (f && !err && getline(&line, &size, f) > 0) {
		struct perf_mmap map = { .pid = pid, .tid = pid };
		const struct known *file;

		if (!read_map(line, &map))
			continue;
		if (map.name[0] == '/' && map.ino) {
			file = look_up(files, pid, &map);
			err = file ? 0 : -ENOMEM;
			map.build_id = file ? file->id : NULL;
			map.n_build_id = file ? file->n : 0;
		}
		if (!err)
			perf_write_mmap(writer, &who, &map);
	}
	free(line);
	if (f)
		fclose(f);
	return err;
}

/* ---------------------------------------------------------------- tasks */

static bool read_comm(const char *path, char *comm, size_t n)
{
	FILE *f = fopen(path, "re");
	bool found = f && fgets(comm, n, f);

	if (f)
		fclose(f);
	if (found)
		comm[strcspn(comm, "\n")] = '\0';
	return found;
}

/* The number that a folder of /proc is named after; 0: none. */
static uint32_t number(const char *name)
{
	return name[strspn(name, "0123456789")] ? 0 : strtoul(name, NULL, 10);
}

static void write_threads(struct perf_writer *writer, uint32_t pid)
{
	char name[320], comm[32];
	const struct dirent *entry;
	DIR *dir;

	snprintf(name, sizeof(name), "/proc/%" PRIu32 "/task", pid);
	dir = opendir(name);
	while (dir && (entry = readdir(dir))) {
		const struct perf_write_who who = { .pid = pid, .tid = number(entry->d_name) };

		snprintf(name, sizeof(name), "/proc/%" PRIu32 "/task/%s/comm", pid, entry->d_name);
		if (who.tid && read_comm(name, comm, sizeof(comm)))
			perf_write_comm(writer, &who, comm, false);
	}
	if (dir)
		closedir(dir);
}

static int take_process(struct perf_writer *writer, struct files *files, uint32_t pid,
			const struct agent_config *config, struct apart *apart)
{
	char name[64], comm[32];
	int err = 0;

	snprintf(name, sizeof(name), "/proc/%" PRIu32 "/comm", pid);
	if (!read_comm(name, comm, sizeof(comm)))
		return 0;			/* it has ended */
	if (agent_config_excludes(config) && apart_fits(config, pid, comm))
		err = apart_add(apart, pid);
	if (!writer || err)
		return err;
	write_threads(writer, pid);
	return write_maps(writer, files, pid);
}

int running_write(struct perf_writer *writer, const struct agent_config *config,
		  struct apart *apart)
{
	struct files files = { 0 };
	const struct dirent *entry;
	DIR *dir = opendir("/proc");
	int err = dir ? 0 : -errno;

	elf_version(EV_CURRENT);
	while (!err && (entry = readdir(dir)))
		if (number(entry->d_name))
			err = take_process(writer, &files, number(entry->d_name), config, apart);
	if (dir)
		closedir(dir);
	free(files.known);
	return err;
}

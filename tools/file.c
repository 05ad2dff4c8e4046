// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"

static int map(struct file *file, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (!st.st_size)
		return 0;
	file->map = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file->map == MAP_FAILED) {
		file->map = NULL;
		return -errno;
	}
	file->data = file->map;
	file->n = st.st_size;
	return 0;
}

int file_map(struct file *file, const char *path)
{
	struct stat st;
	int fd, err;

	memset(file, 0, sizeof(*file));
	file->data = (const uint8_t *)"";
	/* who opens a pipe, and closes it, ends whoever writes to it */
	if (!stat(path, &st) && S_ISFIFO(st.st_mode))
		return -EINVAL;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = map(file, fd);
	close(fd);
	return err;
}

void file_unmap(struct file *file)
{
	if (file->map)
		munmap(file->map, file->n);
	memset(file, 0, sizeof(*file));
}

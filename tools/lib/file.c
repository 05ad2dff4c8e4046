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

bool file_is_pipe(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISFIFO(st.st_mode);
}

const char *file_odd(const char *path)
{
	struct stat st;

	if (stat(path, &st) || S_ISREG(st.st_mode))
		return NULL;
	return S_ISDIR(st.st_mode) ? "a directory, not a file" :
	       S_ISFIFO(st.st_mode) ? FILE_PIPE :
	       S_ISSOCK(st.st_mode) ? "a socket, not a file" : "a device, not a file";
}

const char *file_words(const char *path, int err)
{
	/* open() fails with ENXIO for a socket, mmap() with EINVAL for all that cannot be mapped */
	const char *odd = path && (err == -EINVAL || err == -ENXIO) ? file_odd(path) : NULL;

	return odd ? odd : strerror(-err);
}

const char *file_elf_words(const char *path, int err)
{
	const char *odd = file_odd(path);

	if (err != -EINVAL && err != -EBADMSG)
		return file_words(path, err);
	return odd ? odd : err == -EINVAL ? "not an ELF file" : "it is packed, and damaged";
}

int file_map(struct file *file, const char *path)
{
	int fd, err;

	memset(file, 0, sizeof(*file));
	file->data = (const uint8_t *)"";
	/* opening and closing a pipe would end its writer */
	if (file_is_pipe(path))
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

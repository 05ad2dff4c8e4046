// SPDX-License-Identifier: GPL-2.0-only
#include "new-file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* ".csflow-" and 16 digits */
#define NAME_SIZE	25

/**
 * struct passing - a file that exists for a time
 * @over: it is gone; it stays in the list, as a signal handler may be walking the list
 * @f: NULL: it is not written here
 * @name: final name of the file; likewise NULL
 * @later: it is held, and this is the one that was held after it
 */
struct passing {
	struct passing *next, *later;
	atomic_bool over;
	FILE *f;
	char *name;
	char path[];
};

static struct passing *_Atomic newest;
static struct passing *first_held, **last_held = &first_held;
static bool guarded;

static struct passing *add(const char *folder, size_t n, const char *name)
{
	struct passing *p = calloc(1, sizeof(*p) + n + strlen(name) + 1);

	if (!p)
		return NULL;
	memcpy(p->path, folder, n);
	strcpy(p->path + n, name);
	p->next = newest;
	newest = p;
	return p;
}

void new_file_passing(const char *path)
{
	add("", 0, path);
}

void new_file_drop(void)
{
	for (struct passing *p = newest; p; p = p->next)
		if (!p->over && unlink(p->path))
			rmdir(p->path);
}

/* The signal comes again after this, and the process then ends as its parent expects. */
static void on_signal(int signo)
{
	new_file_drop();
	raise(signo);
}

void new_file_guard(void)
{
	static const int deadly[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU };
	const struct sigaction new = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND };
	struct sigaction old;

	guarded = true;
	for (size_t i = 0; i < sizeof(deadly) / sizeof(*deadly); i++)
		if (!sigaction(deadly[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(deadly[i], &new, NULL);
	atexit(new_file_drop);
}

/* ---------------------------------------------------------------- starting */

/* The file belongs to another process that has it open, such as a shell's "> FILE". */
static bool is_open_already(const char *path)
{
	return !strncmp(path, "/dev/std", 8) || !strncmp(path, "/dev/fd/", 8) ||
	       !strncmp(path, "/proc/", 6);
}

/* The path without links, which the caller frees.  Return: NULL: write to the path directly. */
static char *target_path(const char *path, const struct stat *st)
{
	struct stat link;

	if (st->st_mode)
		return S_ISREG(st->st_mode) && !is_open_already(path) && !access(path, W_OK) ?
		       realpath(path, NULL) : NULL;
	return *path && lstat(path, &link) ? strdup(path) : NULL;
}

/* If no handler reads the list, the entry may be freed: a host may unload this library. */
static void end(struct passing *p)
{
	struct passing *last = newest;

	p->over = true;
	p->f = NULL;
	free(p->name);
	p->name = NULL;
	if (!guarded && p == last) {
		newest = p->next;
		free(p);
	}
}

/* The name is in the list before the file exists, so that no signal comes in between. */
static struct passing *begin(const char *name)
{
	const char *slash = strrchr(name, '/');
	char own[NAME_SIZE];
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return NULL;
	snprintf(own, sizeof(own), ".csflow-%016" PRIx64, number);
	return add(name, slash ? slash + 1 - name : 0, own);
}

static FILE *open_it(struct passing *p, const struct stat *st)
{
	int fd = open(p->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666), err = errno;

	if (fd >= 0 && st->st_mode && fchmod(fd, st->st_mode & 0777))
		err = errno;
	else if (fd >= 0)
		p->f = fdopen(fd, "w+");
	if (p->f)
		return p->f;
	if (fd >= 0) {
		close(fd);
		unlink(p->path);
	}
	end(p);
	errno = err;
	return NULL;
}

/* Opening a pipe has to wait for a reader. */
static FILE *open_as_it_is(const char *path, const struct stat *st)
{
	return fopen(path, S_ISFIFO(st->st_mode) ? "we" : "w+e");
}

FILE *new_file(const char *path)
{
	struct stat st = { .st_mode = 0 };
	struct passing *p;
	char *name;
	FILE *f;

	if (!path)
		return stdout;
	if (stat(path, &st))
		st.st_mode = 0;
	name = target_path(path, &st);
	if (!name)
		return open_as_it_is(path, &st);
	p = begin(name);
	f = p ? open_it(p, &st) : NULL;
	if (f) {
		p->name = name;
		return f;
	}
	free(name);
	return errno == EACCES || errno == EPERM || errno == EROFS ? open_as_it_is(path, &st) :
	       NULL;
}

/* ---------------------------------------------------------------- finishing */

/* stdio does not keep the reason; writing again shows it for a regular file. */
static int why(FILE *f, const struct passing *p)
{
	static const char more[1 << 16];
	int fd = fileno(f);

	errno = 0;
	if (!p)
		return fflush(f) && errno ? -errno : -EIO;
	/* a single write may still find some room */
	if (lseek(fd, 0, SEEK_END) < 0 || write(fd, more, sizeof(more)) < 0 ||
	    write(fd, more, sizeof(more)) < 0)
		return -errno;
	return -EIO;
}

static int flush(FILE *f, const struct passing *p, int err)
{
	if (err)
		return err;
	if (fflush(f))
		err = -errno;
	if (!err && ferror(f))
		err = why(f, p);
	return err;
}

/* Return: @err, or a new error. */
static int close_it(FILE *f, const struct passing *p, int err)
{
	err = flush(f, p, err);
	if (f != stdout && fclose(f) && !err)
		err = -errno;
	return err;
}

static struct passing *passing_of(const FILE *f)
{
	struct passing *p = newest;

	while (p && p->f != f)
		p = p->next;
	return p;
}

static int give_name(struct passing *p, int err)
{
	if (!err && rename(p->path, p->name))
		err = -errno;
	if (err)
		unlink(p->path);
	end(p);
	return err;
}

int new_file_close(FILE *f, int err)
{
	struct passing *p = passing_of(f);

	err = close_it(f, p, err);
	return p ? give_name(p, err) : err;
}

int new_file_hold(FILE *f, int err)
{
	struct passing *p = passing_of(f);

	err = close_it(f, p, err);
	if (err && p)
		return give_name(p, err);
	if (!p)
		return err;
	p->f = NULL;
	*last_held = p;
	last_held = &p->later;
	return 0;
}

int new_file_release(void)
{
	struct passing *p = first_held, *later;
	sigset_t all, old;
	int err = 0;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	first_held = NULL;
	last_held = &first_held;
	for (; p; p = later) {
		later = p->later;
		err = give_name(p, err);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	return err;
}

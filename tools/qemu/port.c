// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "port.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static struct {
	pthread_mutex_t lock;
	int fd;
	size_t n;
	uint8_t buf[1 << 16];
} port = { .lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, .fd = -1 };

/*
 * The program has the same table of descriptors, and some programs close all that they can have.  A
 * number above the limit that they see survives.
 */
int port_out_of_way(int fd)
{
	struct rlimit limit, more;
	int high, from;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return -errno;
	more = limit;
	if (limit.rlim_cur < limit.rlim_max)
		more.rlim_cur = limit.rlim_max - limit.rlim_cur > 64 ? limit.rlim_cur + 64 :
			limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &more))
		more = limit;
	from = more.rlim_cur > limit.rlim_cur ? limit.rlim_cur : limit.rlim_cur - 16;
	high = fcntl(fd, F_DUPFD_CLOEXEC, from);
	if (high < 0)
		high = -errno;
	setrlimit(RLIMIT_NOFILE, &limit);
	if (high >= 0)
		close(fd);
	return high;
}

static int receive(int fd, void *buf, size_t n)
{
	uint8_t *p = buf;

	while (n) {
		ssize_t got = recv(fd, p, n, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -EPIPE;
		p += got;
		n -= got;
	}
	return 0;
}

int port_open(int fd, struct port_setup *setup)
{
	int err = receive(fd, setup, sizeof(*setup));

	if (err)
		return err;
	if (setup->magic != PORT_MAGIC)
		return -EPROTO;
	setup->words[PORT_WORDS_MAX - 1] = '\0';
	port.fd = port_out_of_way(fd);
	return port.fd < 0 ? port.fd : 0;
}

/* csflow record is gone: the program goes on without it. */
static void put(const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	while (n && port.fd >= 0) {
		ssize_t done = send(port.fd, p, n, MSG_NOSIGNAL);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0) {
			close(port.fd);
			port.fd = -1;
			return;
		}
		p += done;
		n -= done;
	}
}

static void flush(void)
{
	put(port.buf, port.n);
	port.n = 0;
}

static void add(const void *bytes, size_t n)
{
	if (n > sizeof(port.buf) - port.n)
		flush();
	if (n > sizeof(port.buf)) {
		put(bytes, n);
		return;
	}
	memcpy(port.buf + port.n, bytes, n);
	port.n += n;
}

void port_begin(void)
{
	pthread_mutex_lock(&port.lock);
}

void port_end(void)
{
	pthread_mutex_unlock(&port.lock);
}

void port_send(const struct port_head *head, const void *a, size_t n_a, const void *b, size_t n_b)
{
	struct port_head full = *head;

	full.size = n_a + n_b;
	pthread_mutex_lock(&port.lock);
	if (port.fd >= 0) {
		add(&full, sizeof(full));
		if (n_a)
			add(a, n_a);
		if (n_b)
			add(b, n_b);
	}
	pthread_mutex_unlock(&port.lock);
}

void port_flush(void)
{
	pthread_mutex_lock(&port.lock);
	flush();
	pthread_mutex_unlock(&port.lock);
}

int port_wait(int wake, int ms)
{
	struct pollfd ready[] = { { .fd = port.fd, .events = POLLIN },
				  { .fd = wake, .events = POLLIN } };
	uint8_t word;

	if (poll(ready, 2, ms) <= 0 || !ready[0].revents)
		return 0;
	return recv(port.fd, &word, 1, MSG_DONTWAIT) >= 0;
}

/* The lock may be held by a thread that this process does not have. */
void port_abandon(void)
{
	close(port.fd);
	port.fd = -1;
	port.n = 0;
	port.lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
}

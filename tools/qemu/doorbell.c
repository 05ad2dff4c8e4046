// SPDX-License-Identifier: GPL-2.0-only
/*
 * QEMU makes the character devices of its command line before it loads plugins, and other devices
 * after that.  So the plugin listens, and has QEMU connect to it, by a function that Debian's QEMU
 * exports.  All that a device wants to read fits into the socket's buffer.
 */
#define _GNU_SOURCE
#include "doorbell.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* The server's words: numbers of 64 bits, some with a descriptor. */
#define WORD_VERSION	0
#define WORD_PEER	0	/* the number of the only device */
#define WORD_MEMORY	(-1)

static struct {
	int vector[DOORBELL_MAX];
	int socket;
} bell = { .socket = -1 };

static int say(int64_t word, int fd)
{
	char control[CMSG_SPACE(sizeof(fd))] = { 0 };
	struct iovec data = { &word, sizeof(word) };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1 };

	if (fd >= 0) {
		struct cmsghdr *head;

		message.msg_control = control;
		message.msg_controllen = sizeof(control);
		head = CMSG_FIRSTHDR(&message);
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	}
	return sendmsg(bell.socket, &message, MSG_NOSIGNAL) == sizeof(word) ? 0 : -errno;
}

static int serve(int memory)
{
	int err = say(WORD_VERSION, -1);

	if (!err)
		err = say(WORD_PEER, -1);
	if (!err)
		err = say(WORD_MEMORY, memory);
	for (int i = 0; i < DOORBELL_MAX && !err; i++) {
		bell.vector[i] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
		err = bell.vector[i] < 0 ? -errno : say(WORD_PEER, bell.vector[i]);
	}
	return err;
}

/* Has QEMU make a character device that is connected to @socket, which listens as @path. */
static int connect_qemu(const char *name, int socket, const char *path)
{
	void *(*make)(const char *label, const char *what, void *context);
	void *symbol = dlsym(RTLD_DEFAULT, "qemu_chr_new");
	char what[128];

	if (!symbol)
		return -EOPNOTSUPP;
	memcpy(&make, &symbol, sizeof(make));
	snprintf(what, sizeof(what), "unix:%s,abstract=on", path);
	if (!make(name, what, NULL))
		return -ECONNREFUSED;
	bell.socket = accept4(socket, NULL, NULL, SOCK_CLOEXEC);
	return bell.socket < 0 ? -errno : 0;
}

int doorbell_open(const char *name, int memory)
{
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	char *const path = at.sun_path + 1;		/* no file */
	const int n = snprintf(path, sizeof(at.sun_path) - 1, "csflow-unit-%d", getpid());
	const socklen_t size = offsetof(struct sockaddr_un, sun_path) + 1 + n;
	int err;

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, size) || listen(fd, 1))
		err = -errno;
	else
		err = connect_qemu(name, fd, path);
	if (!err)
		err = serve(memory);
	if (fd >= 0)
		close(fd);
	return err;
}

void doorbell_ring(unsigned int n)
{
	const uint64_t one = 1;

	/* A bell that rings already rings. */
	if (n < DOORBELL_MAX && write(bell.vector[n], &one, sizeof(one)) < 0)
		return;
}

// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"
#include "record.h"
#include "tool.h"

#define PLUGIN	"csflow-unit.so"
/* Of QEMU's own arguments, and those of the program. */
#define OWN_ARGS	16

/* ---------------------------------------------------------------- what is there */

bool record_find_emulator(const struct record *r, char *path, size_t n)
{
	if (r->qemu && strchr(r->qemu, '/'))
		return snprintf(path, n, "%s", r->qemu) < (int)n && !access(path, X_OK);
	return tool_find(r->qemu ? r->qemu : r->arm ? "qemu-arm" : "qemu-aarch64", path, n);
}

/* Beside the command, as it is built; or in ../lib/csflow, as it is installed. */
bool record_find_plugin(const struct record *r, char *path, size_t n)
{
	char own[PATH_MAX];
	ssize_t have;
	char *slash;

	if (r->plugin)
		return snprintf(path, n, "%s", r->plugin) < (int)n && !access(path, R_OK);
	have = readlink("/proc/self/exe", own, sizeof(own) - 1);
	if (have <= 0)
		return false;
	own[have] = '\0';
	slash = strrchr(own, '/');
	if (!slash)
		return false;
	*slash = '\0';
	if (snprintf(path, n, "%s/" PLUGIN, own) < (int)n && !access(path, R_OK))
		return true;
	return snprintf(path, n, "%s/../lib/csflow/" PLUGIN, own) < (int)n && !access(path, R_OK);
}

static const char *machine_name(unsigned int machine)
{
	switch (machine) {
	case EM_X86_64:
		return "x86-64";
	case EM_386:
		return "x86";
	case EM_RISCV:
		return "RISC-V";
	case EM_PPC64:
		return "PowerPC";
	case EM_S390:
		return "s390";
	default:
		return "another processor";
	}
}

bool record_check_program(struct record *r, const char *program)
{
	Elf64_Ehdr elf = { 0 };
	struct file file;
	int err = file_map(&file, program);

	if (err) {
		fprintf(stderr, "csflow: %s: %s\n", program, strerror(-err));
		return false;
	}
	memcpy(&elf, file.data, file.n < sizeof(elf) ? file.n : sizeof(elf));
	file_unmap(&file);
	if (memcmp(elf.e_ident, ELFMAG, SELFMAG)) {
		fprintf(stderr, "csflow: %s is no ELF program: a script? Name its interpreter\n",
			program);
		return false;
	}
	r->arm = elf.e_machine == EM_ARM;
	if (r->arm || elf.e_machine == EM_AARCH64)
		return true;
	fprintf(stderr, "csflow: %s is a program for %s, not for AArch64 or Arm\n", program,
		machine_name(elf.e_machine));
	return false;
}

/* ---------------------------------------------------------------- the two sides */

static bool send_setup(const struct record *r, int fd)
{
	struct port_setup setup = {
		.magic = PORT_MAGIC, .n_cpu = r->n_cpu, .quantum = r->quantum,
		.migrate = r->migrate, .limit = r->aux_size / 2, .truth = r->truth_fd,
		.per_thread = r->per_thread, .framed = !r->raw,
		.cut = r->header < 2 || !r->setup.time_period,
	};

	snprintf(setup.words, sizeof(setup.words), "%s", r->unit);
	return send(fd, &setup, sizeof(setup), MSG_NOSIGNAL) == sizeof(setup);
}

/* In the child. */
static void execute(const struct record *r, const char *emulator, const char *plugin, int fd,
		    char **program)
{
	char load[PATH_MAX + 32];
	const char **argv;
	size_t n = 0, n_program = 0;

	while (program[n_program])
		n_program++;
	argv = calloc(OWN_ARGS + 2 * r->n_env + n_program, sizeof(*argv));
	if (!argv)
		_exit(127);
	snprintf(load, sizeof(load), "%s,fd=%d", plugin, fd);
	argv[n++] = emulator;
	argv[n++] = "-plugin";
	argv[n++] = load;
	if (r->root) {
		argv[n++] = "-L";
		argv[n++] = r->root;
	}
	for (size_t i = 0; i < r->n_env; i++) {
		argv[n++] = "-E";
		argv[n++] = r->env[i];
	}
	argv[n++] = "--";
	memcpy(argv + n, program, n_program * sizeof(*argv));
	fcntl(fd, F_SETFD, 0);
	if (r->truth_fd >= 0)
		fcntl(r->truth_fd, F_SETFD, 0);
	execv(emulator, (char **)argv);
	fprintf(stderr, "csflow: %s: %s\n", emulator, strerror(errno));
	_exit(127);
}

static bool receive(int fd, void *buf, size_t n)
{
	uint8_t *p = buf;

	while (n) {
		ssize_t got = recv(fd, p, n, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		p += got;
		n -= got;
	}
	return true;
}

/*
 * Until the unit is gone.  If nothing more can be recorded the program goes on without: what it
 * was run for may be more than its trace.
 */
static int listen_to(struct record *r, int fd)
{
	uint8_t *body = malloc(PORT_MAX + 4096);
	struct port_head head;
	int err = body ? 0 : -ENOMEM;

	while (!err && receive(fd, &head, sizeof(head))) {
		if (head.size > PORT_MAX + 4096 || !receive(fd, body, head.size) ||
		    !record_message(r, &head, body))
			err = -EPROTO;
		if (recorder_error(r->recorder))
			break;
	}
	free(body);
	return err;
}

int record_run(struct record *r, const char *emulator, const char *plugin, char **program,
	       int *status)
{
	int pair[2], err;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -errno;
	pid = fork();
	if (!pid)
		execute(r, emulator, plugin, pair[1], program);
	err = pid < 0 ? -errno : 0;
	/* Who types ^C means the program. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	/* A file that may not grow any more is a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	close(pair[1]);
	if (!err && !send_setup(r, pair[0]))
		err = -errno;
	if (!err)
		err = listen_to(r, pair[0]);
	close(pair[0]);
	while (pid > 0 && waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	return err;
}

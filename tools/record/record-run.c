// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../lib/file.h"
#include "record.h"
#include "../lib/log.h"
#include "../lib/tool.h"

#define PLUGIN	"csflow-unit.so"
/* The most arguments of QEMU itself. */
#define OWN_ARGS	26

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* ---------------------------------------------------------------- finding files */

const char *record_emulator(const struct record *r)
{
	return r->machine ? "qemu-system-arm" : r->arm ? "qemu-arm" : "qemu-aarch64";
}

bool record_find_emulator(const struct record *r, char *path, size_t n)
{
	if (r->qemu && strchr(r->qemu, '/'))
		return snprintf(path, n, "%s", r->qemu) < (int)n && !access(path, X_OK);
	return tool_find(r->qemu ? r->qemu : record_emulator(r), path, n);
}

bool record_find_plugin(const struct record *r, char *path, size_t n)
{
	if (r->plugin)
		return snprintf(path, n, "%s", r->plugin) < (int)n && !access(path, R_OK);
	return tool_beside(PLUGIN, path, n);
}

static const char *machine_name(unsigned int machine)
{
	switch (machine) {
	case EM_AARCH64:
		return "AArch64";
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
		log_say(LOG_FILE, "csflow: %s: %s\n", program, file_words(program, err));
		return false;
	}
	memcpy(&elf, file.data, file.n < sizeof(elf) ? file.n : sizeof(elf));
	file_unmap(&file);
	if (memcmp(elf.e_ident, ELFMAG, SELFMAG)) {
		log_say(LOG_USAGE, "csflow: %s is not an ELF program; if it is a script, name its interpreter\n",
			program);
		return false;
	}
	r->arm = elf.e_machine == EM_ARM;
	if (elf.e_machine == EM_AARCH64 && !enc_setup_a64(&r->setup)) {
		log_say(LOG_USAGE, "csflow: %s is a program of 64 bits, which %s cannot trace\n",
			program, csf_protocol_name(csf_config_protocol(&r->setup.config)));
		return false;
	}
	if (r->arm || (elf.e_machine == EM_AARCH64 && !r->machine))
		return true;
	log_say(LOG_USAGE, "csflow: %s is a program for %s, not for %s\n", program,
		machine_name(elf.e_machine), r->machine ? "a Cortex-M" : "AArch64 or Arm");
	return false;
}

/* ---------------------------------------------------------------- the two sides */

static bool send_setup(const struct record *r, int fd)
{
	struct port_setup setup = {
		.magic = PORT_MAGIC, .n_cpu = r->n_cpu, .quantum = r->quantum,
		.migrate = r->migrate, .limit = r->aux_size / 2, .truth = r->truth_fd,
		.per_thread = r->per_thread, .framed = !r->raw,
		.cut = r->header < 2 || !r->setup.time_period || !enc_setup_a64(&r->setup),
	};

	snprintf(setup.words, sizeof(setup.words), "%s", r->unit);
	return send(fd, &setup, sizeof(setup), MSG_NOSIGNAL) == sizeof(setup);
}

/* An ETMv3 traces each instruction, and its data. */
static bool wants_each(const struct record *r)
{
	return csf_config_protocol(&r->setup.config) == CSF_PROTOCOL_ETM3;
}

/* The rest of the emulator's command line, ended by NULL as @argv already is. */
static void words_of_program(const struct record *r, const char **argv, char **program)
{
	if (wants_each(r))
		*argv++ = "-singlestep";
	if (r->root) {
		*argv++ = "-L";
		*argv++ = r->root;
	}
	for (size_t i = 0; i < r->n_env; i++) {
		*argv++ = "-E";
		*argv++ = r->env[i];
	}
	*argv++ = "--";
	while (*program)
		*argv++ = *program++;
}

/* A comma in a word of an option is doubled. */
static void double_commas(FILE *f, const char *word)
{
	for (; *word; word++)
		fprintf(f, *word == ',' ? ",," : "%c", *word);
}

/*
 * The program gets its words by semihosting.  The machine's clock counts instructions, one thread
 * executes all its CPUs, and time goes on at once where all of them wait.  So the same program is
 * always executed in the same way.
 */
static void words_of_machine(const struct record *r, const char **argv, char **program)
{
	static const char *const words[] = {
		"-accel", "tcg,thread=single", "-icount", "shift=4,align=off,sleep=off",
		"-display", "none", "-monitor", "none", "-no-reboot",
		"-chardev", "stdio,id=io,mux=on", "-serial", "chardev:io",
	};
	char *options = NULL;
	size_t n;
	FILE *f = open_memstream(&options, &n);

	if (!f)
		_exit(127);
	fputs("enable=on,target=native,chardev=io", f);
	for (char **word = program; *word; word++) {
		fputs(",arg=", f);
		double_commas(f, *word);
	}
	if (fclose(f))
		_exit(127);
	*argv++ = "-M";
	*argv++ = r->machine;
	memcpy(argv, words, sizeof(words));
	argv += ARRAY_SIZE(words);
	if (wants_each(r))
		*argv++ = "-singlestep";
	*argv++ = "-semihosting-config";
	*argv++ = options;
	*argv++ = "-kernel";
	*argv++ = program[0];
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
	if (r->machine)
		words_of_machine(r, argv + n, program);
	else
		words_of_program(r, argv + n, program);
	fcntl(fd, F_SETFD, 0);
	stop_in_child(&r->stop);
	/* It also ends if csflow is killed. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (r->truth_fd >= 0)
		fcntl(r->truth_fd, F_SETFD, 0);
	execv(emulator, (char **)argv);
	log_say(LOG_FILE, "csflow: %s: %s\n", emulator, strerror(errno));
	_exit(127);
}

/* ---------------------------------------------------------------- messages of the unit */

/**
 * struct ear - input from the unit
 * @bytes: @n bytes have arrived, and @at of them were taken
 * @signal: the signal of @r that the unit has been told
 */
struct ear {
	struct record *r;
	int fd;
	int signal;
	size_t at, n;
	uint8_t bytes[1 << 16];
};

/*
 * The first signal ends the recording.  The unit then sends everything, and reports the end.
 * Another signal means that the user cannot wait; but the execution so far is worth a second.
 */
static void heed(struct ear *ear)
{
	struct stop *stop = &ear->r->stop;
	const uint8_t word = PORT_STOP;

	if (stop_look(stop) && ear->signal)
		stop_hurry(stop);
	if (!stop->signal || ear->signal)
		return;
	ear->signal = stop->signal;
	send(ear->fd, &word, sizeof(word), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Return: bytes have arrived; false: none will. */
static bool refill(struct ear *ear)
{
	struct stop *stop = &ear->r->stop;
	struct pollfd ready[] = { { .fd = ear->fd, .events = POLLIN },
				  { .fd = stop->fd, .events = POLLIN } };
	ssize_t got = -1;

	while (got < 0) {
		int n = poll(ready, 2, stop_left(stop));

		if (n < 0 && errno != EINTR)
			return false;
		if (n <= 0) {
			/* It is stopped, or too busy to listen. */
			if (!n)
				return false;
			continue;
		}
		if (ready[1].revents)
			heed(ear);
		if (!ready[0].revents)
			continue;
		got = recv(ear->fd, ear->bytes, sizeof(ear->bytes), MSG_DONTWAIT);
		if (got < 0 && errno != EINTR && errno != EAGAIN)
			return false;
	}
	ear->at = 0;
	ear->n = got;
	return got;
}

static bool receive(struct ear *ear, void *buf, size_t n)
{
	uint8_t *p = buf;

	while (n) {
		size_t part = ear->n - ear->at < n ? ear->n - ear->at : n;

		if (!part && !refill(ear))
			return false;
		memcpy(p, ear->bytes + ear->at, part);
		ear->at += part;
		p += part;
		n -= part;
	}
	return true;
}

static int file_error(const struct record *r)
{
	return r->board ? machine_error(r) : recorder_error(r->recorder);
}

/*
 * Reads until the unit is gone, or has sent everything before the requested end.  A message that is
 * cut off is from a program that was killed.
 */
static int listen_to(struct ear *ear)
{
	uint8_t *body = malloc(PORT_MAX + 4096);
	struct record *r = ear->r;
	struct port_head head;
	int err = body ? 0 : -ENOMEM;

	while (!err && !file_error(r) && !(r->ended && ear->signal) &&
	       receive(ear, &head, sizeof(head))) {
		if (head.size > PORT_MAX + 4096)
			err = -EPROTO;
		else if (!receive(ear, body, head.size))
			break;
		else if (!record_message(r, &head, body))
			err = -EPROTO;
	}
	free(body);
	return err;
}

int record_run(struct record *r, const char *emulator, const char *plugin, char **program)
{
	struct ear *ear = calloc(1, sizeof(*ear));
	int pair[2], err = 0;

	if (!ear || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
		err = ear ? -errno : -ENOMEM;
		free(ear);
		return err;
	}
	r->pid = fork();
	if (!r->pid)
		execute(r, emulator, plugin, pair[1], program);
	if (r->pid < 0)
		err = -errno;
	close(pair[1]);
	if (!err && !send_setup(r, pair[0]))
		err = -errno;
	ear->r = r;
	ear->fd = pair[0];
	if (!err)
		err = listen_to(ear);
	close(pair[0]);
	free(ear);
	return err;
}

void record_wait(struct record *r, bool failed, int *status)
{
	*status = 0;
	if (r->pid <= 0)
		return;
	/* As in perf record: a program that cannot be recorded any more need not go on. */
	if (failed)
		stop_ask(&r->stop, r->pid, SIGTERM);
	stop_child(&r->stop, r->pid, status);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The connection from the unit, inside QEMU, to csflow record: the data of the recording, in the
 * order of events.  Both ends are of one build; numbers are in the machine's own format.
 *
 * csflow record writes the files, so a program that is killed, or that starts another one, takes
 * nothing with it.
 */
#ifndef CSF_QEMU_PORT_H
#define CSF_QEMU_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PORT_MAGIC	0x31465343u
#define PORT_WORDS_MAX	1024
/* The only later word: end the recording now. */
#define PORT_STOP	1
/* Trace ID of a CPU: as Linux assigns them to the first CPUs. */
#define PORT_ID(cpu)	(0x10 + (cpu))
/* Bytes after a struct port_head. */
#define PORT_MAX	(1u << 20)

/**
 * struct port_setup - the first words from csflow record to the unit
 * @magic: PORT_MAGIC
 * @n_cpu: virtual CPUs
 * @quantum: instructions that a thread may run while others wait
 * @migrate: how often a thread is put on a CPU before it gets another one; 0: only if
 *           its own is taken
 * @limit: bytes of trace after which a buffer is emptied
 * @truth: a descriptor that the unit inherits; -1: no truth log
 * @per_thread: buffers are those of threads
 * @framed: one sink for all CPUs, with frames; else each CPU has its own
 * @cut: buffers end where code changes: without timestamps of perf's
 *       clock nothing else tells the code at each time
 * @words: of the trace unit, see enc_setup_parse()
 */
struct port_setup {
	uint32_t magic;
	uint32_t n_cpu;
	uint64_t quantum;
	uint64_t migrate;
	uint64_t limit;
	int32_t truth;
	bool per_thread;
	bool framed;
	bool cut;
	char words[PORT_WORDS_MAX];
};

/**
 * enum port_type - the types of messages
 * @PORT_HELLO: the first one
 * @PORT_TRACE: bytes of a trace unit
 * @PORT_AUX: the buffer was emptied; flags: 1: some trace was lost
 * @PORT_START: tracing of a thread begins
 * @PORT_MAP: struct port_map, name of the file
 * @PORT_COMM: name of a thread; flags: 1: by exec
 * @PORT_FORK: a thread begins; @other is its maker
 * @PORT_EXIT: a thread has ended
 * @PORT_SWITCH_OUT: a thread leaves a CPU, and @other follows
 * @PORT_SWITCH_IN: likewise, a thread follows @other
 * @PORT_CODE: struct port_code, code that is in no file
 * @PORT_PROBLEM: text
 * @PORT_SAVED: struct port_stats; all that was executed until now has been sent
 * @PORT_END: the same, and the recording has ended
 */
enum port_type {
	PORT_HELLO = 1,
	PORT_TRACE,
	PORT_AUX,
	PORT_START,
	PORT_MAP,
	PORT_COMM,
	PORT_FORK,
	PORT_EXIT,
	PORT_SWITCH_OUT,
	PORT_SWITCH_IN,
	PORT_CODE,
	PORT_PROBLEM,
	PORT_SAVED,
	PORT_END,
};

/**
 * struct port_head - the beginning of each message
 * @size: bytes after it
 * @time: the unit's clock
 * @other: PORT_FORK, PORT_SWITCH_x: another thread, of process @other_pid; thread 0 of process 0
 *	   is the idle task
 */
struct port_head {
	uint32_t type;
	uint32_t size;
	uint64_t time;
	uint32_t pid, tid;
	uint32_t cpu;
	uint32_t flags;
	uint32_t other;
	uint32_t other_pid;
};

/* The name follows, ended by 0. */
struct port_map {
	uint64_t addr, len, pgoff;
	uint64_t ino;
	uint32_t maj, min;
	uint32_t prot, flags;
};

/* The bytes follow. */
struct port_code {
	uint64_t addr;
};

/**
 * struct port_stats - totals
 * @insns: instructions executed
 * @lost: blocks that were executed while another thread had the CPU: only in the truth log
 * @unknown: places where execution went without an explanation
 */
struct port_stats {
	uint64_t insns;
	uint64_t lost;
	uint64_t unknown;
};

/* ---------------------------------------------------------------- the unit's end */

/* @fd: a socket, moved out of the way of the program's own.  Return: 0, -errno. */
int port_open(int fd, struct port_setup *setup);

/*
 * Between these two calls no other thread sends.  A message whose time is taken there is not older
 * than earlier messages.  The calls may be nested.
 */
void port_begin(void);
void port_end(void);

/* Sends a message; @head->type and so on are set, @size is that of @a and @b together. */
void port_send(const struct port_head *head, const void *a, size_t n_a, const void *b, size_t n_b);

/* Sends waiting messages. */
void port_flush(void);

/**
 * port_wait() - wait for a word of csflow record
 * @wake: a descriptor that ends the wait, too, if it can be read
 * @ms: how long to wait
 *
 * Return: 1: the recording is to end, or csflow record is gone; else 0.
 */
int port_wait(int wake, int ms);

/* For a forked process: nothing more is sent. */
void port_abandon(void);

/* Moves @fd to a number that no program expects.  Return: the new one, or -errno. */
int port_out_of_way(int fd);

#endif /* CSF_QEMU_PORT_H */

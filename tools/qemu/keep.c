// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "keep.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "flow.h"
#include "guest.h"
#include "sched.h"

/* The longest time until waiting data is sent, in milliseconds. */
#define FLUSH_MS	50

/* The time for a signal to reach its thread, and for that to end the program. */
#define PASS_MS		1000
#define END_MS		20

/* The state of a signal that may end the program. */
enum { NONE, COMES, ASKED, SAVED };

static struct {
	pthread_mutex_t lock;
	bool ended;
	atomic_bool abandoned;
	struct truth_writer *truth;
	int wake;
	struct sigaction next[GUEST_SIGNALS + 1];	/* QEMU's own */
	struct {
		atomic_int state;
		pid_t tid;
		siginfo_t info;
	} caught[GUEST_SIGNALS + 1];
} keep = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void tell(uint32_t type, int err)
{
	const struct port_stats stats = { .insns = vcpu_insns(), .unknown = flow_unknown(),
					  .lost = flow_lost() };
	const struct port_head head = { .type = type, .flags = err, .time = vcpu_time(NULL) };

	port_send(&head, &stats, sizeof(stats), NULL, 0);
	port_flush();
}

void keep_save(struct task *task)
{
	flow_save(task);
	/* Another thread may be here as well, and wait until this task is not busy. */
	task_exit(task);
	sched_save(task);
	task_enter(task);
	tell(PORT_SAVED, 0);
}

void keep_end(void)
{
	int err = 0;

	if (keep.abandoned)
		return;
	pthread_mutex_lock(&keep.lock);
	if (!keep.ended) {
		flow_end();
		if (keep.truth)
			err = -truth_finish(keep.truth);
		tell(PORT_END, err);
		keep.ended = true;
	}
	pthread_mutex_unlock(&keep.lock);
}

void keep_abandon(void)
{
	keep.abandoned = true;
}

/* ---------------------------------------------------------------- signals */

/* Does the program send it to itself?  Then everything was saved before, see syscall.c. */
static bool is_own(const siginfo_t *info)
{
	return (info->si_code == SI_USER || info->si_code == SI_TKILL ||
		info->si_code == SI_QUEUE) && info->si_pid == getpid();
}

/* Is it caused by the thread's current instruction, so that the thread must not go on? */
static bool is_fault(int signo, const siginfo_t *info)
{
	switch (signo) {
	case SIGSEGV:
	case SIGBUS:
	case SIGILL:
	case SIGFPE:
	case SIGTRAP:
		return info->si_code > 0;
	case SIGPIPE:
	case SIGXFSZ:
		return is_own(info);
	default:
		return false;
	}
}

/* A fault without a handler does not return from QEMU, so everything is saved before. */
static void save_before_fault(int signo)
{
	struct task *here = flow_here();

	if (!here || here->busy || !guest_is_fatal(signo) || sched_has_ended())
		return;
	task_enter(here);
	keep_save(here);
	task_exit(here);
}

/*
 * QEMU may end the program at once because of this signal, and this thread may be anywhere.  So the
 * signal is put aside until the unit's thread has sent everything; that thread raises it again.
 */
static bool put_aside(int signo, const siginfo_t *info)
{
	int none = NONE, saved = SAVED;
	const uint64_t one = 1;

	if (keep.abandoned || !guest_is_fatal(signo) || is_own(info) ||
	    atomic_compare_exchange_strong(&keep.caught[signo].state, &saved, NONE))
		return false;
	if (!atomic_compare_exchange_strong(&keep.caught[signo].state, &none, COMES))
		return true;		/* it merges with the other */
	keep.caught[signo].info = *info;
	keep.caught[signo].tid = gettid();
	keep.caught[signo].state = ASKED;
	return write(keep.wake, &one, sizeof(one)) == sizeof(one);
}

static void on_signal(int signo, siginfo_t *info, void *context)
{
	const int err = errno;
	bool aside = false;

	if (is_fault(signo, info))
		save_before_fault(signo);
	else
		aside = put_aside(signo, info);
	errno = err;
	if (!aside)
		keep.next[signo].sa_sigaction(signo, info, context);
}

void keep_watch(unsigned int signo)
{
	struct sigaction sa;

	if (signo < 1 || signo > GUEST_SIGNALS || sigaction(signo, NULL, &sa) ||
	    !(sa.sa_flags & SA_SIGINFO) || sa.sa_sigaction == on_signal)
		return;
	keep.next[signo] = sa;
	sa.sa_sigaction = on_signal;
	sigaction(signo, &sa, NULL);
}

void keep_watch_all(void)
{
	for (unsigned int signo = 1; signo < 32; signo++)
		keep_watch(signo);
}

/* ---------------------------------------------------------------- the unit's thread */

static void save_all(void)
{
	pthread_mutex_lock(&keep.lock);
	if (!keep.ended) {
		sched_save(NULL);
		tell(PORT_SAVED, 0);
	}
	pthread_mutex_unlock(&keep.lock);
}

/* Sends it to its thread, unchanged; if that is gone, to any thread. */
static void raise_again(unsigned int signo)
{
	keep.caught[signo].state = SAVED;
	if (syscall(SYS_rt_tgsigqueueinfo, getpid(), keep.caught[signo].tid, signo,
		    &keep.caught[signo].info))
		kill(getpid(), signo);
}

/*
 * The program ends now, unless it blocks the signal.  Until that is known nothing else begins,
 * because it would not be finished.
 */
static void let_it_end(unsigned int signo)
{
	for (int i = 0; i < PASS_MS && keep.caught[signo].state == SAVED; i++)
		poll(NULL, 0, 1);
	sched_go_on();
	poll(NULL, 0, END_MS);
}

static void look_at_signals(void)
{
	uint64_t n;

	if (read(keep.wake, &n, sizeof(n)) != sizeof(n))
		return;
	save_all();
	for (unsigned int signo = 1; signo <= GUEST_SIGNALS; signo++)
		if (keep.caught[signo].state == ASKED) {
			raise_again(signo);
			let_it_end(signo);
		}
	sched_go_on();
}

static void *run(void *unused)
{
	(void)unused;
	for (;;) {
		if (port_wait(keep.wake, FLUSH_MS))
			keep_end();
		port_flush();
		look_at_signals();
	}
	return NULL;
}

/* This thread takes no signals. */
int keep_begin(struct truth_writer *truth)
{
	sigset_t all, before;
	pthread_t thread;
	int err;

	keep.truth = truth;
	keep.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (keep.wake < 0)
		return -errno;
	keep.wake = port_out_of_way(keep.wake);
	if (keep.wake < 0)
		return keep.wake;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = -pthread_create(&thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "syscall.h"

#include <linux/prctl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "flow.h"
#include "guest.h"
#include "keep.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Kinds of system calls. */
enum what {
	OTHER,
	ACTION,			/* rt_sigaction, sigaction */
	MAP,			/* mmap, or mmap2, whose offset counts pages */
	UNMAP,
	PROTECT,
	MOVE,			/* mremap */
	NAME,			/* prctl */
	KILL,			/* kill and so on: the signal is the second argument */
	KILL_IN,		/* tgkill and so on: the third */
	EXEC,
};

/* Numbers of Linux for arm64 and for arm (EABI). */
static const struct {
	uint16_t arm64, arm;
	uint8_t what;
} table[] = {
	{ 134, 174, ACTION }, { 0, 67, ACTION }, { 222, 192, MAP }, { 215, 91, UNMAP },
	{ 226, 125, PROTECT }, { 216, 163, MOVE }, { 167, 172, NAME }, { 129, 37, KILL },
	{ 130, 238, KILL }, { 131, 268, KILL_IN }, { 221, 11, EXEC }, { 281, 387, EXEC },
	/* pkey_mprotect; rt_sigqueueinfo, rt_tgsigqueueinfo, pidfd_send_signal */
	{ 288, 394, PROTECT }, { 138, 178, KILL }, { 240, 363, KILL_IN }, { 424, 424, KILL },
};

static enum what what_is(int64_t number)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		int64_t known = guest_is_arm() ? table[i].arm : table[i].arm64;

		if (known && known == number)
			return table[i].what;
	}
	return OTHER;
}

void syscall_begins(struct task *task)
{
	uint64_t handler = 0;

	switch (what_is(task->number)) {
	case ACTION:
		guest_sigaction(task->arg[0], task->arg[1]);
		if (task->arg[1] && guest_read(task->arg[1], &handler, guest_is_arm() ? 4 : 8))
			code_mark_handler(guest_is_arm() ? handler & ~1ull : handler);
		break;
	case KILL:
		if (guest_is_fatal(task->arg[1]))
			keep_save(task);
		break;
	case KILL_IN:
		if (guest_is_fatal(task->arg[2]))
			keep_save(task);
		break;
	case EXEC:
		keep_save(task);
		break;
	default:
		break;
	}
}

static void renamed(const struct task *task, const struct map_who *who)
{
	struct port_head head = { .type = PORT_COMM, .time = who->time, .pid = who->pid,
				  .tid = who->tid, .cpu = who->cpu };
	char name[16] = "";

	/* It may be shorter than 16 bytes, and end where its page does. */
	for (size_t i = 0; i < sizeof(name) - 1; i++)
		if (!guest_read(task->arg[1] + i, name + i, 1) || !name[i])
			break;
	port_send(&head, name, strlen(name) + 1, NULL, 0);
	if (who->truth)
		truth_comm(who->truth, who->pid, who->tid, name, false);
}

static void mapped(const struct task *task, uint64_t addr, const struct map_who *who)
{
	const struct map_request request = {
		.addr = addr, .len = task->arg[1], .prot = task->arg[2], .flags = task->arg[3],
		.fd = task->arg[3] & MAP_ANONYMOUS ? -1 : (int)task->arg[4],
		.offset = guest_is_arm() ? task->arg[5] * MAP_PAGE : task->arg[5],
	};

	map_add(&request, who);
}

void syscall_ends(struct task *task, int64_t ret)
{
	enum what what = what_is(task->number);
	struct map_who who = { .pid = task->pid, .tid = task->tid };

	if (what == ACTION)
		keep_watch(task->arg[0]);
	if (what == OTHER || what == ACTION || (ret < 0 && ret > -4096) || !flow_change(task))
		return;
	who.truth = task->cpu->truth;
	who.cpu = task->cpu->number;
	port_begin();
	who.time = vcpu_time_of_change(task->cpu);
	switch (what) {
	case MAP:
		mapped(task, ret, &who);
		break;
	case UNMAP:
		map_remove(task->arg[0], task->arg[1], &who);
		break;
	case PROTECT:
		map_protect(task->arg[0], task->arg[1], task->arg[2], &who);
		break;
	case MOVE:
		map_move(&(struct map_move){ task->arg[0], task->arg[1], ret, task->arg[2] },
			 &who);
		break;
	case NAME:
		if (task->arg[0] == PR_SET_NAME)
			renamed(task, &who);
		break;
	default:
		break;
	}
	port_end();
}

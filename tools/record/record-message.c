// SPDX-License-Identifier: GPL-2.0-only
/* Turns messages of the unit into records. */
#include <stdio.h>
#include <string.h>

#include "../../kernel-glue/include/uapi/csf_abi.h"
#include "../../perf-plugin/elf.h"
#include "record.h"
#include "../lib/log.h"

/* Adds the build-id if the file has one, so it can be found anywhere later. */
static void take_map(struct perf_writer *writer, const struct perf_write_who *who,
		     const uint8_t *body)
{
	struct perf_mmap map = { .name = (const char *)body + sizeof(struct port_map) };
	struct elf_file *elf = NULL;
	struct port_map as;

	memcpy(&as, body, sizeof(as));
	map.addr = as.addr;
	map.len = as.len;
	map.pgoff = as.pgoff;
	map.ino = as.ino;
	map.maj = as.maj;
	map.min = as.min;
	map.prot = as.prot;
	map.flags = as.flags;
	if (map.name[0] == '/' && map.name[1] != '/' && !elf_file_open(&elf, map.name)) {
		map.build_id = elf->build_id;
		map.n_build_id = elf->n_build_id;
	}
	perf_write_mmap(writer, who, &map);
	if (map.n_build_id) {
		const struct perf_build_id id = { .name = map.name, .id = elf->build_id,
						  .size = elf->n_build_id, .pid = -1 };

		perf_write_build_id(writer, &id);
	}
	elf_file_close(elf);
}

static void take_task(struct perf_writer *writer, const struct perf_write_who *who,
		      const struct port_head *head)
{
	struct perf_task task = { .pid = head->pid, .tid = head->tid, .ppid = head->pid,
				  .ptid = head->other ? head->other : head->pid };
	const bool out = head->type == PORT_SWITCH_OUT;

	switch (head->type) {
	case PORT_FORK:
		perf_write_fork(writer, who, &task);
		break;
	case PORT_EXIT:
		perf_write_exit(writer, who, &task);
		break;
	default:
		task.pid = head->other_pid;
		task.tid = head->other;
		task.out = out;
		/* A waiting thread, or the idle task, is not preempted. */
		task.preempt = out && head->tid && head->other;
		perf_write_switch(writer, who, &task);
		break;
	}
}

/* Does the body of the message fit its type?  Names end with 0. */
static bool is_sound(const struct port_head *head, const uint8_t *body)
{
	switch (head->type) {
	case PORT_MAP:
		return head->size > sizeof(struct port_map) && !body[head->size - 1];
	case PORT_COMM:
	case PORT_PROBLEM:
		return head->size && !body[head->size - 1];
	case PORT_CODE:
		return head->size >= sizeof(struct port_code);
	case PORT_SAVED:
	case PORT_END:
		return head->size == sizeof(struct port_stats);
	default:
		return head->type >= PORT_HELLO && head->type <= PORT_END;
	}
}

/* The messages that a machine sends: it has no processes, and no files.  Its buffer is one. */
static bool is_of_machine(uint32_t type)
{
	return type == PORT_HELLO || type == PORT_TRACE || type == PORT_AUX ||
	       type == PORT_PROBLEM || type == PORT_END;
}

/* A snapshot has the code of a program, but neither tasks nor buffers.  Return: it is done. */
static bool record_of_program(struct record *r, const struct port_head *head, const uint8_t *body)
{
	int err = 0;

	if (is_of_machine(head->type) || head->type == PORT_SAVED)
		return false;
	if (head->type == PORT_MAP)
		err = program_map(r, body);
	else if (head->type == PORT_CODE)
		err = program_code(r, head, body);
	if (err)
		machine_fail(r, err);
	return true;
}

bool record_message(struct record *r, const struct port_head *head, const uint8_t *body)
{
	const struct perf_write_who who = { head->time, head->pid, head->tid, head->cpu };
	struct perf_writer *writer = r->board ? NULL : recorder_writer(r->recorder);

	if (!is_sound(head, body) || head->cpu >= r->n_cpu)
		return false;
	if (r->machine && !is_of_machine(head->type))
		return false;
	if (r->snapshot && record_of_program(r, head, body))
		return true;
	if (!r->board)
		recorder_time(r->recorder, head->time);
	switch (head->type) {
	case PORT_HELLO:
		r->begun = true;
		break;
	case PORT_TRACE:
		r->saved = false;
		if (r->board)
			machine_trace(r, head->cpu, body, head->size);
		else
			recorder_trace(r->recorder, &who, body, head->size);
		break;
	case PORT_AUX:
		if (!r->board)
			recorder_aux(r->recorder, &who, head->flags ? CSF_ABI_AUX_TRUNCATED : 0);
		break;
	case PORT_START:
		perf_write_itrace_start(writer, &who);
		break;
	case PORT_MAP:
		take_map(writer, &who, body);
		break;
	case PORT_COMM:
		perf_write_comm(writer, &who, (const char *)body, head->flags);
		break;
	case PORT_CODE:
		record_code(r, head, body);
		break;
	case PORT_PROBLEM:
		log_say(LOG_PROGRAM, "csflow: the trace unit: %s\n", (const char *)body);
		break;
	case PORT_SAVED:
		memcpy(&r->stats, body, sizeof(r->stats));
		r->saved = true;
		break;
	case PORT_END:
		memcpy(&r->stats, body, sizeof(r->stats));
		r->truth_error = head->flags;
		r->ended = true;
		break;
	default:
		take_task(writer, &who, head);
		break;
	}
	return true;
}

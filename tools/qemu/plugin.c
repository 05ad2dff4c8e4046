// SPDX-License-Identifier: GPL-2.0-only
/*
 * The virtual trace unit: a TCG plugin for QEMU 7.2.  csflow record starts QEMU with it,
 * and sends the settings on a socket:
 *
 *	qemu-aarch64 -plugin csflow-unit.so,fd=N program args
 *	qemu-system-arm -M mps2-an505 -plugin csflow-unit.so,fd=N -kernel image.elf
 *
 * csflow vm does so with a machine that has Linux, see system.h.
 */
#include "qemu-plugin.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "flow.h"
#include "guest.h"
#include "keep.h"
#include "machine.h"
#include "sched.h"
#include "syscall.h"
#include "system.h"

int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static struct {
	struct enc_setup setup;
	struct truth_writer *truth;
	int truth_fd;
	bool based, machine;
} plugin = { .truth_fd = -1 };

/* ---------------------------------------------------------------- call-backs of QEMU */

static void translated(uint64_t id, struct qemu_plugin_tb *tb)
{
	const struct qemu_plugin_insn *first;
	struct code *code;

	if (sched_has_ended())
		return;
	code = code_translated(tb);
	if (!code)
		return;
	if (plugin.machine) {
		machine_watch(tb, code);
		return;
	}
	if (!plugin.based) {
		first = qemu_plugin_tb_get_insn(tb, 0);
		guest_set_base((uintptr_t)qemu_plugin_insn_haddr(first) - code->pc);
		plugin.based = true;
	}
	qemu_plugin_register_vcpu_tb_exec_cb(tb, flow_enter, QEMU_PLUGIN_CB_NO_REGS, code);
	for (size_t i = 0; vcpu_each && i < qemu_plugin_tb_n_insns(tb); i++)
		qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), flow_accessed,
						 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
}

static void thread_made(uint64_t id, unsigned int vcpu)
{
	flow_task_made(vcpu);
}

static void thread_gone(uint64_t id, unsigned int vcpu)
{
	flow_task_exit(vcpu);
}

/* An argument or result of a call: QEMU sign-extends those of a 32-bit program. */
static uint64_t word(uint64_t v)
{
	return guest_is_arm() ? (uint32_t)v : v;
}

static void call_begins(QEMU_PLUGIN_SYSCALL_ARGS)
{
	struct task *task = sched_has_ended() ? NULL : flow_task(vcpu);

	if (!task)
		return;
	task->number = number;
	task->arg[0] = word(a1);
	task->arg[1] = word(a2);
	task->arg[2] = word(a3);
	task->arg[3] = word(a4);
	task->arg[4] = word(a5);
	task->arg[5] = word(a6);
	flow_call(task);
	syscall_begins(task);
	task_exit(task);
	sched_leave(task);
}

/* QEMU does not count the thread as executing here, so it may wait. */
static void call_ends(uint64_t id, unsigned int vcpu, int64_t number, int64_t ret)
{
	struct task *task = sched_has_ended() ? NULL : flow_task(vcpu);

	if (!task || !task->cpu || !sched_take(task))
		return;
	task_enter(task);
	syscall_ends(task, ret < 0 && ret > -4096 ? ret : (int64_t)word(ret));
	task_exit(task);
}

static void ended(uint64_t id, void *userdata)
{
	keep_end();
}

static void machine_ended(uint64_t id, void *userdata)
{
	machine_end();
}

/* A process that was forked is not traced, and has neither our locks nor our files. */
static void forked(void)
{
	keep_abandon();
	sched_abandon();
	port_abandon();
	if (plugin.truth_fd >= 0)
		close(plugin.truth_fd);
}

/* ---------------------------------------------------------------- begin */

static int complain(const char *what, const char *why)
{
	fprintf(stderr, "csflow: %s%s%s\n", what, why ? ": " : "", why ? why : "");
	return -1;
}

static void tell_config(const struct enc_setup *setup, uint32_t n_cpu)
{
	for (uint32_t i = 0; plugin.truth && i < n_cpu; i++)
		truth_config(truth_cpu(plugin.truth, i), &setup->config,
			     vcpu_setup()->framed ? PORT_ID(i) : 0);
}

static int begin_machine(void)
{
	if (machine_begin(plugin.truth))
		return 0;
	return complain("this QEMU does not export its functions, as Debian 12's does", NULL);
}

static int begin_program(void)
{
	int err = keep_begin(plugin.truth);

	if (err)
		return complain("a thread of the unit's own", strerror(-err));
	pthread_atfork(NULL, NULL, forked);
	return 0;
}

static int begin(int fd)
{
	struct enc_setup *setup = &plugin.setup;
	struct port_setup port;
	struct port_head hello = { .type = PORT_HELLO };
	char problem[ENC_PROBLEM_MAX] = "";
	int err = port_open(fd, &port);

	if (err)
		return complain("the unit's socket", strerror(-err));
	if (enc_setup_parse(setup, port.words, problem))
		return complain(problem, NULL);
	if (port.truth >= 0) {
		plugin.truth_fd = port_out_of_way(port.truth);
		err = plugin.truth_fd < 0 ? plugin.truth_fd :
			truth_new(&plugin.truth, plugin.truth_fd, port.n_cpu);
		if (err)
			return complain("log of truth", strerror(-err));
	}
	if (!plugin.machine)
		sched_init();
	if (code_init(setup, plugin.truth) || vcpu_init(&port, setup, plugin.truth))
		return complain("no memory, or no such trace unit", NULL);
	tell_config(setup, port.n_cpu);
	err = plugin.machine ? begin_machine() : begin_program();
	if (err)
		return err;
	port_send(&hello, NULL, 0, NULL, 0);
	port_flush();
	return 0;
}

int qemu_plugin_install(uint64_t id, const struct qemu_plugin_info *info, int argc, char **argv)
{
	int fd = -1;

	if (info->system_emulation && !strcmp(info->target_name, "aarch64") &&
	    system_is_wanted(argc, argv))
		return system_begin(id, argc, argv);
	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], "fd=", 3))
			fd = atoi(argv[i] + 3);
	if (fd < 0)
		return complain("this plugin is for 'csflow record' and 'csflow vm'", NULL);
	plugin.machine = info->system_emulation;
	if (strcmp(info->target_name, "arm") &&
	    (plugin.machine || strcmp(info->target_name, "aarch64")))
		return complain("not an emulator of AArch64 or Arm programs", info->target_name);
	guest_set_arm(!strcmp(info->target_name, "arm"));
	if (begin(fd))
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	if (plugin.machine) {
		qemu_plugin_register_atexit_cb(id, machine_ended, NULL);
		return 0;
	}
	qemu_plugin_register_vcpu_init_cb(id, thread_made);
	qemu_plugin_register_vcpu_exit_cb(id, thread_gone);
	qemu_plugin_register_vcpu_syscall_cb(id, call_begins);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, call_ends);
	qemu_plugin_register_atexit_cb(id, ended, NULL);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of QEMU's interface for TCG plugins, version 1, that the unit uses, as in Debian's
 * qemu-user and qemu-system-arm 7.2.  No package ships QEMU's own header.
 *
 * Call-backs of translation run while QEMU holds its lock of guest memory; call-backs of
 * execution run in the executing thread, between two instructions of the guest.
 */
#ifndef CSF_QEMU_PLUGIN_H
#define CSF_QEMU_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_VERSION	1
#define QEMU_PLUGIN_EXPORT	__attribute__((visibility("default")))

/* Both are used only as pointers. */
struct qemu_plugin_tb;
struct qemu_plugin_insn;

/**
 * struct qemu_plugin_info - the program that loads the plugin; the beginning of QEMU's structure
 * @target_name: "aarch64", "arm"
 * @min: oldest version of the interface that this QEMU supports; @cur: newest
 * @system_emulation: a machine, not a program
 */
struct qemu_plugin_info {
	const char *target_name;
	int min, cur;
	bool system_emulation;
};

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };

/* Size, direction and so on of an access to memory, but not its value. */
typedef uint32_t qemu_plugin_meminfo_t;

/* The symbols of a plugin: its interface version, and its entry. */
extern QEMU_PLUGIN_EXPORT int qemu_plugin_version;
QEMU_PLUGIN_EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_plugin_info *info,
					   int argc, char **argv);

/* The arguments of the call-back for system calls. */
#define QEMU_PLUGIN_SYSCALL_ARGS \
	uint64_t id, unsigned int vcpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3, \
	uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8

void qemu_plugin_register_vcpu_init_cb(uint64_t id, void (*cb)(uint64_t id, unsigned int vcpu));
void qemu_plugin_register_vcpu_exit_cb(uint64_t id, void (*cb)(uint64_t id, unsigned int vcpu));
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
					   void (*cb)(uint64_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
					  void (*cb)(unsigned int vcpu, void *userdata),
					  enum qemu_plugin_cb_flags flags, void *userdata);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
				      void (*cb)(unsigned int vcpu, qemu_plugin_meminfo_t info,
						 uint64_t addr, void *userdata),
				      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw,
				      void *userdata);
unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn,
						enum qemu_plugin_op op, void *ptr, uint64_t imm);
void qemu_plugin_register_vcpu_syscall_cb(uint64_t id, void (*cb)(QEMU_PLUGIN_SYSCALL_ARGS));
void qemu_plugin_register_vcpu_syscall_ret_cb(uint64_t id,
					      void (*cb)(uint64_t id, unsigned int vcpu,
							 int64_t number, int64_t ret));
void qemu_plugin_register_atexit_cb(uint64_t id, void (*cb)(uint64_t id, void *userdata),
				    void *userdata);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);

/* The bytes of an instruction as in guest memory; their address in our memory. */
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);

/* The path of the program, as given to QEMU; the caller frees it. */
const char *qemu_plugin_path_to_binary(void);

#endif /* CSF_QEMU_PLUGIN_H */

// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "state.h"

#include <dlfcn.h>
#include <pthread.h>

#include "../encoder/encoder.h"

struct state_places state_places;

/* QEMU's VMStateDescription; only its fields are used. */
struct description {
	const void *name;
	uint64_t numbers[2];
	const void *call[6];
	const struct field *field;
};

/* Its VMStateField: one without a name ends them. */
struct field {
	const char *name;
	const void *hint;
	uint64_t offset, size;
	uint64_t others[9];
};

/* The beginning of QEMU's ARMCPRegInfo. */
struct system_register {
	const char *name;
	uint64_t key[4];
	uint64_t reset;
	uint64_t offset;
	uint64_t banked[2];
	const void *may_access;
	uint64_t (*read)(const void *env, const void *what);
};

/* op0, op1, CRn, CRm, op2 in the table's key of an AArch64 register. */
#define KEY(op0, op1, crn, crm, op2)	\
	(1u << 28 | 0x13u << 16 | (op0) << 14 | (op1) << 11 | (crn) << 7 | (crm) << 3 | (op2))

#define FIELDS_MAX	64
#define NAME_MAX_LEN	32

/* Reads our own memory: a pointer that is not one must not end QEMU. */
static bool peek(const void *at, void *to, size_t n)
{
	return guest_read((uintptr_t)at, to, n);
}

static bool has_name(const char *at, const char *name)
{
	char text[NAME_MAX_LEN];
	const size_t n = strlen(name) + 1;

	return peek(at, text, n) && !memcmp(text, name, n);
}

/* POSIX wants a pointer to a function to be read so. */
static bool find(void *where, const char *name)
{
	void *symbol = dlsym(RTLD_DEFAULT, name);

	memcpy(where, &symbol, sizeof(symbol));
	return symbol;
}

/* The offset of a field of QEMU's CPU; 0: there is none. */
static size_t field_at(const struct description *cpu, const char *name)
{
	struct field field;

	for (unsigned int i = 0; i < FIELDS_MAX; i++) {
		if (!peek(&cpu->field[i], &field, sizeof(field)) || !field.name)
			return 0;
		if (has_name(field.name, name))
			return field.offset;
	}
	return 0;
}

/* ---------------------------------------------------------------- the table of registers */

static struct {
	const struct system_register *(*find)(const void *table, uint32_t key);
	const void *table;
} registers;

static const struct system_register *named(uint32_t key, const char *name)
{
	const struct system_register *found = registers.find(registers.table, key);

	return found && has_name(found->name, name) ? found : NULL;
}

static size_t register_at(uint32_t key, const char *name)
{
	const struct system_register *found = named(key, name);

	return found ? found->offset : 0;
}

/*
 * The pointer to the table comes 48 bytes before the length of an array that has a name, and the
 * length of another one, which is the same, 24 before.
 */
static bool find_table(const uint8_t *cpu, size_t length_at)
{
	int32_t length[2];

	if (!length_at || !find(&registers.find, "get_arm_cp_reginfo") ||
	    !peek(cpu + length_at, &length[0], sizeof(*length)) ||
	    !peek(cpu + length_at - 24, &length[1], sizeof(*length)) ||
	    length[0] <= 0 || length[0] != length[1])
		return false;
	return peek(cpu + length_at - 48, &registers.table, sizeof(registers.table)) &&
	       registers.table;
}

static bool find_registers(struct state_places *p)
{
	const struct system_register *counter = named(KEY(3, 3, 14, 0, 2), "CNTVCT_EL0");

	p->esr[1] = register_at(KEY(3, 0, 5, 2, 0), "ESR_EL1");
	p->esr[2] = register_at(KEY(3, 4, 5, 2, 0), "ESR_EL2");
	p->esr[3] = register_at(KEY(3, 6, 5, 2, 0), "ESR_EL3");
	p->spsr[1] = register_at(KEY(3, 0, 4, 0, 0), "SPSR_EL1");
	p->spsr[2] = register_at(KEY(3, 4, 4, 0, 0), "SPSR_EL2");
	p->spsr[3] = register_at(KEY(3, 6, 4, 0, 0), "SPSR_EL3");
	p->vbar[1] = register_at(KEY(3, 0, 12, 0, 0), "VBAR");
	p->vbar[2] = register_at(KEY(3, 4, 12, 0, 0), "VBAR_EL2");
	p->vbar[3] = register_at(KEY(3, 6, 12, 0, 0), "VBAR_EL3");
	p->contextid1 = register_at(KEY(3, 0, 13, 0, 1), "CONTEXTIDR_EL1");
	p->contextid2 = register_at(KEY(3, 4, 13, 0, 1), "CONTEXTIDR_EL2");
	p->counter = counter;
	p->count = counter ? counter->read : NULL;
	return p->count && p->esr[1] && p->spsr[1] && p->vbar[1] && p->contextid1 &&
	       register_at(KEY(3, 0, 4, 0, 1), "ELR_EL1") == p->elr + 8;
}

/* Are those of CPU @number where the others have theirs? */
static bool find_places(unsigned int number, const uint8_t *env)
{
	struct state_places found = { 0 };
	const void *described;
	struct description cpu;
	uint8_t *(*get)(int number);
	size_t begin;
	uint8_t *at;

	if (!find(&get, "qemu_get_cpu") || !find(&described, "vmstate_arm_cpu") ||
	    !peek(described, &cpu, sizeof(cpu)))
		return false;
	at = get(number);
	begin = field_at(&cpu, "env.xregs") - GUEST_AT_X;
	if (!at || at + begin != env || field_at(&cpu, "env.pc") != begin + GUEST_AT_PC ||
	    field_at(&cpu, "env.spsr") != begin + STATE_AT_AARCH64 + 24 ||
	    !find_table(at, field_at(&cpu, "cpreg_vmstate_array_len")))
		return false;
	found.elr = field_at(&cpu, "env.elr_el") - begin;
	if (!find_registers(&found))
		return false;
	if (state_places.count)
		return !memcmp(&found, &state_places, offsetof(struct state_places, counter));
	state_places = found;
	return true;
}

bool state_find(unsigned int number, const uint8_t *env)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	bool there;

	pthread_mutex_lock(&lock);
	there = find_places(number, env);
	pthread_mutex_unlock(&lock);
	return there;
}

/* ---------------------------------------------------------------- causes of exceptions */

/* The exception class, and of an abort the fault status. */
#define ESR_CLASS(esr)	((unsigned int)((esr) >> 26 & 0x3f))
#define ESR_FAULT(esr)	((unsigned int)((esr) & 0x3f))
#define FAULT_ALIGNMENT	0x21

uint32_t state_cause(uint64_t esr)
{
	switch (ESR_CLASS(esr)) {
	case 0x11:	/* SVC, HVC, SMC of AArch32 */
	case 0x12:
	case 0x13:
	case 0x15:	/* and of AArch64 */
	case 0x16:
	case 0x17:
		return ENC_EXC_CALL;
	case 0x20:
	case 0x21:
		return ENC_EXC_INST_FAULT;
	case 0x22:	/* PC */
	case 0x26:	/* SP */
		return ENC_EXC_ALIGNMENT;
	case 0x24:
	case 0x25:
		return ESR_FAULT(esr) == FAULT_ALIGNMENT ? ENC_EXC_ALIGNMENT : ENC_EXC_DATA_FAULT;
	case 0x30:	/* breakpoint, step; vector catch, BKPT, BRK */
	case 0x31:
	case 0x32:
	case 0x33:
	case 0x38:
	case 0x3a:
	case 0x3c:
		return ENC_EXC_INST_DEBUG;
	case 0x34:
	case 0x35:
		return ENC_EXC_DATA_DEBUG;
	default:
		return ENC_EXC_TRAP;
	}
}

bool state_is_before(uint64_t esr)
{
	const unsigned int class = ESR_CLASS(esr);

	return class == 0x20 || class == 0x21 || class == 0x22 || (class >= 0x30 && class <= 0x33);
}

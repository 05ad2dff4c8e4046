// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>

#include "source-insn.h"
#include "tarmac-make.h"

/* Exception types of trace that differ here; all others are synchronous. */
enum {
	EXC_RESET	= 0x0,
	EXC_HALT	= 0x1,
	EXC_CALL	= 0x2,
	EXC_TRAP	= 0x3,
	EXC_SERROR	= 0x4,
	EXC_INST	= 0xb,
	EXC_DATA	= 0xc,
	EXC_IRQ		= 0xe,
	EXC_FIQ		= 0xf,
};

/* The address where execution goes on, if known. */
struct target {
	uint64_t addr;
	uint8_t isa;
	bool known;
};

static struct tarmac_text text(const char *s)
{
	return (struct tarmac_text){ s, strlen(s) };
}

/* Trace does not tell the stack pointer, or the mode of AArch32: the usual one is used. */
static const char *mode_of(const struct csf_context *c)
{
	static const char *const mode[2][4] = {
		{ "usr", "svc", "hyp", "mon" }, { "EL0t", "EL1h", "EL2h", "EL3h" }
	};

	return mode[c->bits64][c->el & 3];
}

static const char *security_of(const struct csf_context *c)
{
	switch ((enum csf_security)c->security) {
	case CSF_SECURE:
		return "s";
	case CSF_NONSECURE:
		return c->bits64 ? "n" : "ns";
	case CSF_ROOT:
		return "root";
	case CSF_REALM:
		return "realm";
	}
	return "";
}

static struct tarmac_record begin(const struct tarmac_make *m, enum tarmac_kind kind)
{
	struct tarmac_record r = { .kind = kind, .has_time = true, .has_cpu = true,
				   .unit = TARMAC_CLK };

	r.time = m->stamps ? m->time : m->id;
	return r;
}

static void put(struct tarmac_make *m, const struct tarmac_record *r)
{
	tarmac_write(m->out, r, m->style, m->cpu, m->number);
	tarmac_losses_add(m->losses, r, m->style, m->cpu);
}

/* ---------------------------------------------------------------- the instruction that waits */

static void put_flow(struct tarmac_make *m, const struct tarmac_inst *i, const struct target *next)
{
	static const uint8_t isa[] = { TARMAC_O, TARMAC_A, TARMAC_T };
	struct tarmac_record r = begin(m, TARMAC_FLOW);

	r.time = m->record.time;
	r.flow.how = m->class.kind == CSF_INSN_BRANCH ? 'D' : 'I';
	r.flow.id = i->id;
	r.flow.has_id = true;
	r.flow.from = i->addr;
	r.flow.to.va = next->addr;
	r.flow.isa = isa[next->isa];
	put(m, &r);
}

/* Was it an untaken branch? */
static bool passed_over(const struct tarmac_make *m, const struct target *next)
{
	uint64_t after = m->record.inst.addr.va + m->class.size;

	if (!next->known || !(m->class.flags & CSF_FLAG_COND) || next->addr != after)
		return false;
	return m->class.kind == CSF_INSN_INDIRECT ||
	       (m->class.kind == CSF_INSN_BRANCH && m->class.target != after);
}

/* Writes what the last instruction accessed. */
static void put_mems(struct tarmac_make *m)
{
	for (uint32_t i = 0; i < m->n_mem; i++)
		put(m, &m->mem[i].record);
	m->n_mem = 0;
}

static void settle(struct tarmac_make *m, struct target next)
{
	struct tarmac_inst *i = &m->record.inst;
	bool branch = m->class.kind == CSF_INSN_BRANCH || m->class.kind == CSF_INSN_INDIRECT;

	if (!m->held) {
		put_mems(m);
		return;
	}
	m->held = false;
	if (passed_over(m, &next))
		i->skipped = true;
	i->how = i->skipped ? TARMAC_IS : TARMAC_IT;
	if (m->what & TARMAC_MAKE_INST)
		put(m, &m->record);
	put_mems(m);
	if (m->what & TARMAC_MAKE_FLOW && branch && next.known && !i->skipped)
		put_flow(m, i, &next);
}

static const struct target nowhere;

/* ---------------------------------------------------------------- data accesses */

static struct tarmac_make_mem *new_mem(struct tarmac_make *m, enum tarmac_kind kind)
{
	if (m->n_mem == TARMAC_MAKE_WAITING)
		settle(m, nowhere);
	m->mem[m->n_mem].record = begin(m, kind);
	return &m->mem[m->n_mem++];
}

static void memory(struct tarmac_make *m, const struct source_item *item)
{
	struct tarmac_make_mem *mem;

	if (!(m->what & TARMAC_MAKE_MEM))
		return;
	mem = new_mem(m, TARMAC_MEM);
	memcpy(mem->text, item->digits.p, item->digits.n);
	mem->record.mem = (struct tarmac_mem){
		.addr.va = item->addr, .size = item->n, .write = item->write,
		.data = { .text = { mem->text, item->digits.n }, .digits = item->digits.n },
	};
}

/* "DATA: read ..." */
static void message(struct tarmac_make *m, const struct source_item *item)
{
	const size_t head = strlen("DATA: ");
	struct tarmac_make_mem *mem;

	if (!(m->what & TARMAC_MAKE_MEM) || item->name.n < head)
		return;
	mem = new_mem(m, TARMAC_NOTE);
	memcpy(mem->text, item->name.p + head, item->name.n - head);
	mem->record.note = (struct tarmac_note){
		.name = text("DATA"), .text = { mem->text, item->name.n - head }, .colon = true,
	};
}

/* ---------------------------------------------------------------- events */

/*
 * Exceptions to AArch64: the vector is the event.  If nothing of the handler is in the trace, the
 * handler is taken as that of a level that is not traced, so of a higher one.
 */
static uint64_t vector(const struct tarmac_make *m, const struct csf_context *to, char *desc)
{
	static const char *const kinds[] = { "SYNC", "IRQ", "FIQ", "SERROR" };
	uint64_t number = m->context.el == to->el && to->el && !m->gone ? 0x84 :
			  m->context.bits64 || !m->context.known ? 0x88 : 0x8c;
	unsigned int kind = m->type == EXC_IRQ ? 1 : m->type == EXC_FIQ ? 2 :
			    m->type == EXC_SERROR ? 3 : 0;

	sprintf(desc, "CoreEvent_%s_%s", number == 0x84 ? "CURRENT_SPx" :
		number == 0x88 ? "LOWER_64" : "LOWER_32", kinds[kind]);
	return number + kind;
}

static uint64_t event_of(const struct tarmac_make *m, const struct csf_context *to, char *desc)
{
	static const struct {
		uint32_t type, number;
		const char *desc;
	} old[] = {
		{ EXC_CALL, 3, "SWI" }, { EXC_TRAP, 2, "UndefinedInstr" },
		{ EXC_INST, 4, "PrefetchAbort" }, { EXC_DATA, 5, "DataAbort" },
		{ EXC_SERROR, 0xe, "ImpDataAbort" }, { EXC_IRQ, 7, "IRQ" },
		{ EXC_FIQ, 8, "FIQ" },
	};

	if (m->type == EXC_RESET) {
		strcpy(desc, "CoreEvent_Reset");
		return 1;
	}
	for (size_t i = 0; i < sizeof(old) / sizeof(*old) && to->known && !to->bits64; i++) {
		if (old[i].type != m->type)
			continue;
		sprintf(desc, "CoreEvent_%s", old[i].desc);
		return old[i].number;
	}
	return vector(m, to, desc);
}

static void put_mode(struct tarmac_make *m, uint64_t value)
{
	struct tarmac_record r = begin(m, TARMAC_EVENT);

	r.event.numbered = true;
	r.event.value.va = value;
	r.event.mode = text(mode_of(&m->next_context));
	r.event.number = 0x19;
	r.event.desc = text("CoreEvent_ModeChange");
	put(m, &r);
}

static void put_exception(struct tarmac_make *m, const struct csf_context *to)
{
	struct tarmac_record r = begin(m, TARMAC_EVENT);
	char desc[40];

	r.event.numbered = m->type != EXC_HALT;
	r.event.value.va = m->ret;
	if (r.event.numbered)
		r.event.number = event_of(m, to, desc);
	else
		strcpy(desc, "DebugEvent_Halt");
	r.event.desc = text(desc);
	put(m, &r);
}

static void put_contextid(struct tarmac_make *m)
{
	struct tarmac_record r = begin(m, TARMAC_REG);
	char digits[17];

	sprintf(digits, "%016" PRIx32, m->next_context.contextid);
	r.reg.name = text("CONTEXTIDR_EL1");
	r.reg.value.text = text(digits);
	r.reg.value.digits = 16;
	put(m, &r);
}

/* Writes events between the last instruction and the next one, or a gap. */
static void events(struct tarmac_make *m)
{
	const struct csf_context *to = m->new_context ? &m->next_context : &m->context;
	bool mode = m->new_context && m->context.known &&
		    (to->el != m->context.el || to->bits64 != m->context.bits64);

	if (mode && m->what & TARMAC_MAKE_EVENT)
		put_mode(m, m->thrown ? m->ret : 0);
	if (m->thrown && m->what & TARMAC_MAKE_EVENT)
		put_exception(m, to);
	if (m->new_context && to->has_contextid && m->what & TARMAC_MAKE_REG &&
	    (!m->context.has_contextid || to->contextid != m->context.contextid))
		put_contextid(m);
	if (m->new_context)
		m->context = m->next_context;
	m->new_context = false;
	m->thrown = false;
}

static void exception(struct tarmac_make *m, const struct source_item *item)
{
	struct target next = { item->addr, m->isa, item->has_addr };
	bool call = m->held && m->class.kind == CSF_INSN_EXCEPTION;
	uint64_t last = m->record.inst.addr.va;

	settle(m, next);
	if (m->thrown)
		events(m);
	m->thrown = true;
	m->type = item->type;
	m->ret = call && item->type == EXC_CALL ? last : item->has_addr ? item->addr : 0;
}

/* The following code is not traced; but its address may be known. */
static void leave(struct tarmac_make *m, const struct source_item *item)
{
	settle(m, (struct target){ item->addr, m->isa, item->leads });
}

static void gap(struct tarmac_make *m, const char *what, uint64_t n_insn)
{
	struct tarmac_record r = begin(m, TARMAC_NOTE);
	char words[80];

	settle(m, nowhere);
	m->gone = true;
	events(m);
	m->gone = false;
	if (!(m->what & TARMAC_MAKE_GAP))
		return;
	snprintf(words, sizeof(words), "%s", what);
	if (n_insn)
		snprintf(words, sizeof(words), "%s of %" PRIu64 " instructions", what, n_insn);
	r.note = (struct tarmac_note){ .name = text("GAP"), .text = text(words), .colon = true };
	put(m, &r);
}

/* ---------------------------------------------------------------- instructions */

static void hold(struct tarmac_make *m, uint64_t addr, uint32_t opcode, uint32_t size)
{
	static const uint8_t isa[] = { TARMAC_O, TARMAC_A, TARMAC_T };
	struct tarmac_inst *i = &m->record.inst;

	m->id++;
	m->record = begin(m, TARMAC_INST);
	i->addr.va = addr;
	i->opcode = opcode;
	i->digits = 2 * size;
	i->id = m->id;
	i->has_id = true;
	i->isa = isa[m->isa];
	if (m->context.known) {
		i->mode = text(mode_of(&m->context));
		i->security = text(security_of(&m->context));
	}
	csf_insn(&m->class, opcode, addr, m->isa, 0);
	if (m->isa != CSF_T32)
		m->it.state = 0;
	else if (it_block_next(&m->it, opcode))
		m->class.flags |= CSF_FLAG_COND;
	if (m->disasm && m->what & TARMAC_MAKE_INST) {
		strcpy(m->text, disasm_insn(m->disasm, m->isa, opcode, size, addr));
		i->disasm = text(m->text);
	}
	m->held = true;
}

/* Keeps addresses of instructions with unknown opcodes; T32 may have either size. */
static void hold_unknown(struct tarmac_make *m, const struct source_item *item)
{
	uint32_t size = item->n_insn ? item->size / item->n_insn : 0;

	for (uint32_t i = 0; i < item->n_insn && size; i++) {
		settle(m, nowhere);
		hold(m, item->addr + i * size, 0, size);
		m->record.inst.digits = 0;
		m->record.inst.disasm.n = 0;
		memset(&m->class, 0, sizeof(m->class));
	}
}

static void insn(struct tarmac_make *m, const struct source_item *item)
{
	struct target next = { item->addr, item->isa, true };
	uint32_t opcode, size;

	if (item->isa > CSF_T32) {
		gap(m, "an unknown instruction set", item->n_insn);
		return;
	}
	settle(m, next);
	events(m);
	m->isa = item->isa;
	if (item->no_code) {
		hold_unknown(m, item);
		return;
	}
	for (uint32_t at = 0, n = 0; n < item->n_insn; n++, at += size) {
		size = source_insn(item, at, &opcode);
		if (!size)
			break;
		next.addr = item->addr + at;
		settle(m, next);
		hold(m, next.addr, opcode, size);
	}
	if (item->how == SOURCE_SKIPPED)
		m->record.inst.skipped = true;
}

/* ---------------------------------------------------------------- streams */

void tarmac_make_start(struct tarmac_make *m, const char *cpu, uint32_t number)
{
	struct tarmac_make fresh = { m->out, m->disasm, m->style, m->what, m->stamps,
				     m->losses };

	*m = fresh;
	snprintf(m->cpu, sizeof(m->cpu), "%s", cpu);
	m->number = number;
}

static void transaction(struct tarmac_make *m, uint64_t what)
{
	static const char *const words[] = { "goes on", "start", "commit", "failed" };
	struct tarmac_record r = begin(m, TARMAC_NOTE);

	settle(m, nowhere);
	events(m);
	if (!(m->what & TARMAC_MAKE_GAP))
		return;
	r.note.name = text("TRANSACTION");
	r.note.colon = true;
	r.note.text = text(what < 4 ? words[what] : "");
	put(m, &r);
}

void tarmac_make_item(struct tarmac_make *m, const struct source_item *item)
{
	switch ((enum source_kind)item->kind) {
	case SOURCE_INSN:
		insn(m, item);
		break;
	case SOURCE_EXCEPTION:
		exception(m, item);
		break;
	case SOURCE_CONTEXT:
		m->next_context = item->context;
		m->new_context = true;
		break;
	case SOURCE_TIME:
		m->time = item->value;
		break;
	case SOURCE_MEM:
		memory(m, item);
		break;
	case SOURCE_OTHER:
		message(m, item);
		break;
	case SOURCE_TM:
		transaction(m, item->value);
		break;
	case SOURCE_GAP:
		leave(m, item);
		gap(m, csf_gap_name(item->value), 0);
		break;
	case SOURCE_Q:
		gap(m, "an unknown path", item->value);
		break;
	case SOURCE_CUT:
	case SOURCE_TASK:
		leave(m, item);
		events(m);
		break;
	default:
		break;
	}
}

void tarmac_make_end(struct tarmac_make *m)
{
	settle(m, nowhere);
	events(m);
}

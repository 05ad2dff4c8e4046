// SPDX-License-Identifier: GPL-2.0-only
/*
 * A block waits until the next address is known: the next instruction or, after an exception, the
 * address to which that returns.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../../kernel-glue/include/uapi/csf_abi.h"
#include "encode-blocks.h"
#include "encode-event.h"
#include "../source/source-insn.h"

/* A timestamp of 0 means none. */
#define CLOCK_FIRST	1

static const struct enc_context nothing;

/* ---------------------------------------------------------------- blocks */

static uint64_t block_end(const struct encode *e)
{
	return e->block.pc + e->block.size;
}

/* Does the last instruction decide where execution goes on? */
static bool branches(const struct encode *e)
{
	return e->block.n_insn && e->last.class != ENC_PLAIN && e->last.class != ENC_TRCIT &&
	       e->last.class != ENC_CALL && (e->last.class != ENC_BARRIER || e->setup->barriers);
}

/* In T32 a condition may come from IT. */
static bool may_fail(const struct encode *e)
{
	return e->last.flags & ENC_COND || e->block.isa == ENC_T32 ||
	       e->last_how == SOURCE_SKIPPED;
}

/* Could execution have gone from the last instruction to @pc? */
static bool leads_to(const struct encode *e, uint64_t pc)
{
	bool over = pc == block_end(e);

	if (e->last.class == ENC_DIRECT)
		return pc == e->last.target || (over && may_fail(e));
	return e->last.class == ENC_INDIRECT || over;
}

static void count(struct encode *e, enum enc_lost why, uint32_t n)
{
	e->stats.lost[why] += n;
}

/* Counts one more, and keeps the line of the first. */
static void first(uint64_t *n, uint64_t *where, uint64_t more, uint64_t line)
{
	if (!*n)
		*where = line;
	*n += more;
}

static void jumped(struct encode *e)
{
	first(&e->stats.jumps, &e->stats.first_jump, 1, e->line);
}

/* The block in the form of the encoder. */
static struct enc_block scanned(struct encode *e)
{
	struct enc_block block = { .pc = e->block.pc, .isa = e->block.isa, .it = e->it };

	enc_scan(e->setup, &block, e->bytes, e->block.size);
	if (e->last_how == SOURCE_SKIPPED)
		block.last.flags |= ENC_FAILED;
	/* It was executed, so it was taken, perhaps to the next instruction. */
	if (e->last_how == SOURCE_DONE && e->last.class == ENC_INDIRECT)
		block.last.flags &= ~ENC_COND;
	e->it = block.it;
	return block;
}

/*
 * Keeps the code of the block.  If it is new there, the decoder must know that the block is
 * later than the change.
 */
static void keep_code(struct encode *e)
{
	const struct encode_addr where = { e->block.pc, e->clock, e->pid };
	uint64_t from = 0;

	if (!e->code)
		return;
	if (encode_code_add(e->code, &where, e->bytes, e->block.size, &from))
		e->no_memory = true;
	if (from <= e->told)
		return;
	e->told = e->clock;
	enc_time_now(e->encoder);
}

/* The whole block was executed, and execution goes on at @next. */
static void put_block(struct encode *e, uint64_t next, uint8_t isa)
{
	struct enc_block block;

	if (!e->block.n_insn)
		return;
	keep_code(e);
	block = scanned(e);
	if (e->last.class == ENC_DIRECT && next == block_end(e) && next != e->last.target)
		block.last.flags |= ENC_FAILED;
	count(e, enc_block(e->encoder, &block, next, isa), e->block.n_insn);
	e->block.n_insn = 0;
}

/* The whole block was executed, and an exception follows. */
static void put_part(struct encode *e)
{
	struct enc_block block;

	if (!e->block.n_insn)
		return;
	keep_code(e);
	block = scanned(e);
	count(e, enc_part(e->encoder, &block), e->block.n_insn);
	e->block.n_insn = 0;
}

/* The following code is unrelated to the previous code. */
static void stop(struct encode *e)
{
	struct enc_block block;
	uint32_t open_end;

	if (!e->on)
		return;
	/* The target of the branch is unknown: it is not in the trace. */
	if (branches(e)) {
		count(e, ENC_LOST_OFF, 1);
		e->block.size -= e->last.size;
		e->block.n_insn--;
	}
	if (e->block.n_insn) {
		keep_code(e);
		block = scanned(e);
		count(e, enc_block(e->encoder, &block, block_end(e), e->block.isa),
		      e->block.n_insn);
		e->block.n_insn = 0;
	}
	/* Instructions reported as kept, but without an atom after them. */
	open_end = enc_stop(e->encoder);
	count(e, ENC_LOST_OFF, open_end);
	e->stats.lost[ENC_KEPT] -= open_end;
	e->on = false;
}

/* ---------------------------------------------------------------- exceptions */

static bool is_sync(uint32_t type)
{
	return type != ENC_EXC_IRQ && type != ENC_EXC_FIQ && type != ENC_EXC_SERROR &&
	       type != ENC_EXC_RESET && type != ENC_EXC_DEBUG_HALT;
}

/*
 * For an interrupt, and for a fault at the target of a branch, the event has the instruction that
 * was to be next; for a call it has something else.
 */
static bool event_tells(const struct encode *e, const struct encode_exception *x)
{
	return x->type != ENC_EXC_CALL && x->has_at && leads_to(e, x->at) &&
	       x->at != block_end(e) - e->last.size;
}

/* The return address if no register has it: for interrupts only if nothing is open. */
static void guess_return(const struct encode *e, struct encode_exception *x)
{
	bool last = e->block.n_insn != 0;

	if (x->has_ret || !last)
		return;
	x->has_ret = true;
	x->ret = block_end(e);
	if (e->last.class == ENC_DIRECT && e->last_how != SOURCE_SKIPPED) {
		x->ret = e->last.target;
		x->has_ret = e->last_how == SOURCE_DONE || !(e->last.flags & ENC_COND);
	} else if (e->last.class == ENC_INDIRECT) {
		x->has_ret = e->last_how == SOURCE_SKIPPED;
	}
	if (!x->has_ret && event_tells(e, x)) {
		x->has_ret = true;
		x->ret = x->at;
	}
	/* The log has the faulting instruction, which was not executed. */
	if (x->sync && x->type != ENC_EXC_CALL && !branches(e))
		x->ret = block_end(e) - e->last.size;
}

/* Drops a faulting instruction: it is in the log, but was not executed. */
static void drop_faulting(struct encode *e, const struct encode_exception *x)
{
	if (!e->block.n_insn || !x->sync || x->ret != block_end(e) - e->last.size)
		return;
	/* PTM and ETMv3 take it for executed if it is undefined. */
	if (x->type == ENC_EXC_TRAP && !enc_setup_a64(e->setup))
		return;
	first(&e->stats.faulted, &e->stats.first_fault, 1, e->last_line);
	e->block.n_insn--;
	e->block.size -= e->last.size;
	e->last = (struct enc_insn){ .class = ENC_PLAIN };
}

/* Return: it is in the trace, or tracing is off; false: it does not fit the code before. */
static bool put_exception(struct encode *e)
{
	struct encode_exception *x = &e->exception;

	x->pending = false;
	if (x->type == TYPE_OPEN)
		x->type = e->block.n_insn && e->last.class == ENC_CALL ? ENC_EXC_CALL :
			  x->has_esr ? type_of_esr(x->esr) : ENC_EXC_TRAP;
	x->sync = is_sync(x->type);
	if (!e->on)
		return true;
	e->stats.exceptions++;
	if (x->type == ENC_EXC_RESET) {
		if (branches(e))
			return false;
		put_part(e);
		enc_reset(e->encoder);
		return true;
	}
	guess_return(e, x);
	if (!x->has_ret)
		return false;
	drop_faulting(e, x);
	if (branches(e)) {
		if (!leads_to(e, x->ret))
			return false;
		put_block(e, x->ret, e->last.class == ENC_DIRECT && x->ret == e->last.target ?
			  e->last.target_isa : e->block.isa);
	} else {
		/* It returns to where it stopped, whatever the handler does. */
		if (e->block.n_insn)
			x->ret = block_end(e);
		put_part(e);
	}
	enc_exception(e->encoder, x->type, x->ret);
	if (x->gone)
		stop(e);
	return true;
}

/* Tracing ends here, after an exception if there was one. */
static void leave(struct encode *e)
{
	if (e->exception.pending && !put_exception(e))
		jumped(e);
	stop(e);
}

/* ---------------------------------------------------------------- contexts */

static int set_context(struct encode *e, const struct csf_context *c)
{
	uint32_t before = e->wanted.contextid;

	e->wanted.el = c->el;
	e->wanted.security = c->security;
	e->wanted.bits64 = c->bits64;
	if (c->has_contextid)
		e->wanted.contextid = c->contextid ? c->contextid : e->default_id;
	if (c->has_vmid)
		e->wanted.vmid = c->vmid;
	if (e->tid_seen && e->wanted.contextid != before)
		return e->tid_seen(e->tid_owner, e->pid, e->wanted.contextid);
	return 0;
}

static bool same_context(const struct enc_context *a, const struct enc_context *b)
{
	return a->contextid == b->contextid && a->vmid == b->vmid && a->el == b->el &&
	       a->security == b->security && a->bits64 == b->bits64;
}

/* For Tarmac: each instruction has an exception level and a security state. */
static int inst_context(struct encode *e, const struct source_item *item)
{
	struct csf_context c = item->context;

	if (!c.known && item->isa <= CSF_T32) {
		e->wanted.bits64 = item->isa == CSF_A64;
		return 0;
	}
	return c.known ? set_context(e, &c) : 0;
}

/* ---------------------------------------------------------------- instructions */

/* Tracing goes on, if it was off, or goes on at @pc. */
static void go_on(struct encode *e, uint64_t pc, uint8_t isa, bool handler)
{
	/* No exception is taken to EL0: code there came back from one. */
	if (handler && e->wanted.el == 0)
		stop(e);
	if (!e->on) {
		enc_start(e->encoder, pc, isa, &e->wanted);
		/* Before the first block: the time decides the code. */
		if (!e->started)
			enc_time(e->encoder);
		e->started = true;
	} else if (handler) {
		enc_handler(e->encoder, pc, isa, &e->wanted);
	} else if (!same_context(&e->wanted, &e->context)) {
		enc_context(e->encoder, &e->wanted);
	}
	e->on = true;
	e->context = e->wanted;
}

/*
 * A call without a record of the exception: there must have been one.  If execution goes on after
 * the call, the file has nothing of the handler.
 */
static void implied_call(struct encode *e, uint64_t pc)
{
	if (e->exception.pending || !e->block.n_insn || e->last.class != ENC_CALL)
		return;
	e->exception = (struct encode_exception){ .pending = true, .type = ENC_EXC_CALL,
						  .gone = pc == block_end(e) };
}

/* In ETMv3 each instruction may fail its condition, and has its own data. */
static bool takes_each(const struct encode *e)
{
	return csf_config_protocol(&e->setup->config) == CSF_PROTOCOL_ETM3;
}

/* Handles what comes before the instruction at @pc. */
static void arrive(struct encode *e, uint64_t pc, uint8_t isa)
{
	bool handler = false, bad = false;

	implied_call(e, pc);
	if (e->exception.pending) {
		handler = put_exception(e);
		bad = !handler;
	} else if (e->on && e->block.n_insn) {
		if (branches(e))
			bad = !leads_to(e, pc);
		else
			bad = pc != block_end(e) || isa != e->block.isa;
		if (!bad && (branches(e) || e->last.flags & ENC_FAILED || takes_each(e) ||
			     e->block.n_insn == ENCODE_INSNS ||
			     !same_context(&e->wanted, &e->context)))
			put_block(e, pc, isa);
	}
	if (bad) {
		jumped(e);
		stop(e);
	}
	if (!e->block.n_insn)
		go_on(e, pc, isa, handler && e->on);
}

static void append(struct encode *e, uint64_t pc, uint8_t isa, uint32_t opcode, uint32_t size)
{
	struct enc_block *b = &e->block;
	uint8_t *p = e->bytes + b->size;

	if (!b->n_insn) {
		e->it = pc == b->pc + b->size && isa == b->isa ? e->it : 0;
		*b = (struct enc_block){ .pc = pc, .isa = isa };
		p = e->bytes;
	}
	if (isa == CSF_T32 && size == 4)
		opcode = opcode << 16 | opcode >> 16;
	for (uint32_t i = 0; i < size; i++)
		p[i] = opcode >> 8 * i;
	b->size += size;
	b->n_insn++;
	e->stats.insns++;
}

static int one(struct encode *e, uint64_t pc, uint8_t isa, uint32_t opcode, uint32_t size)
{
	static const uint8_t isas[] = { ENC_A64, ENC_A32, ENC_T32 };

	arrive(e, pc, isas[isa]);
	append(e, pc, isas[isa], opcode, size);
	e->last = enc_classify(isas[isa], opcode, pc);
	e->last_how = SOURCE_UNKNOWN;
	if (!e->has_clock)
		e->clock++;
	return e->no_memory ? -ENOMEM : 0;
}

/* If the condition failed, a call has no effect; but it still ends a block. */
static void know_last(struct encode *e, enum source_how how)
{
	e->last_how = how;
	if (how != SOURCE_SKIPPED || e->last.class != ENC_CALL)
		return;
	e->last.class = ENC_PLAIN;
	e->last.flags |= ENC_FAILED;
}

/* Looks up opcodes that the file lacks in program files. */
static bool find_code(struct encode *e, struct source_item *item)
{
	const struct encode_addr where = { item->addr, e->clock, e->pid };
	size_t n;

	if (!e->code || item->isa > CSF_T32 || item->n_insn != 1)
		return false;
	n = encode_code_read(e->code, &where, item->opcode, 4);
	item->code = NULL;
	item->size = n;
	return n >= 2;
}

static int insns(struct encode *e, const struct source_item *item)
{
	struct source_item found = *item;
	uint32_t opcode, size;
	int err;

	if (item->has_time && item->line) {
		e->has_clock = true;
		e->clock = item->time ? item->time : CLOCK_FIRST;
	}
	if (item->isa > CSF_T32 || (item->no_code && !find_code(e, &found))) {
		first(&e->stats.no_code, &e->stats.first_no_code, item->n_insn, item->line);
		stop(e);
		return 0;
	}
	if (item->isa == CSF_A64 && !enc_setup_a64(e->setup)) {
		first(&e->stats.wide, &e->stats.first_wide, item->n_insn, item->line);
		stop(e);
		return 0;
	}
	err = inst_context(e, item);
	for (uint32_t at = 0, n = 0; n < item->n_insn && !err; n++, at += size) {
		size = source_insn(&found, at, &opcode);
		if (!size) {
			first(&e->stats.no_code, &e->stats.first_no_code, item->n_insn - n,
			      item->line);
			stop(e);
			return 0;
		}
		err = one(e, item->addr + at, item->isa, opcode, size);
	}
	know_last(e, item->how);
	e->last_line = item->line;
	return err;
}

/* ---------------------------------------------------------------- registers and events */

/* Return: all digits are known. */
static bool number(const struct tarmac_text *digits, uint64_t *v)
{
	*v = 0;
	for (size_t i = 0; i < digits->n; i++) {
		char c = digits->p[i];

		if (c == 'x' || c == '-')
			return false;
		*v = *v << 4 | (c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return digits->n;
}

static bool named(const struct source_item *item, const char *prefix)
{
	size_t n = strlen(prefix);

	return item->name.n >= n && !strncasecmp(item->name.p, prefix, n);
}

static int reg(struct encode *e, const struct source_item *item)
{
	struct csf_context c = { .el = e->wanted.el, .security = e->wanted.security,
				 .bits64 = e->wanted.bits64 };
	/* VMIDs are CONTEXTIDR_EL2 */
	const bool at_el2 = e->setup->config.trcconfigr >> CSF_ABI_CONFIGR_VMIDOPT & 1;
	uint64_t v;

	if (!number(&item->digits, &v))
		return 0;
	if (e->exception.pending && named(item, "ELR_")) {
		e->exception.ret = v;
		e->exception.has_ret = true;
	} else if (e->exception.pending && named(item, "ESR_")) {
		e->exception.esr = v;
		e->exception.has_esr = true;
	} else if (named(item, "CONTEXTIDR") && !named(item, "CONTEXTIDR_EL2")) {
		c.contextid = v;
		c.has_contextid = true;
		return set_context(e, &c);
	} else if (named(item, at_el2 ? "CONTEXTIDR_EL2" : "VTTBR")) {
		c.vmid = at_el2 ? v : v >> 48 & 0xffff;
		c.has_vmid = true;
		return set_context(e, &c);
	}
	return 0;
}

/* Two events may belong to one exception. */
static void event(struct encode *e, const struct source_item *item)
{
	if (!is_exception_event(item->value) || e->exception.pending)
		return;
	e->exception = (struct encode_exception){ .pending = true, .at = item->addr,
						  .has_at = item->has_addr,
						  .type = type_of_event(item->value) };
}

/* EXC [0x280] IRQ, EXC [15] SysTick; perhaps with ES before it. */
static void other(struct encode *e, const struct source_item *item)
{
	char text[40], *exc, *end;
	uint64_t n;

	snprintf(text, sizeof(text), "%.*s", (int)item->name.n, item->name.p);
	exc = strstr(text, "EXC");
	exc = exc && exc < text + 8 ? strchr(exc, '[') : NULL;
	if (!exc || e->exception.pending)
		return;
	n = strtoull(exc + 1, &end, 0);
	if (end == exc + 1 || *end != ']')
		return;
	e->exception = (struct encode_exception){
		.pending = true,
		.type = strstr(end, "Reset") ? ENC_EXC_RESET :
			type_of_vector(n, !strncmp(exc + 1, "0x", 2), e->block.isa),
	};
}

static void exception(struct encode *e, const struct source_item *item)
{
	bool another = e->exception.pending;

	if (another && !put_exception(e)) {
		jumped(e);
		stop(e);
	}
	/* Nothing was executed at its origin, not even the first instruction of a handler. */
	if (item->has_addr && (another || !e->on))
		go_on(e, item->addr, e->block.isa, another && e->on);
	e->exception = (struct encode_exception){ .pending = true, .type = item->type,
						  .ret = item->addr, .has_ret = item->has_addr };
}

static int task(struct encode *e, const struct source_item *item)
{
	struct csf_context c = { .el = e->wanted.el, .security = e->wanted.security,
				 .bits64 = e->wanted.bits64, .has_contextid = true };

	leave(e);
	e->pid = item->pid;
	c.contextid = item->tid;
	return set_context(e, &c);
}

/* ---------------------------------------------------------------- streams */

int encode_start(struct encode *e, const struct enc_setup *setup, uint32_t default_id)
{
	int err;

	e->setup = setup;
	e->default_id = default_id;
	e->clock = CLOCK_FIRST;
	e->has_clock = false;
	e->told = 0;
	e->on = false;
	e->started = false;
	e->no_memory = false;
	e->it = 0;
	e->block = (struct enc_block){ 0 };
	e->exception = (struct encode_exception){ 0 };
	e->context = nothing;
	e->wanted = nothing;
	e->wanted.contextid = default_id;
	e->wanted.security = CSF_NONSECURE;
	err = enc_new(&e->encoder, setup, &e->clock);
	return !err ? 0 : err == CSF_ERR_MEMORY ? -ENOMEM : -EINVAL;
}

/* The last instruction accessed memory, in transfers of up to a word, the lowest address first. */
static void memory(struct encode *e, const struct source_item *item)
{
	uint64_t value;

	if (!takes_each(e) || !e->block.n_insn || !item->n || item->n > 8 ||
	    !number(&item->digits, &value))
		return;
	for (unsigned int at = 0; at < item->n; at += 4, value >>= 32) {
		const struct enc_data data = {
			.addr = item->addr + at, .value = value,
			.size = item->n - at < 4 ? item->n - at : 4,
			.flags = item->write ? ENC_DATA_STORE : 0,
		};

		enc_data(e->encoder, &data);
	}
}

int encode_item(struct encode *e, const struct source_item *item)
{
	e->line = item->line;
	switch ((enum source_kind)item->kind) {
	case SOURCE_INSN:
		return insns(e, item);
	case SOURCE_REG:
		return reg(e, item);
	case SOURCE_MEM:
		memory(e, item);
		break;
	case SOURCE_CONTEXT:
		return set_context(e, &item->context);
	case SOURCE_EVENT:
		event(e, item);
		break;
	case SOURCE_EXCEPTION:
		exception(e, item);
		break;
	case SOURCE_OTHER:
		other(e, item);
		break;
	case SOURCE_TASK:
		return task(e, item);
	case SOURCE_TIME:
		e->has_clock = true;
		e->clock = item->value ? item->value : CLOCK_FIRST;
		break;
	case SOURCE_GAP:
	case SOURCE_CUT:
	case SOURCE_Q:
		leave(e);
		break;
	default:
		break;
	}
	return 0;
}

/* The log ends with a branch of unknown target: everything before it is in the trace. */
static void drop_open(struct encode *e)
{
	first(&e->stats.open, &e->stats.first_open, 1, e->last_line);
	count(e, ENC_LOST_OFF, 1);
	e->block.n_insn--;
	e->block.size -= e->last.size;
	e->last = (struct enc_insn){ .class = ENC_PLAIN };
}

void encode_end(struct encode *e, bool halt)
{
	const struct encode_exception halted = { .pending = true, .type = ENC_EXC_DEBUG_HALT };
	const struct encode_exception call = { .pending = true, .type = ENC_EXC_CALL,
					       .gone = true };

	if (e->exception.pending && !put_exception(e))
		jumped(e);
	else if (halt && e->on && e->block.n_insn)
		e->exception = e->last.class == ENC_CALL ? call : halted;
	if (e->exception.pending && !put_exception(e) && branches(e)) {
		drop_open(e);
		e->exception = halted;
		if (e->block.n_insn)
			put_exception(e);
	}
	stop(e);
	enc_flush(e->encoder);
}

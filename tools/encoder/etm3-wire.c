// SPDX-License-Identifier: GPL-2.0-only
#include "etm3-wire.h"

#define ONE_IN		8	/* another form than the shortest */

/* ETMCR, ETMCCER, ETMIDR */
#define CR_CPRT		(1u << 1)
#define CR_VALUES	(1u << 2)
#define CR_ADDRESSES	(1u << 3)
#define CR_CYCLES	(1u << 12)
#define CR_DATA_ONLY	(1u << 20)
#define CCER_HYP	(1u << 26)
#define CCER_BINARY	(1u << 28)
#define CCER_TS64	(1u << 29)
#define IDR_ALT		(1u << 20)

void etm3_wire_init(struct etm3_wire *w, struct wire *out, uint64_t seed)
{
	static const uint8_t cid_size[] = { 0, 1, 2, 4 };
	const struct csf_config *config = &out->config;
	const uint32_t cr = config->etmcr, ccer = config->etmccer;
	const unsigned int minor = config->etmidr >> 4 & 15;

	*w = (struct etm3_wire){
		.out = out,
		.cid_size = cid_size[cr >> 14 & 3],
		.ts_bits = ccer & CCER_TS64 ? 64 : 48,
		.gray = !(ccer & CCER_BINARY),
		.cycles = cr & CR_CYCLES,
		.alt = config->etmidr & IDR_ALT && minor >= 4,
		.v30 = !minor,
		.hyp = ccer & CCER_HYP,
		.values = cr & (CR_VALUES | CR_CPRT),
		.addresses = cr & CR_ADDRESSES,
		.no_insn = cr & CR_DATA_ONLY,
		.chance = seed,
	};
	dice_seed(&w->dice, seed);
}

static void room(struct etm3_wire *w)
{
	wire_room(w->out);
}

static void byte(struct etm3_wire *w, uint8_t v)
{
	wire_byte(w->out, v);
}

static bool by_chance(struct etm3_wire *w)
{
	return w->chance && dice_once_in(&w->dice, ONE_IN);
}

/* The low seven bits of @v in each byte, with bit 7 if more follow. */
static void groups(struct etm3_wire *w, uint32_t v)
{
	for (; v >= 0x80; v >>= 7)
		byte(w, 0x80 | (v & 0x7f));
	byte(w, v);
}

static void little_endian(struct etm3_wire *w, uint32_t v, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		byte(w, v >> 8 * i);
}

/* A packet, after the atoms before it. */
static void header(struct etm3_wire *w, uint8_t v)
{
	etm3_wire_flush(w);
	room(w);
	byte(w, v);
}

/* ---------------------------------------------------------------- P-headers */

/*
 * Without cycles: 1 N EEEE 00, some E and then perhaps N; or 1000 ab 10, two atoms, 1 is N.
 * With cycles: 1 N 0 EEE 00, likewise, each atom after a cycle; 1000 ab 10, a cycle and two atoms;
 * 1 E 1 WWW 00, one to eight cycles, and perhaps E; 1001 0a 10, an atom after no cycle.
 */
#define P_ATOMS(e, n)	(0x80 | (n) << 6 | (e) << 2)
#define P_TWO(a, b)	(0x82 | !(a) << 3 | !(b) << 2)
#define P_CYCLES(c, e)	(0xa0 | (e) << 6 | ((c) - 1) << 2)
#define P_ALONE(a)	(0x92 | !(a) << 2)

void etm3_wire_flush(struct etm3_wire *w)
{
	room(w);
	if (w->n_e == 2 && !w->cycles && !w->wait_n && by_chance(w))
		byte(w, P_TWO(1, 1));
	else if (w->n_e == 1 && !w->cycles && w->wait_n && by_chance(w))
		byte(w, P_TWO(1, 0));
	else if (w->n_e == 1 && w->cycles && !w->wait_n && by_chance(w))
		byte(w, P_CYCLES(1, 1));
	else if (w->n_e || w->wait_n)
		byte(w, P_ATOMS(w->n_e, w->wait_n));
	w->n_e = 0;
	w->wait_n = false;
}

/* The atoms that wait are E, of at most one P-header, or one N. */
static void plain_atom(struct etm3_wire *w, bool executed)
{
	if (w->wait_n) {
		room(w);
		byte(w, P_TWO(0, executed));
		w->wait_n = false;
		return;
	}
	if (executed) {
		if (w->n_e == 15)
			etm3_wire_flush(w);
		w->n_e++;
		return;
	}
	w->wait_n = true;
	if (w->n_e)
		etm3_wire_flush(w);
}

/* The same, each after one cycle: up to seven E, or one N. */
static void atom_after_cycle(struct etm3_wire *w, bool executed)
{
	if (w->wait_n || (executed && w->n_e == 7))
		etm3_wire_flush(w);
	w->n_e += executed;
	w->wait_n = !executed;
	if (w->wait_n && w->n_e)
		etm3_wire_flush(w);
}

static void atom_without_cycle(struct etm3_wire *w, bool executed)
{
	if (w->n_e + w->wait_n != 1) {
		header(w, P_ALONE(executed));
		return;
	}
	room(w);
	byte(w, P_TWO(w->n_e, executed));
	w->n_e = 0;
	w->wait_n = false;
}

void etm3_wire_wait(struct etm3_wire *w, uint32_t cycles)
{
	etm3_wire_flush(w);
	for (; cycles > 8; cycles -= 8) {
		room(w);
		byte(w, P_CYCLES(8, 0));
	}
	if (!cycles)
		return;
	room(w);
	byte(w, P_CYCLES(cycles, 0));
}

void etm3_wire_atom(struct etm3_wire *w, bool executed, uint32_t cycles)
{
	if (!w->cycles) {
		plain_atom(w, executed);
	} else if (!cycles) {
		atom_without_cycle(w, executed);
	} else if (cycles == 1) {
		atom_after_cycle(w, executed);
	} else if (executed) {
		etm3_wire_wait(w, (cycles - 1) / 8 * 8);
		header(w, P_CYCLES((cycles - 1) % 8 + 1, 1));
	} else {
		etm3_wire_wait(w, cycles - 1);
		atom_after_cycle(w, false);
	}
}

/* ---------------------------------------------------------------- addresses of instructions */

/**
 * struct form - a kind of address
 * @shift: the lowest bit that an address of the instruction set can have
 * @lead: the leading one of the fifth byte; the top bits of the address are below it
 */
static const struct form {
	uint8_t shift, lead;
} forms[] = {
	[ETM3_WIRE_A32] = { 2, 0x08 },
	[ETM3_WIRE_T32] = { 1, 0x10 },
	[ETM3_WIRE_JAZELLE] = { 0, 0x20 },
};

/* Address bits in one to four bytes: of the last one, six in the alternative encoding, or seven. */
static unsigned int bits_of(const struct etm3_wire *w, unsigned int n_byte)
{
	return n_byte == 1 ? 6 : 7 * n_byte - 1 - w->alt;
}

/* The number of bytes of an address. */
static unsigned int length(struct etm3_wire *w, uint32_t addr, uint8_t isa)
{
	const uint32_t changed = (addr ^ w->addr) >> forms[isa].shift;
	unsigned int n = 1;

	if (isa != w->isa)
		return 5;
	while (n < 5 && changed >> bits_of(w, n))
		n++;
	return by_chance(w) && n < 5 ? n + 1 + dice_below(&w->dice, 5 - n) : n;
}

/* Sends @n_byte bytes of an address; @more: bit 6 of the last one. */
static void address(struct etm3_wire *w, uint32_t addr, uint8_t isa, unsigned int n_byte, bool more)
{
	const struct form *form = &forms[isa];
	uint32_t v = addr >> form->shift;

	byte(w, 1 | (v & 0x3f) << 1 | (n_byte > 1) << 7);
	v >>= 6;
	for (unsigned int i = 2; i < n_byte; i++, v >>= 7)
		byte(w, 0x80 | (v & 0x7f));
	if (n_byte == 5)
		byte(w, (v & (form->lead - 1)) | form->lead | more << 6);
	else if (n_byte > 1)
		byte(w, w->alt ? (v & 0x3f) | more << 6 : v & 0x7f);
	w->addr = addr;
	w->isa = isa;
}

void etm3_wire_branch(struct etm3_wire *w, uint32_t addr, uint8_t isa)
{
	etm3_wire_flush(w);
	room(w);
	address(w, addr, isa, length(w, addr, isa), false);
}

/* The information of ETMv3.0 is in the fifth byte: 1 C EEE and the top three bits. */
static void old_exception(struct etm3_wire *w, const struct etm3_wire_state *state,
			  const struct etm3_wire_exception *exception)
{
	address(w, state->addr, ETM3_WIRE_A32, 5, false);
	w->out->n--;
	byte(w, 0x80 | exception->cancel << 6 | exception->number << 3 | state->addr >> 29);
}

/* C alt cancel E3..E0 ns; C 0 hyp E8..E4; 0 1 0 0 and what to resume with. */
static void exception_bytes(struct etm3_wire *w, const struct etm3_wire_state *state,
			    const struct etm3_wire_exception *exception)
{
	const bool second = exception->number > 15 || state->hyp != w->said_hyp || by_chance(w);
	const bool third = exception->resume;

	byte(w, (second || third) << 7 | state->alt << 6 | exception->cancel << 5 |
		(exception->number & 15) << 1 | state->ns);
	if (second)
		byte(w, third << 7 | state->hyp << 5 | exception->number >> 4);
	if (third)
		byte(w, 0x40 | exception->resume);
	w->said_hyp = state->hyp;
}

void etm3_wire_exception(struct etm3_wire *w, const struct etm3_wire_state *state,
			 const struct etm3_wire_exception *exception)
{
	unsigned int n = w->alt ? length(w, state->addr, state->isa) : 5;

	etm3_wire_flush(w);
	room(w);
	if (exception->old) {
		old_exception(w, state, exception);
		return;
	}
	/* One byte has no room for the bit that says so. */
	address(w, state->addr, state->isa, n > 1 ? n : 2, true);
	exception_bytes(w, state, exception);
}

/* ---------------------------------------------------------------- synchronisation */

void etm3_wire_async(struct etm3_wire *w, bool exact)
{
	const unsigned int zeros = !exact && by_chance(w) ? 5 + dice_below(&w->dice, 4) : 5;

	etm3_wire_flush(w);
	room(w);
	for (unsigned int i = 0; i < zeros; i++)
		byte(w, 0);
	byte(w, 0x80);
	w->out->syncs++;
}

/* The address that follows is near the one before it, whose instruction set it has. */
static void next_after(struct etm3_wire *w, const struct etm3_wire_state *state)
{
	const unsigned int n = length(w, state->addr, state->isa);

	address(w, state->addr, state->isa, n, false);
}

void etm3_wire_isync(struct etm3_wire *w, const struct etm3_wire_state *state,
		     const struct etm3_wire_isync *isync)
{
	const bool lsip = isync->lsip && !w->no_insn;
	const bool jazelle = state->isa == ETM3_WIRE_JAZELLE && !w->no_insn;

	header(w, isync->has_cycles ? 0x70 : 0x08);
	if (isync->has_cycles)
		groups(w, isync->cycles);
	little_endian(w, state->contextid, w->cid_size);
	byte(w, lsip << 7 | isync->why << 5 | jazelle << 4 | state->ns << 3 | state->alt << 2 |
		state->hyp << 1 | 1);
	w->said_hyp = state->hyp;
	if (isync->why != ETM3_WIRE_PERIODIC)
		w->data_known = false;
	if (w->no_insn)
		return;
	w->addr = lsip ? isync->multiple : state->addr;
	w->isa = state->isa;
	little_endian(w, w->addr | (state->isa == ETM3_WIRE_T32), 4);
	if (lsip)
		next_after(w, state);
}

/* ---------------------------------------------------------------- small packets */

void etm3_wire_trigger(struct etm3_wire *w)
{
	header(w, 0x0c);
}

void etm3_wire_ignore(struct etm3_wire *w)
{
	header(w, 0x66);
}

void etm3_wire_eret(struct etm3_wire *w)
{
	header(w, 0x76);
}

void etm3_wire_stacking(struct etm3_wire *w)
{
	header(w, 0x7e);
}

void etm3_wire_cycles(struct etm3_wire *w, uint32_t cycles)
{
	header(w, 0x04);
	groups(w, cycles);
}

void etm3_wire_contextid(struct etm3_wire *w, uint32_t contextid)
{
	header(w, 0x6e);
	little_endian(w, contextid, w->cid_size);
}

void etm3_wire_vmid(struct etm3_wire *w, uint8_t vmid)
{
	header(w, 0x3c);
	byte(w, vmid);
}

/* Seven bits in a byte; the last that there can be has six of 48, or eight of 64. */
void etm3_wire_time(struct etm3_wire *w, uint64_t time, bool change, bool whole)
{
	const uint64_t all = w->ts_bits == 64 ? UINT64_MAX : (1ull << 48) - 1;
	const uint64_t v = w->gray ? (time & all) ^ (time & all) >> 1 : time & all;
	const uint64_t changed = whole ? all : v ^ w->time;
	const unsigned int last = w->ts_bits == 64 ? 8 : 6;
	unsigned int i = 0;

	header(w, change ? 0x46 : 0x42);
	while (i < last && changed >> 7 * i >> 7)
		byte(w, 0x80 | (v >> 7 * i++ & 0x7f));
	byte(w, v >> 7 * i & (i == last ? 0xff : 0x7f));
	w->time = v;
}

/* ---------------------------------------------------------------- data */

/* Seven bits in each of four bytes; the fifth has the top four, and bit 4: big-endian. */
static void data_address(struct etm3_wire *w, const struct etm3_wire_data *data)
{
	const uint32_t addr = data->addr;
	/* Whether accesses without an address count as the last one is not clear, so both do. */
	const uint32_t changed = (addr ^ w->data_addr) | (addr ^ w->data_last);
	unsigned int n = 1;

	while (n < 5 && changed >> 7 * n)
		n++;
	if (data->where == ETM3_WIRE_AT_ALL || !w->data_known || data->big != w->data_big)
		n = 5;
	else if (by_chance(w) && n < 5)
		n += 1 + dice_below(&w->dice, 5 - n);
	for (unsigned int i = 0; i + 1 < n; i++)
		byte(w, 0x80 | (addr >> 7 * i & 0x7f));
	byte(w, n == 5 ? addr >> 28 | data->big << 4 : addr >> 7 * (n - 1) & 0x7f);
	w->data_known = true;
	w->data_big = data->big;
	w->data_addr = addr;
}

static bool has_address(const struct etm3_wire *w, const struct etm3_wire_data *data)
{
	return w->addresses && data->where <= ETM3_WIRE_AT_ALL;
}

/* The header, with @bit if there is an address, and the address. */
static void data_header(struct etm3_wire *w, const struct etm3_wire_data *data, uint8_t code,
			uint8_t bit)
{
	const bool has = has_address(w, data);

	header(w, code | (has ? bit : 0));
	if (has)
		data_address(w, data);
	if (data->where != ETM3_WIRE_NOWHERE)
		w->data_last = data->addr;
}

/* Zeros at the top of a value are left out: it has 0, 1, 2 or 4 bytes. */
static unsigned int value_code(struct etm3_wire *w, uint32_t v)
{
	const unsigned int code = !v ? 0 : v < 0x100 ? 1 : v < 0x10000 ? 2 : 3;

	if (!w->values)
		return 0;
	return by_chance(w) && code < 3 ? code + 1 : code;
}

static void value(struct etm3_wire *w, uint32_t v, unsigned int code)
{
	if (code)
		little_endian(w, v, code == 3 ? 4 : code);
}

/* 00 A 0 SS 10 */
void etm3_wire_data(struct etm3_wire *w, const struct etm3_wire_data *data)
{
	const unsigned int code = value_code(w, data->value);

	data_header(w, data, 0x02 | code << 2, 0x20);
	value(w, data->value, code);
}

/* 01 A 1 TT 00 */
void etm3_wire_place(struct etm3_wire *w, const struct etm3_wire_data *data, uint8_t tag)
{
	data_header(w, data, 0x50 | tag << 2, 0x20);
}

/* 0 TT 0 SS 00 */
void etm3_wire_late(struct etm3_wire *w, uint32_t v, uint8_t tag)
{
	const unsigned int code = value_code(w, v);

	header(w, tag << 5 | code << 2);
	value(w, v, code);
}

/* 011 A 1010 */
void etm3_wire_untraced(struct etm3_wire *w, const struct etm3_wire_data *data)
{
	data_header(w, data, 0x6a, 0x10);
}

void etm3_wire_failed(struct etm3_wire *w)
{
	header(w, 0x50);
}

void etm3_wire_lost(struct etm3_wire *w)
{
	header(w, 0x62);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Source: ARM IHI 0035 (PFT), "Packet encodings". */
#include "ptm-wire.h"

#define ASYNC_ZEROS	5
#define ATOMS		5	/* most of a packet */

enum {
	HEADER_ISYNC = 0x08, HEADER_VMID = 0x3c, HEADER_TIME = 0x42, HEADER_TIME_CHANGE = 0x46,
	HEADER_CID = 0x6e, HEADER_WAYPOINT = 0x72,
};

static void byte(struct pft_wire *w, uint8_t value)
{
	wire_byte(w->out, value);
}

static void little(struct pft_wire *w, uint32_t value, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		byte(w, value >> 8 * i);
}

/* Room for a packet, after the atoms before it. */
static void begin(struct pft_wire *w)
{
	pft_flush(w);
	wire_room(w->out);
}

void pft_header(struct pft_wire *w, uint8_t header)
{
	begin(w);
	byte(w, header);
}

/* ---------------------------------------------------------------- atoms, cycles */

/*
 * A count begins with 4 bits in a byte, whose other bits are @first; up to 4 bytes with 7 bits each
 * follow.
 */
static void counted(struct pft_wire *w, uint8_t first, uint32_t count)
{
	uint32_t rest = count >> 4;

	byte(w, first | (count & 0xf) << 2 | (rest ? 0x40 : 0));
	while (rest) {
		byte(w, (rest & 0x7f) | (rest >> 7 ? 0x80 : 0));
		rest >>= 7;
	}
}

void pft_flush(struct pft_wire *w)
{
	if (!w->n_atom)
		return;
	wire_room(w->out);
	/* A 1 above the oldest atom tells how many there are. */
	byte(w, 0x80 | 1 << (w->n_atom + 1) | w->atom << 1);
	w->atom = 0;
	w->n_atom = 0;
}

void pft_atom(struct pft_wire *w, bool taken, uint32_t count)
{
	if (w->cycles) {
		wire_room(w->out);
		counted(w, 0x80 | !taken << 1, count);
		return;
	}
	w->atom = w->atom << 1 | !taken;
	if (++w->n_atom == ATOMS)
		pft_flush(w);
}

/* ---------------------------------------------------------------- addresses */

/* The number of the lowest bit that an address has. */
static unsigned int lowest(enum enc_isa isa)
{
	return isa == ENC_A32 ? 2 : 1;
}

/* How many bytes the address needs: 6, 12, 19 or 26 low bits of it, or all. */
static unsigned int bytes_of(const struct pft_wire *w, uint32_t addr, enum enc_isa isa)
{
	static const uint8_t bits[] = { 6, 12, 19, 26 };
	const uint32_t changed = (addr ^ w->addr) >> lowest(isa);
	unsigned int n = 0;

	if (isa != w->isa)
		return 5;
	while (n < 4 && changed >> bits[n])
		n++;
	return n + 1;
}

/* @n: bytes; @first: bit 0 of the first one; @more: information follows, as the last one tells */
static void address(struct pft_wire *w, uint32_t addr, enum enc_isa isa, unsigned int n,
		    uint8_t first, bool more)
{
	uint32_t left = addr >> lowest(isa);

	byte(w, (n > 1 ? 0x80 : 0) | (left & 0x3f) << 1 | first);
	left >>= 6;
	for (unsigned int i = 1; i < n && i < 4; i++, left >>= 7) {
		if (i + 1 < n)
			byte(w, 0x80 | (left & 0x7f));
		else
			byte(w, (more ? 0x40 : 0) | (left & 0x3f));
	}
	if (n == 5)
		byte(w, (more ? 0x40 : 0) | (isa == ENC_A32 ? 0x08 : 0x10) | left);
	w->addr = addr;
	w->isa = isa;
}

static bool same_state(const struct pft_state *a, const struct pft_state *b)
{
	return a->ns == b->ns && a->hyp == b->hyp;
}

/* The second byte may be left out where there never is a hypervisor. */
static void information(struct pft_wire *w, const struct pft_branch *b)
{
	const bool second = b->state.hyp || w->state.hyp || b->exception >> 4;

	byte(w, (second ? 0x80 : 0) | (b->exception & 0xf) << 1 | b->state.ns);
	if (second)
		byte(w, b->state.hyp << 5 | b->exception >> 4);
	w->state = b->state;
}

void pft_branch(struct pft_wire *w, const struct pft_branch *b)
{
	const bool more = b->exception || !same_state(&b->state, &w->state);
	unsigned int n = bytes_of(w, b->addr, b->isa);

	begin(w);
	if (more && n == 1)
		n = 2;
	address(w, b->addr, b->isa, n, 1, more);
	if (more)
		information(w, b);
	if (w->cycles)
		counted(w, 0, b->count);
}

void pft_waypoint(struct pft_wire *w, uint32_t addr, enum enc_isa isa)
{
	begin(w);
	byte(w, HEADER_WAYPOINT);
	address(w, addr, isa, bytes_of(w, addr, isa), 0, false);
}

/* ---------------------------------------------------------------- synchronisation */

void pft_async(struct pft_wire *w)
{
	begin(w);
	for (int i = 0; i < ASYNC_ZEROS; i++)
		byte(w, 0);
	byte(w, 0x80);
	w->time_full = true;
	w->out->syncs++;
}

void pft_isync(struct pft_wire *w, const struct pft_isync *s)
{
	begin(w);
	byte(w, HEADER_ISYNC);
	little(w, s->addr | (s->isa == ENC_T32), 4);
	byte(w, s->reason << 5 | s->state.ns << 3 | s->state.hyp << 1 | 1);
	if (w->cycles && s->reason != PFT_PERIODIC)
		counted(w, s->mark ? 0x80 : 0, s->count);
	little(w, s->cid, w->cid_size);
	w->addr = s->addr;
	w->isa = s->isa;
	w->state = s->state;
	w->cid = s->cid;
	w->vmid_sent = false;
}

/* ---------------------------------------------------------------- context, time */

void pft_context_id(struct pft_wire *w, uint32_t cid)
{
	begin(w);
	byte(w, HEADER_CID);
	little(w, cid, w->cid_size);
	w->cid = cid;
}

void pft_vmid(struct pft_wire *w, uint32_t vmid)
{
	begin(w);
	byte(w, HEADER_VMID);
	byte(w, vmid);
	w->vmid = vmid;
	w->vmid_sent = true;
}

/* Of 48 bits the last byte has 6, of 64 bits it has 8. */
void pft_time(struct pft_wire *w, uint64_t time, bool change, uint32_t count)
{
	const unsigned int most = w->time_bits == 64 ? 9 : 7;
	uint64_t value = w->gray ? time ^ time >> 1 : time;
	unsigned int n = 1;

	if (w->time_bits == 48)
		value &= (1ull << 48) - 1;
	while (n < most && (w->time_full || (value ^ w->time) >> 7 * n))
		n++;
	begin(w);
	byte(w, change ? HEADER_TIME_CHANGE : HEADER_TIME);
	for (unsigned int i = 0; i + 1 < n; i++)
		byte(w, 0x80 | (value >> 7 * i & 0x7f));
	byte(w, value >> 7 * (n - 1) & (n == 9 ? 0xff : 0x7f));
	if (w->cycles)
		counted(w, 0, count);
	w->time = value;
	w->time_full = false;
}

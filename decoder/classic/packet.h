/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The packets that ETMv3 and PTM have in common, and the parts of others.  A protocol has a reader
 * of its own, classic_reader, which the functions below take as a constant.
 */
#ifndef CSF_CLASSIC_PACKET_H
#define CSF_CLASSIC_PACKET_H

#include "../config.h"
#include "../window.h"

#define CLASSIC_SYNC_ZEROS	5
#define CLASSIC_SYNC_SIZE	6

/* Header bytes.  Branches are odd; atoms are even and above 0x7f. */
enum classic_header {
	CLASSIC_ASYNC		= 0x00,
	CLASSIC_ISYNC		= 0x08,
	CLASSIC_TRIGGER		= 0x0c,
	CLASSIC_VMID		= 0x3c,
	CLASSIC_TIME		= 0x42,
	CLASSIC_TIME_CHANGE	= 0x46,	/* the clock's frequency has changed */
	CLASSIC_IGNORE		= 0x66,
	CLASSIC_CTXTID		= 0x6e,
	CLASSIC_ERET		= 0x76,
};

/* csf_packet.info of an I-sync: the information byte without bit 0; of branches: the same bits. */
#define CLASSIC_INFO_HYP		0x02
#define CLASSIC_INFO_ALT		0x04	/* ThumbEE, if T32 */
#define CLASSIC_INFO_NS			0x08
#define CLASSIC_INFO_JAZELLE		0x10
#define CLASSIC_INFO_REASON(info)	((info) >> 5 & 3)

enum classic_reason { CLASSIC_PERIODIC, CLASSIC_ON, CLASSIC_OVERFLOW, CLASSIC_DEBUG };

/* The number of the lowest bit that an address can have is 2 minus this. */
enum classic_isa { CLASSIC_A32, CLASSIC_T32, CLASSIC_JAZELLE };

/* The instruction set of a full address. */
static inline enum classic_isa classic_isa(const struct csf_packet *pkt)
{
	return pkt->info & CLASSIC_INFO_JAZELLE ? CLASSIC_JAZELLE :
	       pkt->flags & CSF_PKT_IS1 ? CLASSIC_T32 : CLASSIC_A32;
}

/**
 * typedef classic_reader - unpack a packet: a pure function of the bytes and the configuration
 * @c: the configuration
 * @p: header byte; CSF_PACKET_MAX bytes must be readable, whatever they hold
 * @pkt: set to the packet, perhaps CSF_PKT_BAD; compressed addresses stay compressed
 *
 * Return: size in bytes, 1..CSF_PACKET_MAX: it may reach past the end of the trace.
 */
typedef int classic_reader(const struct config *c, const uint8_t *p, struct csf_packet *pkt);

/* The type of a header byte that both protocols have. */
enum csf_packet_type classic_type_of(uint8_t header);

/* Makes @pkt a bad packet of the @n bytes at @p.  Return: @n. */
int classic_bad(const uint8_t *p, int n, enum csf_bad why, enum csf_packet_type type,
		struct csf_packet *pkt);

/*
 * Payload readers.  @n is the number of bytes of the packet so far.  They return the new number, or
 * minus the number of bytes up to the one that proves the packet malformed.
 */
int classic_read_time(const struct config *c, const uint8_t *p, struct csf_packet *pkt);
int classic_read_cid(const struct config *c, const uint8_t *p, int n, struct csf_packet *pkt);

/* At least five zeros, and 0x80.  So many zeros that it does not end here are CSF_PKT_IGNORE. */
int classic_read_async(const uint8_t *p, struct csf_packet *pkt);

/*
 * The fifth @byte of an address: its leading one says the instruction set, below it are the top
 * bits of the address.  Bit 6 is not part of it.  @val has the 27 bits before these, and gets all.
 * Return: enum classic_isa; -1: reserved.
 */
int classic_read_fifth(uint8_t byte, uint64_t *val);

/*
 * The address of a branch at @p, without its fifth byte: *@n low bits in *@val.  @alt: the last of
 * two to four bytes has six bits, and at bit 6 whether an exception follows; else seven.  Return:
 * its size, 4 if there is a fifth byte, too, and then bit 7 of the fourth is set; 0: there is an
 * exception.
 */
static __always_inline unsigned int classic_read_short(const uint8_t *p, bool alt, uint64_t *val,
						       unsigned int *n)
{
	unsigned int size = 1;

	*val = p[0] >> 1 & 0x3f;
	*n = 6;
	while (p[size - 1] & 0x80 && size < 4) {
		const bool short_last = alt && !(p[size] & 0x80);

		if (short_last && p[size] & 0x40)
			return 0;
		*val |= (uint64_t)(p[size] & 0x7f) << *n;
		*n += short_last ? 6 : 7;
		size++;
	}
	return size;
}

/* The same with its fifth byte, after the 27 bits in @val. */
const uint8_t *classic_quick_full(const uint8_t *p, uint64_t val, struct csf_packet *pkt);

/* Unpacks a branch without an exception.  Return: its end; NULL: it is another packet. */
static __always_inline const uint8_t *classic_quick_branch(const uint8_t *p, bool alt,
							   struct csf_packet *pkt)
{
	unsigned int n, size;
	uint64_t val;

	size = classic_read_short(p, alt, &val, &n);
	if (!size)
		return NULL;
	if (unlikely(p[size - 1] & 0x80))
		return classic_quick_full(p, val, pkt);
	*pkt = (struct csf_packet){
		.type = CSF_PKT_BRANCH, .size = size, .val = val, .n = n,
	};
	return p + size;
}

static inline bool classic_is_bad(const struct csf_packet *pkt)
{
	return pkt->type == CSF_PKT_BAD;
}

/* The packet just read reaches past the @n bytes that there are.  Return: @n. */
int classic_cut(const uint8_t *p, int n, struct csf_packet *pkt);

/*
 * Reads the packet at @win->pos; call only when window_ready().  A packet that reaches past the cut
 * or the end is CSF_BAD_CUT.  Zeros before an A-sync are part of it.  Return: bytes to take.
 */
static __always_inline int classic_read_window(const struct window *win, const struct config *c,
					       struct csf_packet *pkt, classic_reader *read)
{
	const int left = win->cut - win->pos, size = read(c, win->pos, pkt);

	if (likely(size <= left) || win->pos == win->cut)
		return size;
	if (pkt->type == CSF_PKT_ASYNC && win->cut < win->end)
		return size;
	return classic_cut(win->pos, left, pkt);
}

/* May the packet that classic_read_window() returned be taken?  If not, calls window_keep(). */
static inline bool classic_whole(struct window *win, const struct csf_packet *pkt, int size)
{
	if (likely(!win->flush) || !window_is_open(win))
		return true;
	if ((pkt->type != CSF_PKT_BAD || pkt->n != CSF_BAD_CUT) && window_flushes(win, size))
		return true;
	window_keep(win);
	return false;
}

/* For struct protocol: csf_packet_read() and csf_packet_write(). */
int classic_read_packet(const struct config *c, const uint8_t *p, size_t n,
			struct csf_packet *pkt, classic_reader *read);

/* Writes the @bytes low bytes of @v.  Return: the bytes of the packet so far. */
int classic_put_le(uint8_t *p, int n, uint64_t v, unsigned int bytes);

/* As @draft below, of a packet that means the same in both protocols. */
int classic_draft(const struct config *c, uint8_t *p, const struct csf_packet *pkt);

/*
 * @draft: writes what the fields ask for, in range or not, to bytes that are zero; returns their
 * number; 0: there is no such packet.  Then the bytes are read back: if the result is another
 * packet, there is no such packet either.
 */
int classic_write_packet(const struct config *c, uint8_t *p, const struct csf_packet *pkt,
			 int (*draft)(const struct config *c, uint8_t *p,
				      const struct csf_packet *pkt), classic_reader *read);

#endif /* CSF_CLASSIC_PACKET_H */

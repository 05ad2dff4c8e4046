/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Protocol: how the bytes of a trace source become packets and elements.  Each protocol has a
 * folder, and its packets, headers and registers are named only there.  Calls go through this table
 * once for each run, batch of packets or segment, never for each packet.
 */
#ifndef CSF_PROTOCOL_H
#define CSF_PROTOCOL_H

#include "config.h"

struct csf_decoder;
struct csf_messages;
struct csf_monitor;
struct csf_packet;
struct csf_run;
struct state;

/**
 * struct protocol - the functions of a protocol
 * @read_config: take apart the registers in @config, which is otherwise checked, and set
 *               @own->protocol.  Return: NULL, or the field at fault and why
 * @sync_zeros: zero bytes of its A-sync, which 0x80 ends; 0: it has none
 * @reset: forget the state that packets take over from earlier packets
 * @next: csf_next() of a decoder without threads; NULL: there is no execution to follow, and
 *        neither @reset nor @next_time
 * @next_time: csf_next_time()
 * @read_messages: csf_messages_next(): reads packets until there is no room for messages, or all
 *                 that are available, at least one; NULL: there are no messages
 * @reset_messages: as @reset, for a reader of messages, of which all were handed out; @broken: the
 *                  trace goes on after a loss.  May add one gap, for what is left
 * @read_packets: csf_monitor_read(): up to @max of the available packets, at least one
 * @read_committed: csf_monitor_read_committed(), of a decoder without a flow; NULL: there is none
 * @read_packet: csf_packet_read(), of at least one byte; and so on; NULL: packets are not whole
 *               bytes, and there are neither these nor @read_packets
 * @exception_kind: csf_exception_kind(); NULL: the trace does not tell
 * @find_segment: segment_find(); NULL: threads cannot help
 * @take_state: state_take(), for the state of packets
 * @same_state: state_same(), likewise
 */
struct protocol {
	const char *(*read_config)(struct config *own, const struct csf_config *config);
	unsigned int sync_zeros;
	void (*reset)(struct csf_decoder *d);
	int (*next)(struct csf_decoder *d, struct csf_run *run);
	int (*next_time)(struct csf_decoder *d, uint64_t bound, uint64_t *last, uint64_t *above);
	void (*read_messages)(struct csf_messages *m);
	void (*reset_messages)(struct csf_messages *m, bool broken);
	size_t (*read_packets)(struct csf_monitor *mon, struct csf_packet *packets, size_t max);
	size_t (*read_committed)(struct csf_decoder *d, struct csf_packet *packets,
				 uint64_t *offsets, size_t max);
	int (*read_packet)(const struct config *c, const uint8_t *p, size_t n,
			   struct csf_packet *packet);
	int (*write_packet)(const struct config *c, uint8_t *p, const struct csf_packet *packet);
	int (*print_packet)(const struct config *c, const struct csf_packet *packet, char *buf,
			    size_t n);
	int (*parse_packet)(const struct config *c, const char *text, struct csf_packet *packet,
			    const char **where);
	uint8_t (*exception_kind)(const struct config *c, uint32_t type);
	size_t (*find_segment)(const struct config *c, const uint8_t *bytes, size_t n, size_t *at);
	void (*take_state)(struct state *s, const struct csf_decoder *d);
	bool (*same_state)(const struct state *a, const struct state *b);
};

/* Return: NULL: there is no protocol with this number. */
const struct protocol *protocol_at(uint32_t protocol);

static inline const struct protocol *protocol_of(const struct config *c)
{
	return protocol_at(c->protocol);
}

#endif /* CSF_PROTOCOL_H */

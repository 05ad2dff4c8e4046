/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets and elements of STM and ITM as OpenCSD passes them to clients and prints them.
 *
 *	packet-stm.c, packet-itm.c	the structure of a packet, its words, and its element
 */
#ifndef OPENCSD_PACKET_MESSAGE_H
#define OPENCSD_PACKET_MESSAGE_H

#include "abi-message.h"
#include "element.h"
#include "packet.h"

/**
 * struct ocsd_stm - a stream of an STM; set it to zero
 * @packet: the last packet
 * @format: how packets are written; @times: enum csf_stp_times
 * @master: csf_stp_packet has 16 bits, OpenCSD 8; @has_id: a packet has said it
 * @value: the payload that the last element points to
 */
struct ocsd_stm {
	struct abi_stm_packet packet;
	struct csf_stp_format format;
	unsigned int times;
	uint16_t master;
	bool has_id;
	uint64_t value;
};

/* The type of a packet, if there is nothing wrong with it. */
enum abi_stm_type ocsd_stm_type(uint16_t opcode);

/* Makes the structure of the next packet. */
void ocsd_stm_make(struct ocsd_stm *s, const struct csf_stp_packet *pkt);

/* Makes a packet that is bad, cut, or bytes out of sync; @err_type: of the packet being read. */
void ocsd_stm_bad(struct ocsd_stm *s, enum abi_stm_type type, enum abi_stm_type err_type);

/* Makes the element of the last packet, whose payload is in @s.  Return: it has one. */
bool ocsd_stm_element(struct ocsd_stm *s, const struct csf_stp_packet *pkt,
		      struct abi_element *e);

/* Writes "NAME:Description" and the details, without the end of the line. */
void ocsd_stm_text(struct out *o, const struct abi_stm_packet *p);

/**
 * struct ocsd_itm - a stream of an ITM; set it to zero
 * @packet: the last packet
 * @prescale: local timestamps are shifted by so many bits
 * @page: of the stimulus ports
 * @local, @global: time; @has_high: the high bits of @global are known
 * @overflow: packets were lost since the last element
 */
struct ocsd_itm {
	struct abi_itm_packet packet;
	unsigned int prescale;
	uint8_t page;
	uint64_t local, global;
	bool has_high, overflow;
};

void ocsd_itm_make(struct ocsd_itm *i, const struct csf_packet *pkt);

/* Makes the element of the last packet.  Return: it has one. */
bool ocsd_itm_element(struct ocsd_itm *i, struct abi_element *e);

/* Writes "NAME: details; 'Description'". */
void ocsd_itm_text(struct out *o, const struct abi_itm_packet *p);

#endif /* OPENCSD_PACKET_MESSAGE_H */

// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "packet.h"

/* Where the next nibble goes. */
struct place {
	const struct csf_stp_format *format;
	uint8_t *bytes;
	size_t at;
};

static void put(struct place *to, unsigned int nibble)
{
	const unsigned int shift = (to->at & 1) == to->format->high_first ? 0 : 4;
	uint8_t *byte = &to->bytes[to->at++ / 2];

	*byte = (*byte & (0xf0 >> shift)) | nibble << shift;
}

/* Most significant nibble first. */
static void put_straight(struct place *to, uint64_t v, unsigned int n)
{
	while (n--)
		put(to, v >> 4 * n & 0xf);
}

static void put_field(struct place *to, uint64_t v, unsigned int n)
{
	if (!to->format->reversed) {
		put_straight(to, v, n);
		return;
	}
	for (unsigned int i = 0; i < n; i++)
		put(to, v >> 4 * i & 0xf);
}

static unsigned int opcode_size(uint16_t opcode)
{
	return opcode >> 12 ? 4 : opcode >> 8 ? 3 : opcode >> 4 ? 2 : 1;
}

/* Return: NULL if there is no such opcode. */
static const struct stm_row *row_of(uint16_t opcode)
{
	const struct stm_row *row;

	switch (opcode_size(opcode)) {
	case 1:
		row = &stm_two[opcode << 4];
		break;
	case 2:
		row = &stm_two[opcode];
		break;
	case 3:
		row = opcode >> 4 == 0xf0 ? &stm_three[opcode & 0xf] : NULL;
		break;
	default:
		row = opcode >> 4 == 0xf0f ? &stm_four[opcode & 0xf] : NULL;
	}
	return row && row->opcode == opcode_size(opcode) && row->kind != CSF_STP_BAD &&
	       row->kind != STM_MORE ? row : NULL;
}

/* Return: false: no timestamp can have this size. */
static bool put_time(struct place *to, const struct csf_stp_packet *pkt)
{
	unsigned int size = 0;

	if (to->format->old_times) {
		put_field(to, pkt->time, 2);
		return pkt->time_size == 2;
	}
	while (size < 0xf && stm_time_size[size] != pkt->time_size)
		size++;
	if (size == 0xf)
		return false;
	put(to, size);
	put_field(to, pkt->time, pkt->time_size);
	return true;
}

static bool put_payload(struct place *to, const struct stm_row *row,
			const struct csf_stp_packet *pkt)
{
	switch (row->kind) {
	case CSF_STP_VERSION:
		put_straight(to, pkt->value, pkt->size);
		return pkt->size == (pkt->value >> 4 * (pkt->size - 1) & 8 ? 3 : 1);
	case CSF_STP_USER:
		if (!pkt->size || pkt->size > 16)
			return false;
		put(to, pkt->size - 1);
		put_field(to, pkt->value, pkt->size);
		return true;
	default:
		put_field(to, pkt->value, row->payload);
		return true;
	}
}

CSF_API int csf_stp_write(const struct csf_stp_format *format, uint8_t *bytes, size_t at,
			  const struct csf_stp_packet *packet)
{
	struct place to = { format, bytes, at };
	const struct stm_row *row;

	if (!format || !bytes || !packet)
		return CSF_ERR_ARG;
	row = row_of(packet->opcode);
	if (!row || (row->kind == CSF_STP_VERSION && packet->size != 1 && packet->size != 3))
		return CSF_ERR_ARG;
	if (row->kind == CSF_STP_SYNC) {
		put_straight(&to, ~0ull, 16);
		put_straight(&to, 0xfffff0, 6);
		return to.at - at;
	}
	put_straight(&to, packet->opcode, row->opcode);
	if (!put_payload(&to, row, packet))
		return CSF_ERR_ARG;
	if (row->flags & CSF_STP_TIMED && !put_time(&to, packet))
		return CSF_ERR_ARG;
	return to.at - at;
}

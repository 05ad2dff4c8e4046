// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets that the peer hands to a sink: of ETMv3 and PTM all fields that it sets, and the text of
 * all.
 */
#include <opencsd/c_api/opencsd_c_api.h>
#include <stdio.h>

#include "peer.h"

static void address(FILE *out, const ocsd_pkt_vaddr *a)
{
	fprintf(out, " addr %#llx %u/%u", (unsigned long long)a->val, a->pkt_bits, a->valid_bits);
}

static void etm3_rare(FILE *out, const ocsd_etmv3_pkt *p)
{
	if (p->exception.bits.present)
		fprintf(out, " exception %u %u cancel %u m %u resume %u irq %u", p->exception.type,
			p->exception.number, p->exception.bits.cancel, p->exception.bits.cm_type,
			p->exception.bits.cm_resume, p->exception.bits.cm_irq_n);
	if (p->type == ETM3_PKT_I_SYNC || p->type == ETM3_PKT_I_SYNC_CYCLE)
		fprintf(out, " isync %u %u%u%u", p->isync_info.reason,
			p->isync_info.has_cycle_count, p->isync_info.has_LSipAddress,
			p->isync_info.no_address);
	if (p->data.update_dval || p->data.update_addr || p->data.ooo_tag)
		fprintf(out, " data %#x tag %u be %u%u %u%u", p->data.value, p->data.ooo_tag,
			p->data.be, p->data.update_be, p->data.update_addr, p->data.update_dval);
}

static void etm3(FILE *out, const ocsd_etmv3_pkt *p)
{
	fprintf(out, "type %u isa %u %u", p->type, p->curr_isa, p->prev_isa);
	fprintf(out, " context %u%u%u %u%u%u %#x %#x", p->context.curr_alt_isa, p->context.curr_NS,
		p->context.curr_Hyp, p->context.updated, p->context.updated_c,
		p->context.updated_v, p->context.ctxtID, p->context.VMID);
	address(out, &p->addr);
	fprintf(out, " atoms %u %#x %u cycles %u time %#llx %u", p->atom.num,
		p->atom.num ? p->atom.En_bits : 0, p->atom.num ? p->p_hdr_fmt : 0, p->cycle_count,
		(unsigned long long)p->timestamp, p->ts_update_bits);
	if (p->type == ETM3_PKT_BAD_SEQUENCE || p->type == ETM3_PKT_INCOMPLETE_EOT)
		fprintf(out, " error %u", p->err_type);
	etm3_rare(out, p);
}

static void ptm(FILE *out, const ocsd_ptm_pkt *p)
{
	fprintf(out, "type %u isa %u %u", p->type, p->curr_isa, p->prev_isa);
	fprintf(out, " context %u%u%u %u%u%u %#x %#x", p->context.curr_alt_isa, p->context.curr_NS,
		p->context.curr_Hyp, p->context.updated, p->context.updated_c,
		p->context.updated_v, p->context.ctxtID, p->context.VMID);
	if (p->type == PTM_PKT_BRANCH_ADDRESS || p->type == PTM_PKT_WPOINT_UPDATE ||
	    p->type == PTM_PKT_I_SYNC)
		address(out, &p->addr);
	if (p->type == PTM_PKT_ATOM)
		fprintf(out, " atoms %u %#x", p->atom.num, p->atom.En_bits);
	if (p->type == PTM_PKT_I_SYNC)
		fprintf(out, " isync %u", p->i_sync_reason);
	fprintf(out, " cycles %u %u time %#llx %u", p->cc_valid ? p->cycle_count : 0,
		p->cc_valid, (unsigned long long)p->timestamp, p->ts_update_bits);
	if (p->type == PTM_PKT_BAD_SEQUENCE || p->type == PTM_PKT_INCOMPLETE_EOT)
		fprintf(out, " error %u", p->err_type);
	if (p->exception.bits.present)
		fprintf(out, " exception %u %u", p->exception.type, p->exception.number);
}

void peer_packet(FILE *out, enum csf_protocol protocol, uint8_t id, uint32_t op, uint32_t index,
		 const void *packet)
{
	const ocsd_trace_protocol_t number = protocol == CSF_PROTOCOL_PTM ? OCSD_PROTOCOL_PTM :
					     protocol == CSF_PROTOCOL_ETM3 ? OCSD_PROTOCOL_ETMV3 :
					     OCSD_PROTOCOL_ETMV4I;
	char text[512];

	fprintf(out, "%02x ", id);
	if (op != OCSD_OP_DATA || !packet) {
		fprintf(out, "%u op %u\n", index, op);
		return;
	}
	if (ocsd_pkt_str(number, packet, text, sizeof(text)))
		snprintf(text, sizeof(text), "no text");
	fprintf(out, "%u %s|", index, text);
	if (protocol == CSF_PROTOCOL_ETM3)
		etm3(out, packet);
	else if (protocol == CSF_PROTOCOL_PTM)
		ptm(out, packet);
	fputc('\n', out);
}

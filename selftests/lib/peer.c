// SPDX-License-Identifier: GPL-2.0-only
#include <opencsd/c_api/opencsd_c_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/bytes.h"
#include "peer.h"

#define CODE_MAX	1024

/* A decoder, for the callbacks of its packets. */
struct peer_source {
	struct peer *peer;
	uint8_t id;
	enum csf_protocol protocol;
};

struct peer {
	const struct rig *rig;
	struct peer_source source[RIG_STREAMS];
	unsigned int n_source;
	struct file file[CODE_MAX];	/* code */
	size_t n_file;
	dcd_tree_handle_t tree;
	enum peer_mode mode;
	bool mix, all;
	FILE *print;
	struct rig_sum *sum;
	uint64_t stream[CSF_ID_MAX];	/* running checksum by trace ID */
};

const char *peer_version(void)
{
	return ocsd_get_version_str();
}

/* Fields that only one of the two kinds of elements has are 0 in the other. */
static void print_fields(FILE *out, uint8_t id, const ocsd_generic_trace_elem *e)
{
	const ocsd_pe_context *c = &e->context;
	char text[256] = "";

	fprintf(out, "%02x %u ", id, e->elem_type);
	if (e->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE)
		fprintf(out, "%#llx-%#llx isa %u last %u/%u flags %#x n %u\n",
			(unsigned long long)e->st_addr, (unsigned long long)e->en_addr, e->isa,
			e->last_i_type, e->last_i_subtype, e->flag_bits, e->num_instr_range);
	else if (e->elem_type == OCSD_GEN_TRC_ELEM_PE_CONTEXT)
		fprintf(out, "isa %u el %d s %u ids %x %x %u%u%u%u\n", e->isa, c->exception_level,
			c->security_level, c->ctxt_id_valid ? c->context_id : 0,
			c->vmid_valid ? c->vmid : 0, c->bits64, c->ctxt_id_valid,
			c->vmid_valid, c->el_valid);
	else if (e->elem_type == OCSD_GEN_TRC_ELEM_EXCEPTION)
		fprintf(out, "%#x to %#llx flags %#x\n", e->exception_number,
			e->excep_ret_addr ? (unsigned long long)e->en_addr : 0, e->flag_bits);
	else if (e->elem_type == OCSD_GEN_TRC_ELEM_TIMESTAMP)
		fprintf(out, "time %#llx cc %u\n", (unsigned long long)e->timestamp,
			e->has_cc ? e->cycle_count : 0);
	else if (e->elem_type == OCSD_GEN_TRC_ELEM_ADDR_NACC)
		fprintf(out, "at %#llx\n", (unsigned long long)e->st_addr);
	else if (e->elem_type == OCSD_GEN_TRC_ELEM_EVENT)
		fprintf(out, "%u %u\n", e->trace_event.ev_type, e->trace_event.ev_number);
	else if (e->elem_type == OCSD_GEN_TRC_ELEM_CYCLE_COUNT)
		fprintf(out, "cc %u\n", e->cycle_count);
	else if (e->elem_type == OCSD_GEN_TRC_ELEM_NO_SYNC ||
		 e->elem_type == OCSD_GEN_TRC_ELEM_EO_TRACE)	/* numbers differ by release */
		fprintf(out, "%s\n", ocsd_gen_elem_str(e, text, sizeof(text)) ? "?" : text);
	else
		fprintf(out, "%u\n", e->mem_trans);
}

/* Also with index and text, and whatever else has cycles. */
static void print_all(FILE *out, ocsd_trc_index_t index, uint8_t id,
		      const ocsd_generic_trace_elem *e)
{
	char text[256];

	ocsd_gen_elem_str(e, text, sizeof(text));
	fprintf(out, "%02x %u %s ", id, index, text);
	if (e->has_cc)
		fprintf(out, "cc %u ", e->cycle_count);
	print_fields(out, id, e);
}

static ocsd_datapath_resp_t on_element(const void *context, const ocsd_trc_index_t index,
				       const uint8_t id, const ocsd_generic_trace_elem *e)
{
	struct peer *p = (struct peer *)context;

	if (p->print && p->mode == PEER_MONITOR)
		;
	else if (p->print && p->all)
		print_all(p->print, index, id, e);
	else if (p->print)
		print_fields(p->print, id, e);
	if (e->elem_type != OCSD_GEN_TRC_ELEM_INSTR_RANGE)
		return OCSD_RESP_CONT;
	p->sum->ranges++;
	p->sum->insns += e->num_instr_range;
	if (p->mix)
		rig_keep(p->sum, id, e->st_addr, e->en_addr, e->last_instr_exec);
	if (p->mix)
		p->stream[id % CSF_ID_MAX] = rig_mix(p->stream[id % CSF_ID_MAX], e->st_addr,
						     e->en_addr, e->last_instr_exec);
	return OCSD_RESP_CONT;
}

static ocsd_datapath_resp_t on_packet(const void *context, const ocsd_datapath_op_t op,
				      const ocsd_trc_index_t index, const void *packet)
{
	const struct peer_source *source = context;
	struct peer *p = source->peer;

	if (op == OCSD_OP_DATA)
		p->sum->packets++;
	if (p->print)
		peer_packet(p->print, source->protocol, source->id, op, index, packet);
	return OCSD_RESP_CONT;
}

static void on_monitor(const void *context, const ocsd_datapath_op_t op,
		       const ocsd_trc_index_t index, const void *packet, const uint32_t size,
		       const uint8_t *bytes)
{
	const struct peer_source *source = context;
	FILE *out = source->peer->print;

	if (!out)
		return;
	fprintf(out, "%02x %u op %u bytes", source->id, index, op);
	for (uint32_t i = 0; i < size; i++)
		fprintf(out, " %02x", bytes[i]);
	fputc('\n', out);
}

/* Code from memory, which is the peer's fastest way. */
static void add_dump(struct peer *p, const struct snapshot_dump *d, const struct file *f)
{
	uint64_t n;

	if (d->offset >= f->n)
		return;
	n = d->length < f->n - d->offset ? d->length : f->n - d->offset;
	/* Refused if it overlaps an earlier one: the first counts. */
	ocsd_dt_add_buffer_mem_acc(p->tree, d->address,
				   d->space == SPACE_ANY ? OCSD_MEM_SPACE_ANY :
				   (ocsd_mem_space_acc_t)d->space, f->data + d->offset, n);
}

static void add_code(struct peer *p)
{
	const struct snapshot *s = &p->rig->snapshot;

	for (size_t i = 0; i < s->n_device; i++) {
		for (size_t j = 0; j < s->device[i].n_dump && p->n_file < CODE_MAX; j++) {
			struct file *f = &p->file[p->n_file];

			if (file_map(f, s->device[i].dump[j].path))
				continue;
			p->n_file++;
			add_dump(p, &s->device[i].dump[j], f);
		}
	}
}

static ocsd_core_profile_t core_profile(const struct csf_config *config)
{
	return config->profile == CSF_PROFILE_M ? profile_CortexM :
	       config->profile == CSF_PROFILE_R ? profile_CortexR : profile_CortexA;
}

static int add_etm4(struct peer *p, const struct rig_stream *st, int flags, unsigned char *id)
{
	ocsd_etmv4_cfg c;

	memset(&c, 0, sizeof(c));
	c.reg_idr0 = st->config.trcidr0;
	c.reg_idr1 = st->config.trcidr1;
	c.reg_idr2 = st->config.trcidr2;
	c.reg_idr8 = st->config.trcidr8;
	c.reg_configr = st->config.trcconfigr;
	c.reg_traceidr = st->id;
	c.arch_ver = ARCH_V8;
	c.core_prof = core_profile(&st->config);
	return ocsd_dt_create_decoder(p->tree, OCSD_BUILTIN_DCD_ETMV4I, flags, &c, id);
}

static int add_ete(struct peer *p, const struct rig_stream *st, int flags, unsigned char *id)
{
	ocsd_ete_cfg c;

	memset(&c, 0, sizeof(c));
	c.reg_idr0 = st->config.trcidr0;
	c.reg_idr1 = st->config.trcidr1;
	c.reg_idr2 = st->config.trcidr2;
	c.reg_idr8 = st->config.trcidr8;
	c.reg_devarch = st->config.trcdevarch;
	c.reg_configr = st->config.trcconfigr;
	c.reg_traceidr = st->id;
	c.arch_ver = ARCH_AA64;
	c.core_prof = core_profile(&st->config);
	return ocsd_dt_create_decoder(p->tree, OCSD_BUILTIN_DCD_ETE, flags, &c, id);
}

static int add_etm3(struct peer *p, const struct rig_stream *st, int flags, unsigned char *id)
{
	ocsd_etmv3_cfg c;

	memset(&c, 0, sizeof(c));
	c.reg_idr = st->config.etmidr;
	c.reg_ctrl = st->config.etmcr;
	c.reg_ccer = st->config.etmccer;
	c.reg_trc_id = st->id;
	c.arch_ver = ARCH_V7;
	c.core_prof = core_profile(&st->config);
	return ocsd_dt_create_decoder(p->tree, OCSD_BUILTIN_DCD_ETMV3, flags, &c, id);
}

static int add_ptm(struct peer *p, const struct rig_stream *st, int flags, unsigned char *id)
{
	ocsd_ptm_cfg c;

	memset(&c, 0, sizeof(c));
	c.reg_idr = st->config.etmidr;
	c.reg_ctrl = st->config.etmcr;
	c.reg_ccer = st->config.etmccer;
	c.reg_trc_id = st->id;
	c.arch_ver = ARCH_V7;
	c.core_prof = core_profile(&st->config);
	return ocsd_dt_create_decoder(p->tree, OCSD_BUILTIN_DCD_PTM, flags, &c, id);
}

static int create(struct peer *p, const struct rig_stream *st, int flags, unsigned char *id)
{
	switch (csf_config_protocol(&st->config)) {
	case CSF_PROTOCOL_ETE:
		return add_ete(p, st, flags, id);
	case CSF_PROTOCOL_ETM4:
		return add_etm4(p, st, flags, id);
	case CSF_PROTOCOL_ETM3:
		return add_etm3(p, st, flags, id);
	case CSF_PROTOCOL_PTM:
		return add_ptm(p, st, flags, id);
	default:
		return -1;
	}
}

static int add_stream(struct peer *p, const struct rig_stream *st)
{
	const bool packets = p->mode == PEER_PACKETS;
	int flags = packets ? OCSD_CREATE_FLG_PACKET_PROC : OCSD_CREATE_FLG_FULL_DECODER;
	struct peer_source *source = &p->source[p->n_source++];
	unsigned char id = 0;
	int err = create(p, st, flags, &id);

	if (err)
		return err;
	*source = (struct peer_source){ p, id, csf_config_protocol(&st->config) };
	if (packets)
		err = ocsd_dt_attach_packet_callback(p->tree, id, OCSD_C_API_CB_PKT_SINK,
						     (void *)on_packet, source);
	if (!err && p->mode == PEER_MONITOR)
		err = ocsd_dt_attach_packet_callback(p->tree, id, OCSD_C_API_CB_PKT_MON,
						     (void *)on_monitor, source);
	return err;
}

struct peer *peer_new(const struct rig *rig, enum peer_mode mode)
{
	struct peer *p = calloc(1, sizeof(*p));
	int err = 0;

	if (!p)
		return NULL;
	p->rig = rig;
	p->mode = mode;
	ocsd_def_errlog_init(OCSD_ERR_SEV_NONE, 0);
	p->tree = ocsd_create_dcd_tree(rig->framed ? OCSD_TRC_SRC_FRAME_FORMATTED :
				       OCSD_TRC_SRC_SINGLE,
				       rig->framed ? OCSD_DFRMTR_FRAME_MEM_ALIGN : 0);
	for (unsigned int i = 0; p->tree && !err && mode != PEER_FRAMES && i < rig->n_stream; i++)
		err = add_stream(p, &rig->stream[i]);
	if (!p->tree || err) {
		peer_free(p);
		return NULL;
	}
	if (mode >= PEER_FULL) {
		ocsd_dt_set_gen_elem_outfn(p->tree, on_element, p);
		add_code(p);
	}
	return p;
}

void peer_free(struct peer *p)
{
	if (p && p->tree)
		ocsd_destroy_dcd_tree(p->tree);
	for (size_t i = 0; p && i < p->n_file; i++)
		file_unmap(&p->file[i]);
	free(p);
}

int peer_run(struct peer *p, const uint8_t *data, size_t n, bool mix, struct rig_sum *sum)
{
	const size_t tell_at = p->rig->tell ? p->rig->tell_at : 0;
	ocsd_datapath_resp_t resp;
	size_t done = 0, until;
	uint32_t used;

	p->sum = sum;
	p->mix = mix;
	memset(p->stream, 0, sizeof(p->stream));
	if (p->rig->framed)
		n &= ~(size_t)15;	/* it takes whole frames only */
	resp = ocsd_dt_process_data(p->tree, OCSD_OP_RESET, 0, 0, NULL, NULL);
	while (!OCSD_DATA_RESP_IS_FATAL(resp) && done < n) {
		used = 0;
		until = done < tell_at ? tell_at : n;
		resp = ocsd_dt_process_data(p->tree, OCSD_OP_DATA, done, until - done, data + done,
					    &used);
		rig_tell(p->rig, done, done + used);
		done += used;
		if (!used)
			break;
	}
	if (!OCSD_DATA_RESP_IS_FATAL(resp))
		resp = ocsd_dt_process_data(p->tree, OCSD_OP_EOT, 0, 0, NULL, NULL);
	for (unsigned int i = 0; i < CSF_ID_MAX; i++)
		sum->sum += p->stream[i];
	return OCSD_DATA_RESP_IS_FATAL(resp) ? -1 : 0;
}

int peer_print(struct peer *p, const uint8_t *data, size_t n, FILE *out)
{
	struct rig_sum sum = { 0 };

	p->print = out;
	return peer_run(p, data, n, false, &sum);
}

int peer_print_all(struct peer *p, const uint8_t *data, size_t n, FILE *out)
{
	p->all = true;
	return peer_print(p, data, n, out);
}

/* ---------------------------------------------------------------- one stream, listed */

struct list {
	struct peer_element *element;
	size_t n, max;
};

struct peer *peer_open(const struct rig *rig, const struct peer_code *code, size_t n_code,
		       enum peer_mode mode)
{
	struct peer *p = peer_new(rig, mode);

	for (size_t i = 0; p && mode >= PEER_FULL && i < n_code; i++)
		ocsd_dt_add_buffer_mem_acc(p->tree, code[i].addr, OCSD_MEM_SPACE_ANY, code[i].bytes,
					   code[i].n);
	return p;
}

static ocsd_datapath_resp_t on_listed(const void *context, const ocsd_trc_index_t index,
				      const uint8_t id, const ocsd_generic_trace_elem *e)
{
	struct list *l = (struct list *)context;
	struct peer_element *to = l->n < l->max ? &l->element[l->n] : NULL;

	if (e->elem_type != OCSD_GEN_TRC_ELEM_INSTR_RANGE &&
	    e->elem_type != OCSD_GEN_TRC_ELEM_EXCEPTION)
		return OCSD_RESP_CONT;
	l->n++;
	if (!to)
		return OCSD_RESP_CONT;
	*to = (struct peer_element){ e->en_addr, 0, e->exception_number };
	if (e->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE)
		*to = (struct peer_element){
			e->st_addr, e->en_addr,
			e->isa == ocsd_isa_arm ? CSF_A32 :
			e->isa == ocsd_isa_thumb2 ? CSF_T32 : CSF_A64,
		};
	return OCSD_RESP_CONT;
}

long peer_list(const struct csf_config *config, const struct peer_code *code, size_t n_code,
	       const uint8_t *trace, size_t n, struct peer_element *elements, size_t max)
{
	struct peer p = { .mode = PEER_FULL };
	struct rig_stream st = { .config = *config, .id = 0x10 };
	struct list list = { elements, 0, max };
	ocsd_datapath_resp_t resp = OCSD_RESP_CONT;
	uint32_t used = 1;

	ocsd_def_errlog_init(OCSD_ERR_SEV_NONE, 0);
	p.tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	if (!p.tree || add_stream(&p, &st))
		return -1;
	ocsd_dt_set_gen_elem_outfn(p.tree, on_listed, &list);
	for (size_t i = 0; i < n_code; i++)
		ocsd_dt_add_buffer_mem_acc(p.tree, code[i].addr, OCSD_MEM_SPACE_ANY, code[i].bytes,
					   code[i].n);
	for (size_t done = 0; !OCSD_DATA_RESP_IS_FATAL(resp) && done < n && used; done += used) {
		used = 0;
		resp = ocsd_dt_process_data(p.tree, OCSD_OP_DATA, done, n - done, trace + done,
					    &used);
	}
	if (!OCSD_DATA_RESP_IS_FATAL(resp))
		resp = ocsd_dt_process_data(p.tree, OCSD_OP_EOT, 0, 0, NULL, NULL);
	ocsd_destroy_dcd_tree(p.tree);
	return OCSD_DATA_RESP_IS_FATAL(resp) ? -1 : (long)list.n;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions of libopencsd_c_api.so.1.
 *
 * Decoders: ETMv4, ETE, ETMv3, PTM, STM, and as of 1.8.0 ITM.  All others, including custom ones,
 * result in ABI_ERR_NO_PROTOCOL.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "tree.h"

/* All trees, so that a wrong handle is an error and not a crash. */
static struct {
	pthread_mutex_t lock;
	struct tree **tree;
	size_t n;
} trees = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct tree *add_tree(struct tree *t)
{
	struct tree **array;

	if (!t)
		return NULL;
	pthread_mutex_lock(&trees.lock);
	array = realloc(trees.tree, (trees.n + 1) * sizeof(*array));
	if (array) {
		trees.tree = array;
		array[trees.n++] = t;
	}
	pthread_mutex_unlock(&trees.lock);
	if (!array)
		tree_free(t);
	return array ? t : NULL;
}

/* Returns true if it was there. */
static bool take_tree(struct tree *t)
{
	bool found = false;

	pthread_mutex_lock(&trees.lock);
	for (size_t i = 0; i < trees.n && !found; i++) {
		found = trees.tree[i] == t;
		if (found)
			trees.tree[i] = trees.tree[--trees.n];
	}
	if (found && !trees.n) {
		free(trees.tree);
		trees.tree = NULL;
	}
	pthread_mutex_unlock(&trees.lock);
	return found;
}

/* The source of @id in a tree; @err: set to the result of the call if there is none. */
static struct source *source_of(struct tree *t, uint8_t id, int *err)
{
	struct source *s = t && id < CSF_ID_MAX ? t->by_id[id] : NULL;

	if (!t)
		*err = ABI_ERR_BAD_HANDLE;
	else
		*err = s ? ABI_OK : ABI_ERR_INVALID_ID;
	return s;
}

OCSD_API uint32_t ocsd_get_version(void)
{
	return tree_release()->version;
}

OCSD_API const char *ocsd_get_version_str(void)
{
	return tree_release()->text;
}

/* ---------------------------------------------------------------- trees */

OCSD_API void *ocsd_create_dcd_tree(uint32_t type, uint32_t flags)
{
	if (type != ABI_SRC_FORMATTED && type != ABI_SRC_SINGLE)
		return NULL;
	return add_tree(tree_new(type, flags));
}

OCSD_API void ocsd_destroy_dcd_tree(void *handle)
{
	struct tree *t = handle;

	if (!t || !take_tree(t))
		return;
	tree_free(t);
}

static uint32_t process(struct tree *t, uint32_t op, uint32_t index, uint32_t n, const uint8_t *p,
			uint32_t *taken)
{
	switch ((enum abi_op)op) {
	case ABI_OP_DATA:
		if ((!p && n) || !taken)
			return ABI_FATAL_INVALID_PARAM;
		return tree_data(t, index, p, n, taken);
	case ABI_OP_EOT:
		return tree_end(t);
	case ABI_OP_FLUSH:
		return tree_flush(t);
	case ABI_OP_RESET:
		return tree_reset(t);
	}
	return ABI_FATAL_INVALID_OP;
}

OCSD_API uint32_t ocsd_dt_process_data(void *handle, uint32_t op, uint32_t index, uint32_t n,
				       const uint8_t *p, uint32_t *taken)
{
	struct tree *t = handle;
	uint32_t resp;

	if (taken)
		*taken = 0;
	if (!t)
		return ABI_FATAL_NOT_INIT;
	if (t->busy)		/* called from a callback of this tree */
		return ABI_FATAL_INVALID_OP;
	t->busy = true;
	resp = process(t, op, index, n, p, taken);
	t->busy = false;
	return resp;
}

OCSD_API int ocsd_dt_set_gen_elem_outfn(void *handle, abi_element_fn fn, const void *context)
{
	struct tree *t = handle;

	if (!t)
		return ABI_ERR_BAD_HANDLE;
	t->element = fn;
	t->element_context = context;
	return ABI_OK;
}

/* ---------------------------------------------------------------- decoders */

static uint32_t profile_of(uint32_t profile)
{
	return profile == ABI_PROFILE_M ? CSF_PROFILE_M :
	       profile == ABI_PROFILE_R ? CSF_PROFILE_R : CSF_PROFILE_A;
}

static void read_etm4(struct csf_config *to, uint8_t *id, const struct abi_etm4_config *c)
{
	*id = c->traceidr & 0x7f;
	*to = (struct csf_config){
		.size = sizeof(*to), .trcidr0 = c->idr0, .trcidr1 = c->idr1,
		.trcidr2 = c->idr2, .trcidr8 = c->idr8, .trcidr9 = c->idr9,
		.trcidr10 = c->idr10, .trcidr11 = c->idr11, .trcidr12 = c->idr12,
		.trcidr13 = c->idr13, .trcconfigr = c->configr,
		.profile = profile_of(c->profile),
	};
}

static void read_ete(struct csf_config *to, uint8_t *id, const struct abi_ete_config *c)
{
	*id = c->traceidr & 0x7f;
	*to = (struct csf_config){
		.size = sizeof(*to), .trcidr0 = c->idr0, .trcidr1 = c->idr1,
		.trcidr2 = c->idr2, .trcidr8 = c->idr8, .trcdevarch = c->devarch,
		.trcconfigr = c->configr, .profile = profile_of(c->profile),
	};
}

static void read_older(struct csf_config *to, uint8_t *id, const struct abi_older_config *c,
		       enum csf_protocol protocol)
{
	*id = c->trc_id & 0x7f;
	*to = (struct csf_config){
		.size = sizeof(*to), .protocol = protocol, .etmidr = c->idr, .etmcr = c->ctrl,
		.etmccer = c->ccer, .profile = profile_of(c->profile),
	};
}

static void read_message(struct csf_config *to, uint8_t *id, uint32_t control,
			 enum csf_protocol protocol)
{
	*id = control >> 16 & 0x7f;
	*to = (struct csf_config){
		.size = sizeof(*to), .protocol = protocol,
		.itmtcr = protocol == CSF_PROTOCOL_ITM ? control : 0,
	};
}

/* Is this the release that has ITM, or a later one? */
static bool has_itm(void)
{
	return tree_release()->custom > ABI_ELEM_ITMTRACE;
}

/* Return: enum abi_err. */
static int read_config(const char *name, struct csf_config *to, uint8_t *id, const void *config)
{
	static const char *const others[] = { "ETMV4D", "ITM" };

	if (!strcmp(name, "ETMV4I"))
		read_etm4(to, id, config);
	else if (!strcmp(name, "ETE"))
		read_ete(to, id, config);
	else if (!strcmp(name, "ETMV3"))
		read_older(to, id, config, CSF_PROTOCOL_ETM3);
	else if (!strcmp(name, "PTM"))
		read_older(to, id, config, CSF_PROTOCOL_PTM);
	else if (!strcmp(name, "STM"))
		read_message(to, id, ((const struct abi_stm_config *)config)->tcsr,
			     CSF_PROTOCOL_STM);
	else if (!strcmp(name, "ITM") && has_itm())
		read_message(to, id, ((const struct abi_itm_config *)config)->tcr,
			     CSF_PROTOCOL_ITM);
	else
		for (size_t i = 0;; i++) {
			if (i == sizeof(others) / sizeof(*others))
				return ABI_ERR_DCDREG_NAME_UNKNOWN;
			if (!strcmp(name, others[i]))
				return ABI_ERR_NO_PROTOCOL;
		}
	return ABI_OK;
}

OCSD_API int ocsd_dt_create_decoder(void *handle, const char *name, int flags, const void *config,
				    unsigned char *id)
{
	struct tree *t = handle;
	struct csf_config c;
	uint8_t own;
	int err;

	if (!t)
		return ABI_ERR_BAD_HANDLE;
	if (!name || !config || !id || !(flags & (ABI_CREATE_PACKETS | ABI_CREATE_DECODER)))
		return ABI_ERR_INVALID_PARAM_VAL;
	err = read_config(name, &c, &own, config);
	if (err)
		return log_problem(&t->log, ABI_SEV_ERROR, err, UINT32_MAX, 0, err ==
				   ABI_ERR_NO_PROTOCOL ? "%.64s: csflow does not decode it" :
				   "%.64s: no such decoder", name);
	err = t->busy ? ABI_ERR_FAIL : tree_add(t, &c, own, flags);
	if (err)
		return log_problem(&t->log, ABI_SEV_ERROR, err, UINT32_MAX, own,
				   "no decoder for trace ID %#x", own);
	*id = own;
	return ABI_OK;
}

OCSD_API int ocsd_dt_remove_decoder(void *handle, unsigned char id)
{
	struct tree *t = handle;

	if (!t)
		return ABI_ERR_BAD_HANDLE;
	return t->busy ? ABI_ERR_FAIL : tree_remove(t, id);
}

OCSD_API int ocsd_dt_attach_packet_callback(void *handle, unsigned char id, uint32_t what,
					    void *fn, const void *context)
{
	int err;
	struct source *s = source_of(handle, id, &err);

	if (!s)
		return err;
	if (!fn || what > ABI_CB_MONITOR)
		return ABI_ERR_INVALID_PARAM_VAL;
	if (what == ABI_CB_SINK && s->decodes)	/* the decoder exists already */
		return ABI_ERR_ATTACH_TOO_MANY;
	if (what == ABI_CB_SINK ? !!s->sink : !!s->monitor)
		return ABI_ERR_ATTACH_TOO_MANY;
	if (what == ABI_CB_SINK) {
		s->sink = (abi_sink_fn)fn;
		s->sink_context = context;
	} else {
		s->monitor = (abi_monitor_fn)fn;
		s->monitor_context = context;
	}
	return ABI_OK;
}

OCSD_API int ocsd_dt_get_decode_stats(void *handle, unsigned char id, struct abi_stats **stats)
{
	int err;
	struct source *s = source_of(handle, id, &err);

	if (!stats)
		return ABI_ERR_INVALID_PARAM_VAL;
	*stats = s ? source_stats(s) : NULL;
	return err;
}

OCSD_API int ocsd_dt_reset_decode_stats(void *handle, unsigned char id)
{
	int err;
	struct source *s = source_of(handle, id, &err);

	if (s)
		source_reset_stats(s);
	return err;
}

/* ---------------------------------------------------------------- code */

OCSD_API int ocsd_dt_add_binfile_mem_acc(void *handle, uint64_t addr, uint32_t spaces,
					 const char *path)
{
	const struct abi_region region = { .addr = addr };
	struct tree *t = handle;

	if (!t)
		return ABI_ERR_BAD_HANDLE;
	return path ? memory_add_file(&t->memory, path, &region, spaces) :
		      ABI_ERR_INVALID_PARAM_VAL;
}

OCSD_API int ocsd_dt_add_binfile_region_mem_acc(void *handle, const struct abi_region *region,
						int n, uint32_t spaces, const char *path)
{
	struct tree *t = handle;
	int err = ABI_OK;

	if (!t)
		return ABI_ERR_BAD_HANDLE;
	if (!region || n <= 0 || !path)
		return ABI_ERR_INVALID_PARAM_VAL;
	for (int i = 0; i < n && !err; i++)
		err = region[i].n ? memory_add_file(&t->memory, path, &region[i], spaces) :
				    ABI_ERR_MEM_ACC_BAD_LEN;
	return err;
}

OCSD_API int ocsd_dt_add_buffer_mem_acc(void *handle, uint64_t addr, uint32_t spaces,
					const uint8_t *p, uint32_t n)
{
	struct tree *t = handle;

	if (!t)
		return ABI_ERR_BAD_HANDLE;
	return p ? memory_add_bytes(&t->memory, addr, spaces, p, n) : ABI_ERR_INVALID_PARAM_VAL;
}

static int add_function(struct tree *t, const struct accessor *a)
{
	return t ? memory_add_function(&t->memory, a) : ABI_ERR_BAD_HANDLE;
}

OCSD_API int ocsd_dt_add_callback_mem_acc(void *handle, uint64_t first, uint64_t last,
					  uint32_t spaces, abi_memory_fn fn, const void *context)
{
	const struct accessor a = {
		.first = first, .last = last, .spaces = spaces, .fn = fn, .context = context,
	};

	return add_function(handle, &a);
}

OCSD_API int ocsd_dt_add_callback_trcid_mem_acc(void *handle, uint64_t first, uint64_t last,
						uint32_t spaces, abi_memory_id_fn fn,
						const void *context)
{
	const struct accessor a = {
		.first = first, .last = last, .spaces = spaces, .fn_id = fn, .context = context,
	};

	return add_function(handle, &a);
}

OCSD_API int ocsd_dt_remove_mem_acc(void *handle, uint64_t first, uint32_t spaces)
{
	struct tree *t = handle;

	return t ? memory_remove(&t->memory, first, spaces) : ABI_ERR_BAD_HANDLE;
}

OCSD_API void ocsd_tl_log_mapped_mem_ranges(void *handle)
{
	struct tree *t = handle;
	char line[128];

	for (size_t i = 0; t && i < t->memory.n_accessor; i++) {
		const struct accessor *a = &t->memory.accessor[i];
		int n = snprintf(line, sizeof(line), "%s; 0x%016llx to 0x%016llx; spaces 0x%02x\n",
				 a->section ? "Bytes" : "Function", (unsigned long long)a->first,
				 (unsigned long long)a->last, a->spaces);

		if (a->spaces)
			log_print(&t->log, line, n);
	}
}

/* ---------------------------------------------------------------- messages */

OCSD_API int ocsd_def_errlog_init(uint32_t severity, int output)
{
	return log_init(severity, output);
}

OCSD_API int ocsd_def_errlog_config_output(int flags, const char *path)
{
	return log_output(flags, path);
}

OCSD_API int ocsd_def_errlog_set_strprint_cb(void *handle, void *context, abi_print_fn fn)
{
	struct tree *t = handle;

	if (!t)
		return ABI_ERR_BAD_HANDLE;
	t->log = (struct log_sink){ fn, context };
	return ABI_OK;
}

OCSD_API void ocsd_def_errlog_msgout(const char *text)
{
	if (text)
		log_print(NULL, text, strlen(text));
}

OCSD_API void ocsd_err_str(int err, char *buf, int n)
{
	log_error_text(err, buf, n);
}

OCSD_API int ocsd_get_last_err(uint32_t *index, uint8_t *id, char *message, int n)
{
	return log_last(index, id, message, n);
}

/* ---------------------------------------------------------------- text */

/* Copies a line, cut to the room there is. */
static int copy_text(struct out *o, char *buf, int n)
{
	size_t size = o->n < (size_t)n - 1 ? o->n : (size_t)n - 1;

	memcpy(buf, o->buf, size);
	buf[size] = 0;
	return ABI_OK;
}

static struct out *scratch(void)
{
	static __thread struct out o;

	o.n = 0;
	return &o;
}

OCSD_API int ocsd_pkt_str(uint32_t protocol, const void *packet, char *buf, int n)
{
	struct abi_packet own = { 0 };
	struct out *o = scratch();

	if (!packet || !buf || n < 2)
		return ABI_ERR_INVALID_PARAM_VAL;
	*buf = 0;
	switch (protocol) {
	case ABI_PROTOCOL_ETMV4I:
	case ABI_PROTOCOL_ETE:
		/* Fields after the end of 1.3.3's structure are valid only if we made it. */
		memcpy(&own, packet, *(const uint32_t *)packet == ABI_PKT_ITE ? sizeof(own) :
								      ABI_PACKET_OLD);
		ocsd_packet_text(o, &own);
		break;
	case ABI_PROTOCOL_ETMV3:
		ocsd_etm3_text(o, packet);
		break;
	case ABI_PROTOCOL_PTM:
		ocsd_ptm_text(o, packet);
		break;
	case ABI_PROTOCOL_STM:
		ocsd_stm_text(o, packet);
		break;
	case ABI_PROTOCOL_ITM:
		if (!has_itm())
			return ABI_ERR_NO_PROTOCOL;
		ocsd_itm_text(o, packet);
		break;
	default:
		return ABI_ERR_NO_PROTOCOL;
	}
	return copy_text(o, buf, n);
}

OCSD_API int ocsd_gen_elem_str(const void *element, char *buf, int n)
{
	struct abi_element own = { 0 };
	struct out *o = scratch();

	if (!element || !buf || n < 2)
		return ABI_ERR_INVALID_PARAM_VAL;
	memcpy(&own, element, ABI_ELEMENT_OLD);
	ocsd_element_text(o, &own, tree_release());
	return copy_text(o, buf, n);
}

OCSD_API void ocsd_gen_elem_init(void *element, uint32_t type)
{
	const struct abi_element own = {
		.type = type, .isa = ABI_ISA_UNKNOWN, .context.el = -1,
	};

	if (element)
		memcpy(element, &own, ABI_ELEMENT_OLD);
}

/* ---------------------------------------------------------------- printers */

OCSD_API int ocsd_dt_set_raw_frame_printer(void *handle, int flags)
{
	struct tree *t = handle;

	if (!t)
		return ABI_ERR_BAD_HANDLE;
	return t->framed ? ABI_ERR_DCD_INTERFACE_UNUSED : ABI_ERR_DCDT_NO_FORMATTER;
}

OCSD_API int ocsd_dt_set_gen_elem_printer(void *handle)
{
	struct tree *t = handle;

	if (!t)
		return ABI_ERR_BAD_HANDLE;
	t->prints = true;
	return ABI_OK;
}

OCSD_API int ocsd_dt_set_pkt_protocol_printer(void *handle, uint8_t id, int monitor)
{
	int err;
	struct source *s = source_of(handle, id, &err);

	if (!s)
		return err;
	s->prints = true;
	s->prints_bytes = monitor;
	return ABI_OK;
}

/* ---------------------------------------------------------------- custom decoders: none */

OCSD_API int ocsd_register_custom_decoder(const char *name, void *factory)
{
	return ABI_ERR_NO_PROTOCOL;
}

OCSD_API int ocsd_deregister_decoders(void)
{
	return ABI_OK;
}

OCSD_API int ocsd_cust_protocol_to_str(uint32_t protocol, const void *packet, char *buf, int n)
{
	if (buf && n > 0)
		*buf = 0;
	return ABI_ERR_NO_PROTOCOL;
}

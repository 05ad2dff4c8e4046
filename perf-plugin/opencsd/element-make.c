// SPDX-License-Identifier: GPL-2.0-only
/* Makes the structure of an element that clients get. */
#include "element.h"

uint32_t ocsd_space_bit(const struct csf_context *context)
{
	switch ((enum csf_security)context->security) {
	case CSF_ROOT:
		return ABI_SPACE_ROOT;
	case CSF_REALM:
		return context->el == 3 ? ABI_SPACE_ROOT :
		       context->el == 2 ? ABI_SPACE_EL2R : ABI_SPACE_EL1R;
	case CSF_SECURE:
		return context->el == 3 ? ABI_SPACE_EL3 :
		       context->el == 2 ? ABI_SPACE_EL2S : ABI_SPACE_EL1S;
	case CSF_NONSECURE:
		break;
	}
	return context->el == 3 ? ABI_SPACE_EL3 :
	       context->el == 2 ? ABI_SPACE_EL2N : ABI_SPACE_EL1N;
}

static const uint8_t isas[] = { [CSF_A64] = ABI_A64, [CSF_A32] = ABI_A32, [CSF_T32] = ABI_T32 };

static uint32_t isa_of(uint8_t isa)
{
	return isa <= CSF_T32 ? isas[isa] : ABI_ISA_UNKNOWN;
}

/* OpenCSD does not distinguish barriers, nor instructions that take an exception. */
static const uint8_t insns[] = {
	[CSF_INSN_OTHER] = ABI_INSN_OTHER, [CSF_INSN_BRANCH] = ABI_INSN_BRANCH,
	[CSF_INSN_INDIRECT] = ABI_INSN_INDIRECT, [CSF_INSN_ISB] = ABI_INSN_ISB,
	[CSF_INSN_WFX] = ABI_INSN_WFX, [CSF_INSN_TSTART] = ABI_INSN_TSTART,
	[CSF_INSN_EXCEPTION] = ABI_INSN_OTHER,
};

static uint32_t subtype_of(const struct csf_element *e)
{
	if (e->last_flags & CSF_FLAG_LINK)
		return ABI_SUB_LINK;
	if (e->last_flags & CSF_FLAG_ERET && e->isa == CSF_A64)
		return ABI_SUB_ERET;
	if (e->last_flags & CSF_FLAG_RET)
		return e->isa == CSF_A64 ? ABI_SUB_RET : ABI_SUB_V7_RET;
	return ABI_SUB_NONE;
}

/* Nearly all elements are ranges.  A WFI that takes no atom is an ordinary instruction. */
static void make_range(struct abi_element *out, const struct ocsd_sticky *sticky,
		       const struct csf_element *e)
{
	bool plain = e->last_kind == CSF_INSN_WFX && !(e->last_flags & CSF_FLAG_P0);

	*out = (struct abi_element){
		.type = CSF_ELEM_INSTR_RANGE, .isa = isa_of(e->isa), .st_addr = e->st_addr,
		.en_addr = e->en_addr, .context = sticky->context, .value = e->n_insn,
		.last_insn = plain ? ABI_INSN_OTHER : insns[e->last_kind],
		.last_subtype = e->last_flags ? subtype_of(e) : ABI_SUB_NONE,
		.flags = (e->flags & CSF_ELEM_EXEC ? ABI_EXEC : 0) |
			 (e->flags & CSF_ELEM_COND ? ABI_COND : 0) |
			 (uint32_t)(e->last_size & 7) << ABI_SIZE_SHIFT,
	};
}

static void make_context(struct ocsd_sticky *sticky, const struct csf_element *e)
{
	const struct csf_context *c = &e->context;
	struct abi_context *to = &sticky->context;

	to->security = c->security;
	to->el = c->el;
	to->flags &= ABI_CTX_CONTEXTID | ABI_CTX_VMID;
	to->flags |= (c->bits64 ? ABI_CTX_64 : 0) | ABI_CTX_EL;
	if (c->has_contextid) {
		to->contextid = c->contextid;
		to->flags |= ABI_CTX_CONTEXTID;
	}
	if (c->has_vmid) {
		to->vmid = c->vmid;
		to->flags |= ABI_CTX_VMID;
	}
}

static void make_exception(struct abi_element *out, const struct csf_element *e)
{
	out->value = e->value;
	if (e->flags & CSF_ELEM_TAIL_CHAIN)
		return;
	out->flags = (e->flags & CSF_ELEM_RET_ADDR ? ABI_RET_ADDR : 0) |
		     (e->flags & CSF_ELEM_RET_BR_TGT ? ABI_RET_BR_TGT : 0);
}

/* Whether a timestamp has a count depends on the configuration, not on the packet. */
static void make_time(struct abi_element *out, const struct csf_config *config,
		      const struct csf_element *e)
{
	out->timestamp = e->timestamp;
	out->flags = ABI_HAS_TS;
	if (config->trcconfigr & 0x10)
		out->flags |= ABI_HAS_CC;
	out->cycle_count = e->flags & CSF_ELEM_HAS_CC ? e->cycle_count : 0;
}

static enum abi_unsync why(enum csf_gap gap)
{
	switch (gap) {
	case CSF_GAP_START:
		return ABI_UNSYNC_INIT;
	case CSF_GAP_OVERFLOW:
		return ABI_UNSYNC_OVERFLOW;
	case CSF_GAP_DISCARD:
		return ABI_UNSYNC_DISCARD;
	case CSF_GAP_BREAK:
		return ABI_UNSYNC_RESET;
	default:
		return ABI_UNSYNC_BAD;
	}
}

void ocsd_element_make(struct abi_element *out, struct ocsd_sticky *sticky,
		       const struct csf_config *config, const struct csf_element *e)
{
	if (e->type == CSF_ELEM_INSTR_RANGE) {
		make_range(out, sticky, e);
		return;
	}
	if (e->type == CSF_ELEM_PE_CONTEXT)
		make_context(sticky, e);
	*out = (struct abi_element){
		.type = e->type, .isa = ABI_ISA_UNKNOWN, .st_addr = e->st_addr,
		.en_addr = e->en_addr, .context = sticky->context, .value = e->value,
	};
	switch ((enum csf_element_type)e->type) {
	case CSF_ELEM_I_RANGE_NOPATH:
		out->isa = isa_of(e->isa);
		out->value = e->n_insn;
		break;
	case CSF_ELEM_PE_CONTEXT:
		out->isa = isa_of(e->isa);
		break;
	case CSF_ELEM_TRACE_ON:
	case CSF_ELEM_EO_TRACE:
		out->st_addr = 0;
		break;
	case CSF_ELEM_NO_SYNC:
		out->st_addr = 0;
		out->value = why(e->value);
		break;
	case CSF_ELEM_ADDR_NACC:
		out->value = ocsd_space_bit(&e->context);
		break;
	case CSF_ELEM_EXCEPTION:
		make_exception(out, e);
		break;
	case CSF_ELEM_TIMESTAMP:
		make_time(out, config, e);
		break;
	case CSF_ELEM_CYCLE_COUNT:
		out->cycle_count = e->cycle_count;
		out->flags = ABI_HAS_CC;
		break;
	case CSF_ELEM_EVENT:
		out->event.kind = 2;
		out->event.number = e->value;
		break;
	case CSF_ELEM_INSTRUMENTATION:
		out->value = 0;
		out->el = e->el;
		out->payload = e->value;
		break;
	default:
		break;
	}
}

void ocsd_element_unsync(struct abi_element *out, enum csf_element_type type,
			 enum abi_unsync reason)
{
	*out = (struct abi_element){
		.type = type, .isa = ABI_ISA_UNKNOWN, .context.el = -1, .value = reason,
	};
}

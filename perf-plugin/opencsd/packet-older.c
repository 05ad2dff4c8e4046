// SPDX-License-Identifier: GPL-2.0-only
/* Code that packets of ETMv3 and PTM share. */
#include "packet-older.h"

static const char capitals[] = "0123456789ABCDEF";

uint32_t ocsd_older_isa(const struct csf_packet *pkt)
{
	if (pkt->info & OLDER_JAZELLE)
		return ABI_JAZELLE;
	if (!(pkt->flags & CSF_PKT_IS1))
		return ABI_A32;
	return pkt->info & OLDER_ALT ? ABI_TEE : ABI_T32;
}

void ocsd_older_address(struct abi_older_address *a, uint32_t *isa, const struct csf_packet *pkt)
{
	const unsigned int unit = pkt->n == 32 || *isa == ABI_JAZELLE ? 0 :
				  *isa == ABI_T32 || *isa == ABI_TEE ? 1 : 2;
	const unsigned int bits = pkt->n + unit < 32 ? pkt->n + unit : 32;
	const uint64_t mask = (1ull << bits) - 1;

	a->addr = (uint32_t)((a->addr & ~mask) | pkt->val << unit);
	a->bits = bits;
	if (a->valid < bits)
		a->valid = bits;
	if (pkt->n == 32)
		*isa = ocsd_older_isa(pkt);
}

void ocsd_older_state(struct abi_older_context *c, const struct csf_packet *pkt, bool hyp)
{
	c->flags &= ~(ABI_OLDER_NS | (hyp ? ABI_OLDER_HYP : 0));
	c->flags |= ABI_OLDER_UPDATED | (pkt->info & OLDER_NS ? ABI_OLDER_NS : 0) |
		    (hyp && pkt->info & OLDER_HYP ? ABI_OLDER_HYP : 0);
}

void ocsd_older_put_capitals(struct out *o, uint64_t v, int width)
{
	const int least = out_width(v);

	out_digits(o, v, least > width ? least : width, capitals);
}

void ocsd_older_put_address(struct out *o, const char *name, const struct abi_older_address *a)
{
	const unsigned int valid = a->valid < 32 ? a->valid : 32;
	const int digits = (valid + 3) / 4;
	const uint64_t mask = a->bits < 64 ? (1ull << a->bits) - 1 : ~0ull;

	out_text(o, name);
	out_text(o, "=0x");
	for (int i = 8; i > digits; i--)
		out_char(o, '?');
	if (digits)
		out_digits(o, a->addr, digits, capitals);
	if (valid < 32) {
		out_text(o, " (");
		out_dec(o, valid ? valid - 1 : 0);
		out_text(o, ":0)");
	}
	if (!a->bits)
		return;
	out_text(o, " ~[0x");
	ocsd_older_put_capitals(o, a->addr & mask, 1);
	out_char(o, ']');
}

void ocsd_older_put_isa(struct out *o, uint32_t isa)
{
	static const char *const isas[] = { "ARM(32)", "Thumb2", "AArch64", "ThumbEE", "Jazelle" };

	out_text(o, "ISA=");
	out_text(o, isa <= ABI_JAZELLE ? isas[isa] : "Unknown");
	out_text(o, "; ");
}

void ocsd_older_put_state(struct out *o, const struct abi_older_context *c)
{
	out_text(o, c->flags & ABI_OLDER_NS ? "NS; " : "S; ");
	out_text(o, c->flags & ABI_OLDER_HYP ? "Hyp; " : "");
}

void ocsd_older_put_reason(struct out *o, uint32_t reason)
{
	static const char *const reasons[] = {
		"(Periodic); ", "(Trace Enable); ", "(Restart Overflow); ", "(Debug Exit); ",
	};

	out_text(o, reasons[reason & 3]);
}

const char *ocsd_older_exception(uint32_t kind)
{
	static const char *const names[ABI_EXC_NR] = {
		"Reserved", "No Exception", "PE Reset", "IRQ", "FIQ", "Async Data Abort",
		"Debug Halt", "Jazelle", "SVC", "SMC", "Hyp", "Undefined Instr", "Prefetch Abort",
		"Generic", "Data Fault", "usage Fault", "NMI", "DebugMonitor", "Mem Manage",
		"PendSV", "SysTick", "BusFault", "HardFault", "IRQ", "Jazelle",
	};

	return names[kind < ABI_EXC_NR ? kind : ABI_EXC_RESERVED];
}

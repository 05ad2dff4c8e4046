// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "tree.h"

/* ---------------------------------------------------------------- indexes */

void source_note(struct source *s, size_t n, uint64_t idx)
{
	const struct source_index *last = &s->index[(s->n_index - 1) % SOURCE_INDEXES];

	if (!s->n_index || idx - last->idx != s->pos - last->pos)
		s->index[s->n_index++ % SOURCE_INDEXES] = (struct source_index){ s->pos, idx };
	s->pos += n;
}

/* Elements come nearly in the order of their packets. */
uint64_t source_index(struct source *s, uint64_t pos)
{
	const struct source_index *at;

	if (s->at_index + SOURCE_INDEXES < s->n_index)
		s->at_index = s->n_index - SOURCE_INDEXES;
	while (s->at_index + 1 < s->n_index &&
	       s->index[(s->at_index + 1) % SOURCE_INDEXES].pos <= pos)
		s->at_index++;
	at = &s->index[s->at_index % SOURCE_INDEXES];
	return pos >= at->pos ? at->idx + (pos - at->pos) : at->idx;
}

/* ---------------------------------------------------------------- elements */

uint32_t source_hand_out(struct source *s, const struct abi_element *e, uint64_t idx)
{
	struct tree *t = s->tree;
	uint32_t index = tree_index(t, idx);

	if (t->prints) {
		struct out *line = tree_line(t, index, s->id);

		out_char(line, ' ');
		ocsd_element_text(line, e, t->release);
		out_char(line, '\n');
		tree_say(t);
	}
	return t->element ? t->element(t->element_context, index, s->id, e) : ABI_CONT;
}

/*
 * A loss of sync is reported once.  Not where trace ends, which is reported as such, and for a
 * trace ID only if it had any bytes.
 */
static bool tells_unsync(const struct source *s, const struct csf_element *e)
{
	return !s->unsynced && (!s->ended || (e->value == CSF_GAP_START && s->pos));
}

static uint32_t element(struct source *s, const struct csf_element *e)
{
	struct abi_element made;

	if (e->type == CSF_ELEM_NO_SYNC && !tells_unsync(s, e))
		return ABI_CONT;
	/* in that release the number means something else */
	if (e->type == CSF_ELEM_INSTRUMENTATION && e->type == s->tree->release->custom)
		return ABI_CONT;
	ocsd_element_make(&made, &s->sticky, &s->config, e);
	if (e->type == CSF_ELEM_NO_SYNC && e->value == CSF_GAP_START)
		made.value = s->reason;
	if (e->type == CSF_ELEM_EO_TRACE)
		made.value = s->overflowed ? ABI_UNSYNC_OVERFLOW : s->tree->release->unsync_end;
	s->unsynced = e->type == CSF_ELEM_NO_SYNC;
	s->overflowed = s->unsynced && made.value == ABI_UNSYNC_OVERFLOW;
	return source_hand_out(s, &made, source_index(s, e->offset));
}

/* Logs what the client cannot see in the elements. */
static void log_gap(struct source *s)
{
	static const uint8_t codes[CSF_GAP_NR] = {
		[CSF_GAP_PACKET] = ABI_ERR_BAD_PACKET_SEQ, [CSF_GAP_CUT] = ABI_ERR_BAD_PACKET_SEQ,
		[CSF_GAP_IMAGE] = ABI_ERR_MEM_NACC, [CSF_GAP_STACK] = ABI_ERR_RET_STACK_OVERFLOW,
		[CSF_GAP_SPECULATION] = ABI_ERR_COMMIT_PKT_OVERRUN,
	};
	const struct csf_run *run = &s->run;
	const enum csf_gap as = run->flags & CSF_GAP_RETURN ? CSF_GAP_STACK : run->value;
	struct csf_report report;
	char text[256];

	if (run->value == CSF_GAP_OFF || !log_wants(ABI_SEV_WARN))
		return;
	csf_report_code(CSF_REPORT_GAP, run->value, &report);
	report.addr = run->addr;
	report.lost = run->lost;
	report.bytes = run->bytes;
	csf_report_print(&report, text, sizeof(text));
	log_problem(&s->tree->log, ABI_SEV_WARN, codes[as] ?: ABI_ERR_BAD_DECODE_PKT,
		    tree_index(s->tree, source_index(s, run->offset)), s->id, "%s", text);
}

/* All elements of the run are out. */
static void end_run(struct source *s)
{
	int space;

	s->in_run = false;
	if (s->run.end == CSF_END_GAP) {
		log_gap(s);
	} else if (s->run.end == CSF_END_CONTEXT) {
		space = memory_visit(&s->view, &s->run.to);
		csf_set_space(s->dec, space < 0 ? CSF_SPACE_ALL : space);
	}
}

static void start_elements(struct source *s)
{
	s->it = (struct csf_elements){
		.dec = s->dec, .options = s->it.options,
	};
	s->in_run = false;
	s->unsynced = false;
	s->overflowed = false;
	s->ended = false;
}

/* There was no memory: what was fed is lost, and decode starts again. */
static void give_up(struct source *s)
{
	log_problem(&s->tree->log, ABI_SEV_ERROR, ABI_ERR_MEM, UINT32_MAX, s->id,
		    "no memory; decode begins anew");
	csf_reset(s->dec);
	start_elements(s);
	if (s->older)
		source_older_start(s, ABI_UNSYNC_RESET);
}

bool source_next(struct source *s, struct csf_element *e)
{
	for (;;) {
		int got;

		if (s->in_run && csf_elements_next(&s->it, e) > 0)
			return true;
		if (s->in_run)
			end_run(s);
		got = csf_next(s->dec, &s->run);
		if (got < 0)
			give_up(s);
		if (got <= 0)
			return false;
		csf_elements_run(&s->it, &s->run);
		s->in_run = true;
	}
}

/* Passes on the elements of the decoder. */
static uint32_t drain(struct source *s)
{
	uint32_t resp = ABI_CONT;
	struct csf_element e;

	if (s->older)
		return source_older_drain(s);
	while (resp < ABI_WAIT && source_next(s, &e))
		resp = element(s, &e);
	return resp;
}

/* ---------------------------------------------------------------- packets */

/* The reader has found a packet: it is passed on after everything before it. */
static void found(void *owner, const struct ocsd_found *f)
{
	struct source *s = owner;

	if (s->n_found < SOURCE_FOUND)
		s->found[s->n_found++] = *f;
}

static void print_packet(struct source *s, const struct ocsd_found *f, uint32_t index,
			 const void *packet)
{
	struct out *line = tree_line(s->tree, index, s->id);

	if (s->prints_bytes) {
		out_text(line, " [");
		for (size_t i = 0; i < f->size && i < 64; i++) {
			out_text(line, "0x");
			out_byte(line, f->bytes[i]);
			out_char(line, ' ');
		}
		out_text(line, "];");
	}
	out_char(line, '\t');
	if (s->older)
		source_older_text(s, line);
	else
		ocsd_packet_text(line, packet);
	out_char(line, '\n');
	tree_say(s->tree);
}

static void count(struct source *s, const struct ocsd_found *f)
{
	if (f->pkt.type != CSF_PKT_BAD)
		return;
	if (f->pkt.n == CSF_BAD_UNSYNC)
		s->stats.unsynced += f->size;
	else if (f->pkt.n == CSF_BAD_SEQUENCE)
		s->stats.bad_sequences++;
	else
		s->stats.bad_headers++;
}

/* Only a monitor gets more than the first few bytes out of sync; all of those of ETMv3. */
static uint32_t hand_out_packet(struct source *s, const struct ocsd_found *f)
{
	uint32_t index = tree_index(s->tree, f->idx);
	const void *packet;
	bool more = s->skipping;

	if (s->older)
		packet = source_older_make(s, f);
	else
		packet = ocsd_packet_make(&s->history, &s->config, &f->pkt, f->bytes[0]);
	if (!s->decodes)
		count(s, f);
	s->skipping = f->pkt.type == CSF_PKT_BAD && f->pkt.n == CSF_BAD_UNSYNC &&
		      (!s->older || s->reader.ptm);
	more = more && s->skipping;
	if (s->prints && (s->prints_bytes || !more))
		print_packet(s, f, index, packet);
	if (s->monitor)
		s->monitor(s->monitor_context, ABI_OP_DATA, index, packet, f->size, f->bytes);
	return s->sink && !more ? s->sink(s->sink_context, ABI_OP_DATA, index, packet) : ABI_CONT;
}

/* Tells the client's callbacks for packets that something else happened. */
static void say_op(struct source *s, enum abi_op op)
{
	if (s->monitor)
		s->monitor(s->monitor_context, op, 0, NULL, 0, NULL);
	if (s->sink)
		s->sink(s->sink_context, op, 0, NULL);
}

/* Gives the reader one more byte, or more.  Returns true if there was one. */
static bool read_more(struct source *s)
{
	s->at_found = 0;
	s->n_found = 0;
	if (s->older)
		return source_older_read(s);
	if (!s->n_in)
		return false;
	ocsd_read(&s->reader, s->in, 1, s->in_idx);
	s->in++;
	s->in_idx++;
	s->n_in--;
	return true;
}

/* ---------------------------------------------------------------- work */

/* Does what is due after the last byte that was given.  Returns true if there was anything. */
static bool do_then(struct source *s)
{
	enum source_then then = s->then;

	s->then = SOURCE_KEEP;
	switch (then) {
	case SOURCE_KEEP:
		return false;
	case SOURCE_SURE:
	case SOURCE_WHOLE:
		if (s->decodes)
			csf_flush(s->dec, then == SOURCE_WHOLE);
		break;
	case SOURCE_TAIL:
		if (s->decodes)
			csf_flush(s->dec, true);
		s->then = SOURCE_COMMIT;
		break;
	case SOURCE_COMMIT:
		if (s->decodes)
			csf_commit(s->dec);
		break;
	case SOURCE_BREAK:
		ocsd_read_reset(&s->reader);
		if (s->decodes)
			csf_break(s->dec);
		s->then = s->older ? SOURCE_BROKEN : SOURCE_KEEP;
		break;
	case SOURCE_END:
		s->at_found = 0;
		s->n_found = 0;
		if (s->older)
			ocsd_read_older_end(&s->reader);
		else if (source_watched(s))
			ocsd_read_end(&s->reader);
		s->then = SOURCE_ENDED;
		break;
	case SOURCE_ENDED:
		s->ended = true;
		say_op(s, ABI_OP_EOT);
		if (s->decodes)
			csf_end(s->dec);
		s->then = s->older ? SOURCE_DONE : SOURCE_KEEP;
		break;
	case SOURCE_BROKEN:
	case SOURCE_DONE:
		if (s->decodes)
			source_older_done(s, then == SOURCE_DONE);
		break;
	}
	return true;
}

void source_give(struct source *s, const uint8_t *p, size_t n, uint64_t idx)
{
	s->stats.total += n;
	s->then = SOURCE_KEEP;
	s->ended = false;
	if (!source_watched(s) && !s->older && !s->message) {
		csf_feed(s->dec, p, n);
		return;
	}
	s->in = p;
	s->n_in = n;
	s->in_idx = idx;
	if (s->older)
		s->older->pauses = true;
}

void source_then(struct source *s, enum source_then then)
{
	s->then = then;
}

uint32_t source_work(struct source *s)
{
	uint32_t resp;

	if (s->message)
		return source_message_work(s);
	do {
		if (s->decodes) {
			resp = drain(s);
			if (resp >= ABI_WAIT)
				return resp;
		}
		while (s->at_found < s->n_found) {
			const struct ocsd_found *f = &s->found[s->at_found++];

			resp = hand_out_packet(s, f);
			if (s->decodes) {
				if (s->older)
					source_older_packet(s, f);
				csf_feed(s->dec, f->bytes, f->size);
				csf_flush(s->dec, false);
			}
			if (resp >= ABI_WAIT)
				return resp;
			if (!s->decodes)
				continue;
			resp = drain(s);
			if (resp >= ABI_WAIT)
				return resp;
		}
	} while (read_more(s) || do_then(s));
	return ABI_CONT;
}

/* ---------------------------------------------------------------- life */

static int make_decoder(struct source *s)
{
	struct csf_config config = s->config;

	config.marks = CSF_MARK_DEFAULT | CSF_MARK_ERET;
	if (s->tree->exact || s->older)
		config.marks |= CSF_MARK_PACKET;
	if (csf_new(&s->dec, &config, s->tree->memory.image))
		return ABI_ERR_HW_CFG_UNSUPP;
	memory_open(&s->view, &s->tree->memory, s->id, s->older);
	start_elements(s);
	return ABI_OK;
}

int source_new(struct source **source, struct tree *tree, const struct csf_config *config,
	       uint8_t id, uint32_t flags)
{
	struct source *s = calloc(1, sizeof(*s));
	int err = ABI_OK;

	if (!s)
		return ABI_ERR_MEM;
	s->tree = tree;
	s->id = id;
	s->config = *config;
	s->config.unchecked = !(flags & ABI_CREATE_CHECKS);
	s->decodes = flags & ABI_CREATE_DECODER;
	s->reason = ABI_UNSYNC_INIT;
	s->it.options = flags & ABI_CREATE_SRC_ADDR_N ? CSF_ELEMS_SPLIT : 0;
	s->reader.config = *config;
	s->reader.found = found;
	s->reader.owner = s;
	s->sticky.context.el = -1;
	if (csf_config_has_messages(config))
		err = source_message_new(s);
	else if (csf_config_version(config) < 0)
		err = ABI_ERR_HW_CFG_UNSUPP;
	else if (csf_config_version(config) < 0x40)
		err = source_older_new(s);
	if (!err && s->decodes && !s->message)
		err = make_decoder(s);
	if (err)
		source_free(s);
	else
		*source = s;
	return err;
}

void source_free(struct source *s)
{
	if (!s)
		return;
	csf_free(s->dec);
	if (s->view.memory)
		memory_close(&s->view);
	source_older_free(s);
	free(s->message);
	free(s);
}

/* Counts the uncommitted elements of the trace unit, which are lost now. */
static void count_uncommitted(struct source *s)
{
	long n = csf_commit(s->dec);

	if (n <= 0)
		return;
	s->lost += n;
	log_problem(&s->tree->log, ABI_SEV_WARN, ABI_ERR_COMMIT_PKT_OVERRUN, UINT32_MAX, s->id,
		    "gap: %ld P0 elements not committed at a reset", n);
}

void source_reset(struct source *s)
{
	if (s->dec) {
		count_uncommitted(s);
		source_stats(s);
		s->seen = (struct csf_stats){ 0 };
		csf_reset(s->dec);
		s->view.visiting = false;
		start_elements(s);
	}
	say_op(s, ABI_OP_RESET);
	s->reason = ABI_UNSYNC_RESET;
	s->then = SOURCE_KEEP;
	s->n_index = 0;
	s->at_index = 0;
	s->pos = 0;
	s->n_in = 0;
	s->at_found = 0;
	s->n_found = 0;
	ocsd_read_reset(&s->reader);
	s->history = (struct ocsd_history){ 0 };
	s->skipping = false;
	if (s->older)
		source_older_start(s, ABI_UNSYNC_RESET);
	if (s->message)
		source_message_start(s, ABI_UNSYNC_RESET);
}

int source_renew(struct source *s)
{
	if (!s->decodes || s->message)
		return ABI_OK;
	csf_free(s->dec);
	s->dec = NULL;
	return make_decoder(s);
}

/* ---------------------------------------------------------------- statistics */

/* The decoder counts from its last reset, so read its counts before the next. */
struct abi_stats *source_stats(struct source *s)
{
	struct csf_stats seen = { .size = sizeof(seen) };
	struct abi_stats *stats = &s->stats;
	const struct tree *t = s->tree;

	if (s->dec) {
		csf_stats(s->dec, &seen);
		stats->unsynced += seen.skipped - s->seen.skipped;
		stats->bad_sequences += seen.gaps[CSF_GAP_PACKET] - s->seen.gaps[CSF_GAP_PACKET] +
					seen.gaps[CSF_GAP_CUT] - s->seen.gaps[CSF_GAP_CUT];
		s->seen = seen;
	}
	stats->version = s->tree->release->version;
	stats->revision = 1;
	stats->demux.valid_id = 0;
	for (size_t i = 0; t->framed && i < t->n_source; i++)
		stats->demux.valid_id += t->source[i]->stats.total;
	stats->demux.no_id = t->unknown;
	return stats;
}

void source_reset_stats(struct source *s)
{
	source_stats(s);
	s->stats = (struct abi_stats){ 0 };
}

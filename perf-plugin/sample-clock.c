// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time is known at the timestamps of the trace.  Between two timestamps it advances in proportion
 * to instructions; where cycles are counted, in proportion to cycles from count to count, and to
 * instructions between counts.  After the last timestamp of a run it advances as fast as between
 * the two before; but a thread that waited between those two will not always wait.  So time stops
 * at the timestamp after the run, if the decoder has it already.  The time of a switch counts like
 * a timestamp.
 *
 * So time is a sequence of straight lines, each computed when it is needed.
 */
#include "sample-block.h"
#include "sample-clock.h"

void sample_clock_start(struct cs_samples *it)
{
	it->mark = 0;
	it->mark_step = 0;
	it->ahead = 0;
	it->sight = 0;
	it->line.valid = false;
}

/* The step that a mark of the run precedes. */
static size_t step_of(const struct cs_samples *it, const struct csf_mark *m)
{
	const struct csf_run *run = it->in.run;
	uint64_t seq = it->options.compat ? m->seq : m->at;
	uint64_t at = seq > run->seq ? seq - run->seq : 0;

	if (at < it->step)
		return it->step;
	return at < run->n ? at : run->n;
}

static bool is_time(const struct cs_samples *it, const struct csf_mark *m)
{
	return m->kind == CSF_MARK_TIME && !(m->flags & CSF_MARK_UNKNOWN) && !it->options.timeless;
}

static bool is_cycles(const struct csf_mark *m)
{
	return m->kind == CSF_MARK_CYCLES && !(m->flags & CSF_MARK_UNKNOWN);
}

static uint64_t clock_of(const struct cs_samples *it, uint64_t stamp)
{
	const struct cs_samples_options *o = &it->options;

	return o->clock ? o->clock(o->clock_context, stamp) : stamp;
}

static uint64_t count_at(const struct cs_clock *c, const struct csf_mark *m)
{
	return c->cycles + (m->flags & CSF_MARK_HAS_COUNT ? m->count : 0);
}

/* @a * @b / @c, less exact if the product is too long; 0 if @c is 0. */
static uint64_t part(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t product;

	while (__builtin_mul_overflow(a, b, &product)) {
		b >>= 1;
		c >>= 1;
	}
	return c ? product / c : 0;
}

/* ---------------------------------------------------------------- marks passed */

/*
 * @dt and @insns instructions passed between two timestamps.  A rate that is too slow makes times
 * that no later timestamp can take back; one that is too fast does no harm.  So the new rate is at
 * most twice as slow as the one before, as a thread that sleeps between two timestamps executes
 * almost nothing there.
 */
static void learn_rate(struct cs_clock *c, uint64_t dt, uint64_t insns, uint64_t cycles)
{
	uint64_t most = c->rate_insns ? part(2 * c->rate_time, insns, c->rate_insns) : dt;
	uint64_t took = c->rate_cycles ? part(2 * c->rate_took, cycles, c->rate_cycles) : dt;

	c->rate_time = dt < most ? dt : most + !most;
	c->rate_insns = insns;
	c->rate_took = dt < took ? dt : took + !took;
	c->rate_cycles = cycles;
}

static void see_time(struct cs_clock *c, const struct csf_mark *m, uint64_t t)
{
	/* clocks do not go backwards, but in damaged trace they may */
	if (c->known && t < c->stamp)
		return;
	if (c->known && !c->loose && t > c->stamp && c->insns > c->base)
		learn_rate(c, t - c->stamp, c->insns - c->base,
			   count_at(c, m) > c->base_cycles ? count_at(c, m) - c->base_cycles : 0);
	c->stamp = t;
	c->time = t;
	c->base = c->insns;
	c->base_cycles = count_at(c, m);
	c->known = true;
	c->loose = m->flags & CSF_MARK_EARLY;
}

/* As stock perf: a timestamp is valid after the next one, and ten instructions take 1 ns. */
static void see_stock(struct cs_clock *c, uint64_t t)
{
	uint64_t n = c->insns - c->base, back = n / 10;

	c->time = c->known ? c->stamp : t - (back < t ? back : t);
	c->stamp = t;
	c->base = c->known ? c->insns - n % 10 : c->insns;
	c->known = true;
}

void sample_clock_pass(struct cs_samples *it)
{
	const struct csf_run *run = it->in.run;
	struct cs_clock *c = &it->state->clock;

	for (; it->mark < run->n_mark; it->mark++) {
		const struct csf_mark *m = &run->mark[it->mark];

		if (!is_time(it, m) && !is_cycles(m))
			continue;
		it->mark_step = step_of(it, m);
		if (it->mark_step > it->step)
			return;
		it->line.valid = false;
		if (is_time(it, m) && it->options.compat) {
			see_stock(c, clock_of(it, m->value));
		} else if (is_time(it, m)) {
			see_time(c, m, clock_of(it, m->value));
		} else {
			c->cycles += m->count;
			c->cycles_at = c->insns;
		}
	}
	it->mark_step = SIZE_MAX;
}

void sample_clock_break(struct cs_samples *it)
{
	struct cs_clock *c = &it->state->clock;

	/* nothing is known and no time was reported: the first timestamp may be close */
	if (c->known || c->insns > c->base)
		c->time = sample_clock_now(it);
	c->base = c->insns;
	if (it->options.compat)
		c->known = false;
	c->base_cycles = c->cycles;
	c->loose = true;
	it->line.valid = false;
}

void sample_clock_since(struct cs_samples *it)
{
	struct cs_clock *c = &it->state->clock;

	if (c->loose && c->time < it->in.since && !it->options.compat)
		c->time = it->in.since;
}

/*
 * A thread came at a known time, after the last timestamp: the time before that was not spent on
 * its instructions.
 */
void sample_clock_came(struct cs_samples *it)
{
	struct cs_clock *c = &it->state->clock;

	if (it->in.came <= c->stamp || it->options.compat)
		return;
	c->stamp = it->in.came;
	c->time = it->in.came;
	c->base = c->insns;
	c->base_cycles = c->cycles;
	it->line.valid = false;
}

/* ---------------------------------------------------------------- lines */

/* The next timestamp of the run; NULL: there is none. */
static const struct csf_mark *find_ahead(struct cs_samples *it)
{
	const struct csf_run *run = it->in.run;
	uint64_t cycles = it->state->clock.cycles;

	if (it->ahead < it->mark || !it->ahead) {
		for (it->ahead = it->mark; it->ahead < run->n_mark; it->ahead++) {
			const struct csf_mark *m = &run->mark[it->ahead];

			if (is_cycles(m))
				cycles += m->count;
			if (!is_time(it, m))
				continue;
			it->ahead_cycles = cycles;
			if (m->flags & CSF_MARK_HAS_COUNT)
				it->ahead_cycles += m->count;
			break;
		}
	}
	return it->ahead < run->n_mark ? &run->mark[it->ahead] : NULL;
}

/* The next cycle count before the next timestamp; NULL: there is none. */
static const struct csf_mark *next_count(const struct cs_samples *it)
{
	for (size_t i = it->mark; i < it->ahead; i++)
		if (is_cycles(&it->in.run->mark[i]))
			return &it->in.run->mark[i];
	return NULL;
}

/* Number of instructions executed when a mark of the run is reached. */
static uint64_t insns_at(const struct cs_samples *it, const struct csf_mark *m)
{
	uint64_t n = it->state->clock.insns - it->walked;

	for (size_t i = it->step, stop = step_of(it, m); i < stop; i++)
		n += it->blocks.info[csf_step_block(it->in.run->step[i])] & INFO_INSNS;
	return n;
}

/* Sets the slope: @dt for @dn instructions. */
static void incline(struct cs_line *l, uint64_t dt, uint64_t dn)
{
	l->shift = 0;
	l->slope = 0;
	if (!dt || !dn)
		return;
	l->shift = __builtin_clzll(dt);
	if (l->shift > 32)
		l->shift = 32;
	l->slope = (dt << l->shift) / dn;
}

/* A line from @time at @at instructions to @last at @end. */
static void join(struct cs_line *l, uint64_t at, uint64_t time, uint64_t end, uint64_t last)
{
	l->at = at;
	l->time = time < last ? time : last;
	l->end = end;
	l->last = last;
	incline(l, l->last - l->time, end > at ? end - at : 0);
}

/*
 * The first timestamp after the run; all of the run was executed before it.  UINT64_MAX: not known.
 */
static uint64_t next_stamp(struct cs_samples *it)
{
	uint64_t last, above;

	if (!it->sight) {
		it->sight = UINT64_MAX;
		if (it->state->clock.known && !it->options.timeless &&
		    csf_next_time(it->in.dec, 0, &last, &above) > 0)
			it->sight = clock_of(it, above);
	}
	return it->sight;
}

/* A line from @time at @at instructions on, as fast as before. */
static void go_on(struct cs_samples *it, uint64_t at, uint64_t time)
{
	const struct cs_clock *c = &it->state->clock;
	struct cs_line *l = &it->line;
	uint64_t last = next_stamp(it);

	l->at = at;
	l->time = time;
	l->end = UINT64_MAX;
	l->last = last > time ? last : time;
	incline(l, c->rate_time, c->rate_insns);
}

/* The time at a cycle count after the last timestamp. */
static uint64_t time_at(struct cs_samples *it, const struct csf_mark *ahead, uint64_t t,
			uint64_t cycles)
{
	const struct cs_clock *c = &it->state->clock;
	uint64_t last;

	cycles = cycles > c->base_cycles ? cycles - c->base_cycles : 0;
	if (ahead)
		return c->time + part(t > c->time ? t - c->time : 0, cycles,
				      it->ahead_cycles - c->base_cycles);
	t = c->time + part(c->rate_took, cycles, c->rate_cycles);
	last = next_stamp(it);
	return t < last || last < c->time ? t : last;
}

/* A line to the next cycle count, or from the last one. */
static void draw_cycles(struct cs_samples *it, const struct csf_mark *ahead, uint64_t t)
{
	const struct cs_clock *c = &it->state->clock;
	const struct csf_mark *count = next_count(it);
	uint64_t at = c->base, time = c->time;

	if (c->cycles_at > c->base) {
		at = c->cycles_at;
		time = time_at(it, ahead, t, c->cycles);
	}
	if (count)
		join(&it->line, at, time, insns_at(it, count),
		     time_at(it, ahead, t, c->cycles + count->count));
	else if (ahead)
		join(&it->line, at, time, insns_at(it, ahead), t);
	else
		go_on(it, at, time);
}

/* Time of @n instructions at the rate from a timestamp of the run to the next; 0: there is none. */
static uint64_t pace_after(const struct cs_samples *it, size_t mark, uint64_t n)
{
	const struct csf_run *run = it->in.run;
	const struct csf_mark *first = &run->mark[mark];

	while (++mark < run->n_mark) {
		const struct csf_mark *m = &run->mark[mark];
		uint64_t insns, from = clock_of(it, first->value), to = clock_of(it, m->value);

		if (!is_time(it, m))
			continue;
		insns = insns_at(it, m) - insns_at(it, first);
		return to > from ? part(to - from, n, insns) : 0;
	}
	return 0;
}

/*
 * A line to a timestamp, from a place whose time is only known to be lower: as fast as before, or
 * initially as fast as after it.
 */
static void draw_back(struct cs_samples *it, uint64_t end, uint64_t t)
{
	const struct cs_clock *c = &it->state->clock;
	const uint64_t n = end - c->base;
	uint64_t back = c->rate_insns ? part(c->rate_time, n, c->rate_insns) :
			pace_after(it, it->ahead, n);
	uint64_t from = back < t ? t - back : 0;

	if (from < c->time)
		from = c->time;
	join(&it->line, c->base, from, end, t);
}

/* The beginning of the line, if no timestamp is in sight. */
static uint64_t begin_of(const struct cs_samples *it)
{
	const struct cs_clock *c = &it->state->clock;

	return c->known || c->time > it->in.time ? c->time : it->in.time;
}

static void draw(struct cs_samples *it)
{
	const struct cs_clock *c = &it->state->clock;
	const struct csf_mark *ahead = find_ahead(it);
	uint64_t t = ahead ? clock_of(it, ahead->value) : 0;
	bool counted = ahead ? it->ahead_cycles > c->base_cycles : c->rate_cycles;

	it->line.valid = true;
	if (c->known && !c->loose && counted)
		draw_cycles(it, ahead, t);
	else if (ahead && c->known && !c->loose)
		join(&it->line, c->base, c->time, insns_at(it, ahead), t);
	else if (ahead)
		draw_back(it, insns_at(it, ahead), t);
	else
		go_on(it, c->base, begin_of(it));
}

/*
 * The time of a sample: timestamps may go backwards in damaged trace, and the first may be before
 * @in.time.
 */
static uint64_t never_back(struct cs_clock *c, uint64_t t)
{
	if (t > c->out)
		c->out = t;
	c->told = true;
	return c->out;
}

/* Stock perf takes the time at the end of each step. */
static uint64_t stock_now(struct cs_samples *it)
{
	const struct csf_run *run = it->in.run;
	struct cs_clock *c = &it->state->clock;
	const struct csf_mark *ahead;
	uint64_t n = c->insns - c->base, t;

	if (!it->ended && it->step < run->n)
		n += (it->blocks.info[csf_step_block(run->step[it->step])] & INFO_INSNS) -
		     it->walked;
	if (c->known) {
		t = c->time + n / 10;
		return never_back(c, t < c->stamp ? t : c->stamp);
	}
	ahead = find_ahead(it);
	if (!ahead)
		return c->told ? c->out : it->in.time;
	t = clock_of(it, ahead->value);
	n = (insns_at(it, ahead) - c->base) / 10;
	return never_back(c, n < t ? t - n : 0);
}

static inline uint64_t on_line(const struct cs_line *l, uint64_t insns)
{
	uint64_t t;

	if (__builtin_mul_overflow(insns - l->at, l->slope, &t))
		t = UINT64_MAX;
	t = l->time + (t >> l->shift);
	return t < l->last ? t : l->last;
}

uint64_t sample_clock_now(struct cs_samples *it)
{
	struct cs_clock *c = &it->state->clock;

	if (it->options.insn_time)
		return c->insns;
	if (it->options.timeless)
		return it->in.time;
	if (it->options.compat)
		return stock_now(it);
	if (!it->line.valid)
		draw(it);
	return never_back(c, on_line(&it->line, c->insns));
}

void sample_clock_ahead(struct cs_samples *it, uint64_t *time, uint32_t n)
{
	const bool counts = it->options.insn_time;
	struct cs_clock *c = &it->state->clock;
	uint64_t out = c->out;

	if (counts || it->options.timeless) {
		for (uint32_t i = 0; i < n; i++)
			time[i] = counts ? c->insns + i + 1 : it->in.time;
		return;
	}
	if (!it->line.valid)
		draw(it);
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t t = on_line(&it->line, c->insns + i + 1);

		out = t > out ? t : out;
		time[i] = out;
	}
	c->out = out;
	c->told = true;
}

bool sample_clock_blind(struct cs_samples *it)
{
	if (it->options.compat)
		return true;
	if (!it->line.valid)
		draw(it);
	return !it->line.slope && it->line.end == UINT64_MAX;
}

uint64_t sample_clock_until(struct cs_samples *it, uint64_t due)
{
	const struct cs_line *l = &it->line;
	uint64_t insns = it->state->clock.insns, n;

	if (!l->valid)
		draw(it);
	if (due <= l->time)
		return 1;
	if (due > l->last || !l->slope || (due - l->time) >> (63 - l->shift))
		return UINT64_MAX;
	n = l->at + (((due - l->time) << l->shift) + l->slope - 1) / l->slope;
	if (n > l->end)
		return UINT64_MAX;
	return n > insns ? n - insns : 1;
}

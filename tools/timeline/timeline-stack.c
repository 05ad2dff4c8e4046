// SPDX-License-Identifier: GPL-2.0-only
/*
 * A trace does not tell where the stack is: calls and returns are distinguished by
 * their instructions, and returns go to the call that they fit.
 *
 * A slice may have a minimum length, which is unknown when it begins: it is written when it
 * has lasted long enough, and the slices around it have then lasted, too.
 */
#include "../../perf-plugin/array.h"
#include "timeline-stack.h"

const char *const timeline_kinds[SLICE_NR] = {
	[SLICE_FUNCTION] = "function", [SLICE_SYSCALL] = "syscall",
	[SLICE_INTERRUPT] = "interrupt", [SLICE_EXCEPTION] = "exception",
	[SLICE_SIGNAL] = "signal", [SLICE_OFF] = "off", [SLICE_INLINED] = "inlined",
	[SLICE_LOST] = "lost", [SLICE_THREAD] = "thread",
};

/* ---------------------------------------------------------------- writing slices */

/* Time on a track does not go back. */
static uint64_t clock_of(struct timeline_stack *s, uint64_t time)
{
	if (time > s->last)
		s->last = time;
	return s->last;
}

static void write_begin(struct timeline_out *o, struct timeline_stack *s)
{
	struct timeline_frame *f = &s->frame[s->n_written++];
	uint64_t time = f->begin;

	f->unseen = f->kind == SLICE_FUNCTION && o->names->name[f->name].left_out;
	if (f->unseen)
		return;
	if (time < s->since)
		time = s->since;
	if (time < o->from)
		time = o->from;
	o->format->begin(o, &s->track, &(struct timeline_slice){
		.time = time, .name = f->name, .kind = f->kind,
		.loss = f->kind == SLICE_LOST ? &s->loss : NULL,
	});
	o->n++;
}

/* Ends the innermost of the written slices. */
static void write_end(struct timeline_out *o, struct timeline_stack *s)
{
	if (!s->frame[--s->n_written].unseen)
		o->format->end(o, &s->track, s->last < o->until ? s->last : o->until);
}

void timeline_pass(struct timeline_out *o, struct timeline_stack *s, uint64_t time)
{
	time = clock_of(s, time);
	while (s->n_written < s->n && !s->hidden) {
		const struct timeline_frame *f = &s->frame[s->n_written];

		/* losses, and threads on CPUs, are shown, however short they are */
		if ((f->kind < SLICE_LOST && time - f->begin < o->min) ||
		    (f->kind == SLICE_OFF && time == f->begin) ||
		    (o->from && time <= o->from) || f->begin > o->until)
			break;
		write_begin(o, s);
	}
}

void timeline_pop(struct timeline_out *o, struct timeline_stack *s, size_t n, uint64_t time)
{
	timeline_pass(o, s, time);
	for (; s->n > n; s->n--)
		if (s->n <= s->n_written)
			write_end(o, s);
}

void timeline_hide(struct timeline_out *o, struct timeline_stack *s, uint64_t time)
{
	timeline_pass(o, s, time);
	while (s->n_written)
		write_end(o, s);
	s->hidden = true;
}

int timeline_push(struct timeline_out *o, struct timeline_stack *s,
		  const struct timeline_frame *frame)
{
	uint64_t time = clock_of(s, frame->begin);

	if (s->n == TIMELINE_DEPTH)
		timeline_pop(o, s, 0, time);
	if (!array_room(&s->frame, s->n, &s->size, sizeof(*s->frame)))
		return -1;
	s->frame[s->n] = *frame;
	s->frame[s->n++].begin = time;
	timeline_pass(o, s, time);
	return 0;
}

static int push(struct timeline_out *o, struct timeline_stack *s, const struct timeline_step *step,
		enum slice_kind kind, uint32_t name)
{
	const bool returns = kind != SLICE_FUNCTION || step->move == MOVE_CALL;
	const struct timeline_frame frame = {
		.begin = step->time, .ret = returns ? step->ret : 0, .name = name, .kind = kind,
	};

	return timeline_push(o, s, &frame);
}

/* ---------------------------------------------------------------- inlined functions */

/* The number of frames without the innermost inlined functions. */
static size_t without_inlined(const struct timeline_stack *s)
{
	size_t n = s->n;

	while (n && s->frame[n - 1].kind == SLICE_INLINED)
		n--;
	return n;
}

void timeline_leave_inlined(struct timeline_out *o, struct timeline_stack *s, uint64_t time)
{
	const size_t n = without_inlined(s);

	if (n < s->n)
		timeline_pop(o, s, n, time);
}

/* Begins the function @in inside those that it is inlined in. */
static int begin_inlined(struct timeline_out *o, struct timeline_stack *s,
			 const struct elf_inlined *in, uint64_t time)
{
	struct timeline_frame f = { .begin = time, .inlined = in, .kind = SLICE_INLINED };

	f.name = timeline_inlined(o->names, in->function);
	return f.name ? timeline_push(o, s, &f) : -1;
}

/* Ends inlined functions down to those, from frame @base on, that @in is inlined in, too. */
static void end_others(struct timeline_out *o, struct timeline_stack *s, size_t base,
		       const struct elf_inlined *in, uint64_t time)
{
	size_t n = s->n;

	while (n > base && n - base > (in ? in->depth : 0))
		n--;
	for (size_t depth = in ? in->depth : 0; depth > n - base; depth--)
		in = in->outer;
	for (; n > base && s->frame[n - 1].inlined != in; n--)
		in = in->outer;
	if (n < s->n)
		timeline_pop(o, s, n, time);
}

/* Begins @in, and before it those around it that have not begun: @n of them have. */
static int begin_all(struct timeline_out *o, struct timeline_stack *s, const struct elf_inlined *in,
		     size_t n, uint64_t time)
{
	int err = 0;

	if (in->depth > n + 1)
		err = begin_all(o, s, in->outer, n, time);
	return err ? err : begin_inlined(o, s, in, time);
}

/* The innermost function is now in the inlined function @in; NULL: in none. */
static int go_to(struct timeline_out *o, struct timeline_stack *s, const struct elf_inlined *in,
		 uint64_t time)
{
	const struct timeline_frame *top = timeline_top(s);
	size_t base;

	if (!top || top->inlined == in)
		return 0;
	base = without_inlined(s);
	if (!base || s->frame[base - 1].kind != SLICE_FUNCTION)
		return 0;
	end_others(o, s, base, in, time);
	return in && in->depth > s->n - base ? begin_all(o, s, in, s->n - base, time) : 0;
}

/* The innermost frame that is not inlined; NULL: none. */
static struct timeline_frame *outer_top(struct timeline_stack *s)
{
	const size_t n = without_inlined(s);

	return n ? &s->frame[n - 1] : NULL;
}

/* ---------------------------------------------------------------- which function runs */

static uint32_t area(const struct timeline_out *o, uint32_t name)
{
	return o->names->name[name].area;
}

/* The innermost call of the function @name below the first @n; 0: none; else its index plus 1. */
static size_t find_function(const struct timeline_out *o, const struct timeline_stack *s,
			    size_t n, uint32_t name)
{
	for (; n; n--) {
		const struct timeline_frame *f = &s->frame[n - 1];

		if (f->kind == SLICE_FUNCTION && area(o, f->name) == area(o, name))
			return n;
	}
	return 0;
}

/* The slice that returns to @addr; 0: none; else its index plus 1.  Stops at exceptions. */
static size_t find_return(const struct timeline_stack *s, uint64_t addr)
{
	for (size_t i = s->n; i--;) {
		const struct timeline_frame *f = &s->frame[i];

		if (f->ret == addr && (f->kind == SLICE_FUNCTION || f->kind == SLICE_SIGNAL))
			return i + 1;
		if (f->kind != SLICE_FUNCTION && f->kind != SLICE_SIGNAL &&
		    f->kind != SLICE_INLINED)
			return 0;
	}
	return 0;
}

/* Another function replaces the innermost one: a tail call, or an unusual jump. */
static int replace(struct timeline_out *o, struct timeline_stack *s,
		   const struct timeline_step *step)
{
	struct timeline_frame f = { .kind = SLICE_FUNCTION };

	timeline_leave_inlined(o, s, step->time);
	if (s->n && s->frame[s->n - 1].kind == SLICE_FUNCTION) {
		f = s->frame[s->n - 1];
		timeline_pop(o, s, s->n - 1, step->time);
	}
	f.before = f.name;
	f.name = step->to.name;
	f.begin = step->time;
	return timeline_push(o, s, &f);
}

/* Code runs, so there is a function. */
static int some_function(struct timeline_out *o, struct timeline_stack *s,
			 const struct timeline_step *step, uint32_t name)
{
	const struct timeline_frame *top = outer_top(s);
	const struct timeline_frame f = {
		.begin = step->time, .name = name, .kind = SLICE_FUNCTION,
	};

	if (top && top->kind == SLICE_FUNCTION)
		return 0;
	return timeline_push(o, s, &f);
}

/*
 * Jumps into the middle of a function further out: longjmp(), or an exception of C++.  Not so for
 * the cold part of a function that comes back to it.
 */
static int jump(struct timeline_out *o, struct timeline_stack *s, const struct timeline_step *step)
{
	const struct timeline_frame *top = outer_top(s);
	size_t out = 0;

	if (top && top->kind == SLICE_FUNCTION &&
	    area(o, top->name) == area(o, step->to.name))
		return 0;
	if (top && !step->to.entry &&
	    !(top->kind == SLICE_FUNCTION && top->before &&
	      area(o, top->before) == area(o, step->to.name)))
		out = find_function(o, s, s->n, step->to.name);
	if (!out)
		return replace(o, s, step);
	timeline_pop(o, s, out, step->time);
	return 0;
}

/*
 * A return that no call fits: from the outermost, to its caller from before the trace; from a
 * signal's handler, to code that asks the kernel to resume the interrupted code; or a jump.
 */
static int stray_return(struct timeline_out *o, struct timeline_stack *s,
			const struct timeline_step *step)
{
	struct timeline_frame *top, *around;

	timeline_leave_inlined(o, s, step->time);
	top = timeline_top(s);
	around = s->n > 1 ? top - 1 : NULL;
	if (top && top->kind == SLICE_FUNCTION && top->ret)
		return jump(o, s, step);
	if (around && around->kind == SLICE_SIGNAL)
		around->left = true;
	return replace(o, s, step);
}

static int step_return(struct timeline_out *o, struct timeline_stack *s,
		       const struct timeline_step *step)
{
	size_t at = find_return(s, step->addr);

	if (!at)
		return stray_return(o, s, step);
	timeline_pop(o, s, at - 1, step->time);
	return some_function(o, s, step, step->to.name);
}

/* ---------------------------------------------------------------- exceptions */

static bool is_exception(const struct timeline_frame *f)
{
	return f->kind == SLICE_SYSCALL || f->kind == SLICE_INTERRUPT ||
	       f->kind == SLICE_EXCEPTION;
}

/* The kernel calls a handler of a signal, which returns by another system call. */
static int call_handler(struct timeline_out *o, struct timeline_stack *s,
			const struct timeline_step *step, uint64_t ret)
{
	struct timeline_step inner = *step;
	size_t n = s->n;

	/* the code asked to return from the previous handler, and now comes the next one */
	if (n > 1 && s->frame[n - 1].kind == SLICE_FUNCTION &&
	    s->frame[n - 2].kind == SLICE_SIGNAL && s->frame[n - 2].left) {
		ret = s->frame[n - 2].ret;
		timeline_pop(o, s, n - 2, step->time);
	}
	inner.ret = ret;
	inner.move = MOVE_JUMP;
	if (push(o, s, &inner, SLICE_SIGNAL, o->word[SLICE_SIGNAL]))
		return -1;
	return push(o, s, &inner, SLICE_FUNCTION, step->to.name);
}

/*
 * Back to a thread: to where it was, to a handler, or to the return target of a handler.  If none
 * of these fits, the fate of the calls is unknown.
 */
static int come_back(struct timeline_out *o, struct timeline_stack *s,
		     const struct timeline_step *step, uint64_t ret, bool exception)
{
	const struct timeline_frame *top = outer_top(s);
	const bool runs = top && top->kind == SLICE_FUNCTION;
	size_t at;

	if (ret && step->addr == ret)
		return some_function(o, s, step, step->to.name);
	at = find_return(s, step->addr);
	if (at) {
		timeline_pop(o, s, at - 1, step->time);
		return some_function(o, s, step, step->to.name);
	}
	if (exception && runs && ret && step->to.entry)
		return call_handler(o, s, step, ret);
	at = find_function(o, s, s->n, step->to.name);
	timeline_pop(o, s, at, step->time);
	return some_function(o, s, step, step->to.name);
}

static int resume(struct timeline_out *o, struct timeline_stack *s,
		  const struct timeline_step *step)
{
	const struct timeline_frame *top = timeline_top(s);
	uint64_t ret = 0;
	bool exception = false;

	if (top && top->kind != SLICE_FUNCTION && top->kind != SLICE_SIGNAL &&
	    top->kind != SLICE_INLINED) {
		ret = top->ret;
		exception = is_exception(top);
		timeline_pop(o, s, s->n - 1, step->time);
	}
	return come_back(o, s, step, ret, exception);
}

int timeline_resume(struct timeline_out *o, struct timeline_stack *s,
		    const struct timeline_step *step)
{
	const int err = resume(o, s, step);

	return err ? err : go_to(o, s, step->in_to, step->time);
}

static int step_exception(struct timeline_out *o, struct timeline_stack *s,
			  const struct timeline_step *step)
{
	if (push(o, s, step, step->kind, o->word[step->kind]))
		return -1;
	return some_function(o, s, step, step->to.name);
}

/* From the exception that fits, or from the innermost one. */
static int step_eret(struct timeline_out *o, struct timeline_stack *s,
		     const struct timeline_step *step)
{
	size_t inner = 0;
	uint64_t ret;

	for (size_t i = s->n; i; i--) {
		const struct timeline_frame *f = &s->frame[i - 1];

		if (!is_exception(f))
			continue;
		if (!inner)
			inner = i;
		if (f->ret == step->addr) {
			timeline_pop(o, s, i - 1, step->time);
			return some_function(o, s, step, step->to.name);
		}
	}
	if (!inner) {
		/* the exception was taken before the trace began */
		timeline_pop(o, s, 0, step->time);
		return some_function(o, s, step, step->to.name);
	}
	ret = s->frame[inner - 1].ret;
	timeline_pop(o, s, inner - 1, step->time);
	return come_back(o, s, step, ret, true);
}

static int move(struct timeline_out *o, struct timeline_stack *s, const struct timeline_step *step)
{
	switch ((enum timeline_move)step->move) {
	case MOVE_JUMP:
		return jump(o, s, step);
	case MOVE_CALL:
		return push(o, s, step, SLICE_FUNCTION, step->to.name);
	case MOVE_RETURN:
		return step_return(o, s, step);
	case MOVE_EXCEPTION:
		return step_exception(o, s, step);
	case MOVE_ERET:
		return step_eret(o, s, step);
	}
	return 0;
}

int timeline_step(struct timeline_out *o, struct timeline_stack *s,
		  const struct timeline_step *step)
{
	if (step->from && (some_function(o, s, step, step->from) ||
			   go_to(o, s, step->in_from, step->time)))
		return -1;
	return move(o, s, step) ? -1 : go_to(o, s, step->in_to, step->time);
}

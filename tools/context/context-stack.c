// SPDX-License-Identifier: GPL-2.0-only
/* The calls of a thread, and how each kind of step changes them: see context.h. */
#include <errno.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "../../perf-plugin/call-stack.h"
#include "context-parts.h"

static const struct context_place nowhere = { .dso = CONTEXT_NOWHERE };

static bool returns_to(const struct context_frame *f, const struct context_place *to)
{
	return f->ret_dso == to->dso && f->ret == to->offset && to->dso != CONTEXT_NOWHERE;
}

/* Code without a symbol may belong to any function. */
static bool is_in(const struct context_frame *f, const struct context_place *at)
{
	return !at->function || at->function == f->function;
}

/*
 * Was frame @i called by the instruction before @to?  A call that does not return may be the last
 * instruction of a function: another function follows it, and no call returns there.
 */
static bool called_from(const struct context_thread *t, size_t i, const struct context_place *to)
{
	return returns_to(&t->frame[i], to) && (!i || is_in(&t->frame[i - 1], to));
}

static bool begins(const struct context_code *code, const struct context_place *at)
{
	return at->function && code->contexts->function[at->function].start == at->offset;
}

/* The function at a place; without a symbol it has no name, but is distinct. */
static uint32_t function_at(struct context_code *code, const struct context_place *at)
{
	if (at->function)
		return at->function;
	return context_function(code->contexts, at->dso, at->offset, NULL);
}

void context_break(struct context_thread *t)
{
	t->open = 0;
	t->broken = true;
	t->resume = nowhere;
	t->addr = 0;
}

void context_forget(struct context_thread *t)
{
	t->n = 0;
	t->n_sure = 0;
	context_break(t);
}

/* The execution of frames from @n on is unknown. */
static void doubt(struct context_thread *t, size_t n)
{
	if (t->n_sure > n)
		t->n_sure = n;
}

/* ---------------------------------------------------------------- frames */

/* The node of @function with the same caller as the innermost frame's. */
static uint32_t node_beside(struct context_code *code, uint32_t node, uint32_t function)
{
	const struct context_node *n = &code->contexts->node[node];
	const struct context_node key = { .parent = n->parent, .function = function,
					  .kind = n->kind, .dso = n->dso, .site = n->site,
					  .inlined = n->inlined };

	return context_node(code->contexts, &key);
}

/*
 * @site: the call, an instruction of the innermost function; @ret: where execution goes on after
 * it.  The places of recursive calls are ignored: otherwise each path of calls would have nodes of
 * its own.
 */
static int push(struct context_code *code, struct context_thread *t, enum context_kind kind,
		const struct context_place *site, const struct context_place *ret,
		uint32_t function)
{
	struct context_frame *f;
	struct context_node key = {
		.parent = t->n ? t->frame[t->n - 1].node : t->node, .function = function,
		.kind = kind, .dso = site->dso, .site = site->offset,
	};

	if (t->n == CALL_STACK_MAX) {
		t->n /= 2;
		t->n_gone += t->n;
		memmove(t->frame, t->frame + t->n, t->n * sizeof(*t->frame));
	}
	if (!function || !array_room(&t->frame, t->n, &t->size, sizeof(*t->frame)))
		return -ENOMEM;
	if (t->n && kind == CONTEXT_CALL && t->frame[t->n - 1].function == function)
		key.site = 0;
	f = &t->frame[t->n];
	*f = (struct context_frame){ .function = function, .ret_dso = ret->dso, .ret = ret->offset,
				     .is_async = kind == CONTEXT_ASYNC };
	f->node = context_node(code->contexts, &key);
	if (!f->node)
		return -ENOMEM;
	t->n++;
	return 0;
}

/* Counts a call of the innermost function; the caller of setjmp() is noted for longjmp(). */
static void called(struct context_code *code, struct context_thread *t)
{
	const struct contexts *c = code->contexts;
	const struct context_frame *f = &t->frame[t->n - 1];

	c->node[f->node].calls += !code->unseen;
	if (c->function[f->function].role == ROLE_SETJMP && t->n > 1)
		t->frame[t->n - 2].landing = f->ret;
}

static int begin(struct context_code *code, struct context_thread *t,
		 const struct context_place *to)
{
	int err;

	t->n = 0;
	t->n_sure = 0;
	err = push(code, t, CONTEXT_BEGIN, &(struct context_place){ 0 }, &nowhere,
		   function_at(code, to));
	if (!err && begins(code, to))
		called(code, t);
	return err;
}

/* A jump replaces the innermost function. */
static int replace(struct context_code *code, struct context_thread *t,
		   const struct context_place *to)
{
	struct context_frame *f = &t->frame[t->n - 1];
	const uint32_t function = function_at(code, to);
	uint32_t node = function ? node_beside(code, f->node, function) : 0;

	if (!node)
		return -ENOMEM;
	f->function = function;
	f->node = node;
	if (begins(code, to))
		called(code, t);
	return 0;
}

/* ---------------------------------------------------------------- targets of returns */

/* Pops down to the frame whose callee returns to @to. */
static bool pop(struct context_thread *t, const struct context_place *to)
{
	for (size_t i = t->n; i--;)
		if (called_from(t, i, to)) {
			t->n = i;
			return true;
		}
	return false;
}

/* Pops down to the target frame of longjmp(), or of a C++ exception. */
static bool land(struct context_code *code, struct context_thread *t,
		 const struct context_place *to)
{
	const struct context_function *function = code->contexts->function;

	for (size_t i = t->n; i--;)
		if (t->frame[i].landing == to->offset && t->frame[i].landing &&
		    function[t->frame[i].function].dso == to->dso && is_in(&t->frame[i], to)) {
			t->n = i + 1;
			return true;
		}
	for (size_t i = t->n; to->function && i--;) {
		/* it never returns to its caller */
		if (function[t->frame[i].function].role == ROLE_UNWIND) {
			i -= !!i;
			continue;
		}
		if (t->frame[i].function == to->function) {
			t->n = i + 1;
			return true;
		}
	}
	return false;
}

/*
 * A return that fits no call: a return that calls a function; from a signal's handler to the code
 * that ends it; to a caller from before the trace.
 */
static int leave(struct context_code *code, struct context_thread *t,
		 const struct context_place *to)
{
	if (pop(t, to) && t->n)
		return 0;
	if (!t->n)
		return begin(code, t, to);
	if (land(code, t, to))
		return 0;
	if (begins(code, to))
		return replace(code, t, to);
	for (size_t i = t->n; i--;)
		if (t->frame[i].is_async) {
			t->n = i + 1;
			return replace(code, t, to);
		}
	return begin(code, t, to);
}

static int jump(struct context_code *code, struct context_thread *t, const struct context_place *to,
		bool far)
{
	/* a table of jumps to functions has no symbol */
	if (!to->function || to->function == t->frame[t->n - 1].function)
		return 0;
	if (far && !begins(code, to) && land(code, t, to))
		return 0;
	return replace(code, t, to);
}

static int call(struct context_code *code, struct context_thread *t,
		struct context_block *from, const struct context_place *to)
{
	struct context_place site = from->at, ret = from->at;
	const struct context_node *child;
	uint32_t function;
	int err;

	site.offset += from->last;
	ret.offset += from->size;
	/* a call of the next instruction only reads the program counter */
	if (ret.offset == to->offset && ret.dso == to->dso)
		return 0;
	function = function_at(code, to);
	child = &code->contexts->node[from->child];
	if (from->child && child->parent == t->frame[t->n - 1].node && t->n < t->size &&
	    t->n < CALL_STACK_MAX && child->function == function) {
		t->frame[t->n++] = (struct context_frame){ .node = from->child,
			.function = function, .ret_dso = ret.dso, .ret = ret.offset };
	} else {
		err = push(code, t, CONTEXT_CALL, &site, &ret, function);
		if (err)
			return err;
		from->child = t->frame[t->n - 1].node;
		/* recursive calls have no place */
		if (code->contexts->node[from->child].site)
			code->contexts->node[from->child].inlined = from->inlined;
	}
	called(code, t);
	return 0;
}

/* ---------------------------------------------------------------- ways to go on */

int context_move(struct context_code *code, struct context_thread *t,
		 const struct context_place *to)
{
	struct context_block *from = &code->block[t->open >> 1];
	const enum context_step step = code->info[t->open] >> STEP_SHIFT;

	t->open = 0;
	switch (step) {
	case STEP_ON:
		break;
	case STEP_CALL:
		return call(code, t, from, to);
	case STEP_RETURN:
		if (t->n > 1 && called_from(t, t->n - 1, to)) {
			t->n--;
			return 0;
		}
		return leave(code, t, to);
	case STEP_GOTO:
	case STEP_JUMP:
		return jump(code, t, to, step == STEP_JUMP);
	}
	return 0;
}

int context_move_missing(struct context_code *code, struct context_thread *t,
			 const struct context_place *to)
{
	const enum context_step step = code->info[t->open] >> STEP_SHIFT;
	int err = 0;

	if (step == STEP_RETURN) {
		/* to the code that called the returning function, or to its caller */
		t->open = 0;
		if (!pop(t, to) && t->n > 1)
			t->n--;
		return 0;
	}
	if (step == STEP_CALL)
		err = context_move(code, t, to);
	else if (to->dso != CONTEXT_NOWHERE)
		err = replace(code, t, to);
	t->open = 0;
	/* it may be setjmp() */
	if (!err && t->n > 1)
		t->frame[t->n - 2].landing = t->frame[t->n - 1].ret;
	return err;
}

/* Missing code may be known now. */
static int go_on(struct context_code *code, struct context_thread *t,
		 const struct context_place *to)
{
	const uint32_t function = t->frame[t->n - 1].function;

	if (code->contexts->function[function].dso != CONTEXT_NOWHERE)
		return 0;
	return replace(code, t, to);
}

int context_resume(struct context_code *code, struct context_thread *t,
		   const struct context_place *to, bool expected, bool deeper)
{
	const struct context_place was = t->resume;
	int err;

	t->broken = false;
	/* exec */
	if (!t->n || to->is_entry)
		return begin(code, t, to);
	if (expected)
		return go_on(code, t, to);
	if (pop(t, to)) {
		doubt(t, t->n);
		return t->n ? 0 : begin(code, t, to);
	}
	if (deeper || begins(code, to)) {
		err = push(code, t, CONTEXT_ASYNC, &was, &was, function_at(code, to));
		if (!err)
			called(code, t);
		return err;
	}
	if (land(code, t, to)) {
		doubt(t, t->n - 1);
		return 0;
	}
	return begin(code, t, to);
}

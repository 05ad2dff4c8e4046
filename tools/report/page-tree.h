/* SPDX-License-Identifier: GPL-2.0-only */
/* The calls of a page: a tree of frames, of one report or of two. */
#ifndef CSF_PAGE_TREE_H
#define CSF_PAGE_TREE_H

#include "page-frames.h"

/**
 * struct page_node - a function under its caller
 * @child: its first callee, the one with most instructions; @next: the next under @parent; 0: none
 * @self, @total, @calls: of each side
 * @place: in the page; of a node that is left out, that of the rest of its caller
 * @kept: it is in the page; @rest: where callees that are not kept are
 */
struct page_node {
	uint32_t parent, frame, child, next;
	uint64_t self[2], total[2], calls[2];
	uint32_t place, rest;
	bool kept;
};

/**
 * struct page_tree - zero it
 * @frames: borrowed
 * @node: @n of them, callers before callees; number 0 is the root
 * @n_place: nodes in the page
 * @of: for the last contexts that were added, the node of each of theirs
 */
struct page_tree {
	struct page_frames *frames;
	struct page_node *node;
	size_t n, size, n_place;
	struct hash_table by_key;
	uint32_t *of;
	uint32_t *frame_of;	/* private */
};

/* Adds calls, of all threads, to a side.  Return: 0 or -ENOMEM. */
int page_tree_add(struct page_tree *t, const struct contexts *c, int side);

/**
 * page_tree_print() - print the nodes of a tree
 * @t: all was added
 * @f: the page
 * @sides: 1 or 2
 *
 * Prints an object of lists: each node's depth, frame, own instructions, and calls; callers first.
 * Frame 0 is the rest of a function's callees: those that are too small for the page.
 *
 * Return: 0 or -ENOMEM.
 */
int page_tree_print(struct page_tree *t, FILE *f, int sides);
void page_tree_fini(struct page_tree *t);

/*
 * Prints threads, CPUs, and the instructions of nodes by them and time, of contexts that were added
 * alone.  What is too small for the page is in the rest of a caller.  Numbers of rests follow those
 * of all nodes, in the same order.  Return: 0 or -ENOMEM.
 */
int page_shares_print(const struct page_tree *t, const struct contexts *c, FILE *f);

/* Numbers that a browser would round are written as texts. */
void page_number(FILE *f, uint64_t n);
void page_numbers(FILE *f, const uint64_t *v, size_t n);

#endif /* CSF_PAGE_TREE_H */

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVER_PAGE_H
#define OVER_PAGE_H

/* An instruction of four bytes that begins two bytes before a page ends; an IT block likewise. */
int over_page(int x);
int it_over_page(int x);

#endif /* OVER_PAGE_H */

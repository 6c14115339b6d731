/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An intrusive doubly linked list. */
#ifndef OMPDD_BASE_LIST_H
#define OMPDD_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list {
	struct list *next;
	struct list *prev;
};

static inline void list_init(struct list *l)
{
	l->next = l->prev = l;
}

static inline bool list_is_empty(const struct list *l)
{
	return l->next == l;
}

static inline void list_append(struct list *head, struct list *item)
{
	item->prev = head->prev;
	item->next = head;
	head->prev->next = item;
	head->prev = item;
}

/* Unlink @item; harmless on an item that was only initialized with list_init(). */
static inline void list_remove(struct list *item)
{
	item->prev->next = item->next;
	item->next->prev = item->prev;
	list_init(item);
}

#define list_entry(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

/* The loop body may remove the current item. */
#define list_for_each(it, tmp, head)                                                                                   \
	for (struct list *it = (head)->next, *tmp = it->next; it != (head); it = tmp, tmp = it->next)

#endif

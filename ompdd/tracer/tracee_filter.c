/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Decides which hits of an address are reported: filters, and the number of hits that passed them. Part of
 * ompdd-tracer.
 */
#include "tracer/tracee.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>

/* Data that filters examine, read on first use. */
struct view {
	struct tracee *p;
	struct tracee_thread *t;
	struct arch_registers regs;
	uint64_t values[ARCH_N_REGISTERS], return_address;
	bool has_regs, has_return;
	bool is_jump; /* a jump from another address of the group */
};

static struct tracee_group *find_group(struct tracee *p, uint32_t number)
{
	for (size_t i = 0; i < p->n_groups; i++) {
		if (p->groups[i].number == number)
			return &p->groups[i];
	}
	return NULL;
}

static bool need_registers(struct view *v)
{
	if (!v->has_regs && arch_host.read_registers(v->t->tid, &v->regs)) {
		v->has_regs = true;
		arch->by_dwarf(&v->regs, v->values);
	}
	return v->has_regs;
}

/* Find the return address of the call that led the thread to the function. */
static bool need_return(struct view *v)
{
	if (v->has_return || !need_registers(v))
		return v->has_return;
	errno = 0;
	/* The call has just written the return address, so its page is in memory. */
	v->return_address = arch->return_slot
				    ? (uint64_t)ptrace(PTRACE_PEEKDATA, v->t->tid, (void *)arch_sp(&v->regs), NULL)
				    : v->values[arch->return_register];
	v->has_return = !errno;
	return v->has_return;
}

static bool has_filter_of(const struct tracee_planted *at, uint32_t group)
{
	for (size_t i = 0; at && i < at->n_filters; i++) {
		if (at->filters[i].group == group)
			return true;
	}
	return false;
}

static bool is_called_so(struct view *v, const struct target_filter *f, uint64_t address)
{
	const struct tracee_call *last = &v->t->last_call;

	if (!f->calls)
		return true;
	if (!need_return(v))
		return false;
	if (f->end && (v->return_address >= f->start && v->return_address < f->end) == (f->outside != 0))
		return false;
	bool is_jump = f->only_first && last->address != address && last->return_address == v->return_address &&
		       last->sp == arch_sp(&v->regs) && has_filter_of(tracee_planted_at(v->p, last->address), f->group);
	v->is_jump |= is_jump;
	return !is_jump;
}

static bool has_values(struct view *v, const struct target_filter *f)
{
	uint32_t word;

	if ((f->has_argument || f->word_mask) && !need_registers(v))
		return false;
	if (f->has_argument && (f->argument >= ARCH_N_ARGUMENTS || v->values[arch->arguments[f->argument]] != f->value))
		return false;
	return !f->word_mask ||
	       (tracee_read(v->p, v->values[arch->arguments[0]] + f->word_offset, &word, sizeof(word)) &&
		(word & f->word_mask) == f->word_value);
}

static bool is_counted_out(struct tracee *p, const struct target_filter *f)
{
	struct tracee_group *group = find_group(p, f->group);
	uint64_t n = group ? ++group->n_passed : 1;

	return n <= f->after || (f->every && (n - f->after) % f->every);
}

enum tracee_verdict tracee_filter(struct tracee *p, struct tracee_thread *t, const struct tracee_planted *at)
{
	struct view v = {.p = p, .t = t};
	enum tracee_verdict verdict = at->is_plain ? TRACEE_REPORT : TRACEE_PASS;

	t->n_counted = 0;
	for (size_t i = 0; i < at->n_filters; i++) {
		const struct target_filter *f = &at->filters[i];

		if ((f->tid && f->tid != t->tid) || !is_called_so(&v, f, at->address) || !has_values(&v, f) ||
		    (!f->asks && is_counted_out(p, f)))
			continue;
		t->counted[t->n_counted++] = f->group;
		if (!f->asks)
			verdict = TRACEE_REPORT;
		else if (verdict == TRACEE_PASS)
			verdict = TRACEE_ASK;
	}
	if (v.has_return && !v.is_jump)
		t->last_call = (struct tracee_call){at->address, v.return_address, arch_sp(&v.regs)};
	return verdict;
}

int tracee_plant_if(struct tracee *p, const struct target_filter *filter, uint64_t address, uint64_t *old_ret)
{
	struct tracee_planted *at = tracee_planted_at(p, address);
	struct tracee_group *group = find_group(p, filter->group);

	if (!filter->group || (at && at->wanted && at->n_filters == FILTERS_MAX) ||
	    (!group && p->n_groups == TRACER_MAX_PLANTED))
		return ENOSPC;
	bool was_plain = at && at->wanted && at->is_plain;
	int err = tracee_plant(p, address, 0, old_ret);
	if (err)
		return err;
	at = tracee_planted_at(p, address);
	at->is_plain = was_plain;
	at->filters[at->n_filters++] = *filter;
	if (!group) {
		group = &p->groups[p->n_groups++];
		*group = (struct tracee_group){.number = filter->group};
	}
	group->n_places++;
	return 0;
}

int tracee_lift_if(struct tracee *p, uint32_t number, uint64_t address)
{
	struct tracee_planted *at = tracee_planted_at(p, address);
	struct tracee_group *group = find_group(p, number);
	size_t i = 0;

	while (at && i < at->n_filters && at->filters[i].group != number)
		i++;
	if (!at || i == at->n_filters)
		return ENOENT;
	at->filters[i] = at->filters[--at->n_filters];
	if (group && !--group->n_places)
		*group = p->groups[--p->n_groups];
	return at->is_plain || at->n_filters ? 0 : tracee_lift(p, address);
}

uint64_t tracee_passed(struct tracee *p, uint32_t number)
{
	const struct tracee_group *group = find_group(p, number);

	return group ? group->n_passed : 0;
}

/* SPDX-License-Identifier: GPL-2.0 */
/* What the modules of this directory offer each other. */
#ifndef OOT_H
#define OOT_H

struct oot_counter {
	int value;
	long limit;
};

/* oot_a: to everybody, to GPL modules, to importers of the namespace OOT_NS */
int oot_a_add(struct oot_counter *counter, int amount);
long oot_a_gpl(const struct oot_counter *counter);
int oot_a_ns(void);

/* oot_p: a module that declares itself proprietary */
int oot_p_fn(int number);

#endif

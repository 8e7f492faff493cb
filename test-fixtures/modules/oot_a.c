// SPDX-License-Identifier: GPL-2.0
/* Exports one symbol of each kind: plain, GPL-only, in a namespace. */
#include <linux/kernel.h>
#include <linux/module.h>
#include "oot.h"

int oot_a_add(struct oot_counter *counter, int amount)
{
	if (counter->value + amount <= counter->limit)
		counter->value += amount;
	return counter->value;
}
EXPORT_SYMBOL(oot_a_add);

long oot_a_gpl(const struct oot_counter *counter)
{
	return counter->limit - counter->value;
}
EXPORT_SYMBOL_GPL(oot_a_gpl);

int oot_a_ns(void)
{
	return 42;
}
EXPORT_SYMBOL_NS_GPL(oot_a_ns, OOT_NS);

MODULE_DESCRIPTION("Exporter of plain, GPL-only and namespaced symbols");
MODULE_LICENSE("GPL");

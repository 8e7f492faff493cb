// SPDX-License-Identifier: GPL-2.0
/* Has a weak import that nobody exports. */
#include <linux/kernel.h>
#include <linux/module.h>

extern int __weak oot_nowhere(void);

static int __init oot_w_init(void)
{
	if (oot_nowhere)
		pr_info("somebody exports it: %d\n", oot_nowhere());
	return 0;
}
module_init(oot_w_init);

static void __exit oot_w_exit(void)
{
}
module_exit(oot_w_exit);

MODULE_DESCRIPTION("Importer of nothing it needs");
MODULE_LICENSE("GPL");

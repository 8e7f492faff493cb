// SPDX-License-Identifier: GPL-2.0
/*
 * Imports GPL-only symbols of the kernel and one of the proprietary oot_p. What
 * the loader says depends on which comes first in the symbol table; here it
 * must be a GPL-only one.
 */
#include <linux/module.h>
#include <linux/workqueue.h>
#include "oot.h"

static struct workqueue_struct *queue;

static int __init oot_g_init(void)
{
	queue = alloc_workqueue("oot_g", 0, 0);
	if (!queue)
		return -ENOMEM;
	pr_info("%d\n", oot_p_fn(1));
	return 0;
}
module_init(oot_g_init);

static void __exit oot_g_exit(void)
{
	destroy_workqueue(queue);
}
module_exit(oot_g_exit);

MODULE_DESCRIPTION("Importer of GPL-only and proprietary symbols");
MODULE_LICENSE("GPL");

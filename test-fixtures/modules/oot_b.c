// SPDX-License-Identifier: GPL-2.0
/*
 * Imports everything oot_a exports, and from the kernel a plain, a GPL-only
 * and a namespaced symbol.
 */
#include <linux/dma-buf.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/workqueue.h>
#include "oot.h"

static struct workqueue_struct *queue;

static int __init oot_b_init(void)
{
	struct oot_counter counter = { .value = oot_a_ns(), .limit = 100 };
	struct dma_buf *none = dma_buf_get(-1);

	if (!IS_ERR(none))
		dma_buf_put(none);
	queue = alloc_workqueue("oot_b", 0, 0);
	if (!queue)
		return -ENOMEM;
	oot_a_add(&counter, 8);
	pr_info("%ld left\n", oot_a_gpl(&counter));
	return 0;
}
module_init(oot_b_init);

static void __exit oot_b_exit(void)
{
	destroy_workqueue(queue);
}
module_exit(oot_b_exit);

MODULE_DESCRIPTION("Importer of every kind of symbol");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(DMA_BUF);
MODULE_IMPORT_NS(OOT_NS);

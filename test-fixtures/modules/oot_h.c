// SPDX-License-Identifier: GPL-2.0
/* Imports a symbol of the proprietary oot_p and no GPL-only one. */
#include <linux/kernel.h>
#include <linux/module.h>
#include "oot.h"

static int __init oot_h_init(void)
{
	pr_info("%d\n", oot_p_fn(21));
	return 0;
}
module_init(oot_h_init);

static void __exit oot_h_exit(void)
{
}
module_exit(oot_h_exit);

MODULE_DESCRIPTION("Importer of a proprietary symbol");
MODULE_LICENSE("GPL");

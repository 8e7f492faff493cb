// SPDX-License-Identifier: GPL-2.0
/* The middle of the stack: keeps ports, shows them in debugfs, counts with wl_compat. */
#include <linux/debugfs.h>
#include <linux/module.h>
#include "wl_stack.h"

static struct dentry *directory;

int wl_core_register(struct wl_port *port)
{
	port->frames = wl_compat_add(0, 0);
	port->entry = debugfs_create_dir(port->name, directory);
	debugfs_create_u64("frames", 0444, port->entry, &port->frames);
	return 0;
}
EXPORT_SYMBOL_GPL(wl_core_register);

void wl_core_unregister(struct wl_port *port)
{
	debugfs_remove(port->entry);
}
EXPORT_SYMBOL_GPL(wl_core_unregister);

static int __init wl_core_init(void)
{
	directory = debugfs_create_dir("wl_core", NULL);
	return 0;
}

static void __exit wl_core_exit(void)
{
	debugfs_remove(directory);
}

module_init(wl_core_init);
module_exit(wl_core_exit);
MODULE_DESCRIPTION("Ports of the stand-in's stack");
MODULE_LICENSE("GPL");
MODULE_VERSION("24.10-1.1.4");

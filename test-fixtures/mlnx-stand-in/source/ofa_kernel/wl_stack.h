/* SPDX-License-Identifier: GPL-2.0 */
/* What the modules of the stand-in's stack offer each other. */
#ifndef WL_STACK_H
#define WL_STACK_H

#include <linux/types.h>

struct dentry;

struct wl_port {
	const char *name;
	u64 frames;
	struct dentry *entry;
};

/* wl_compat */
u64 wl_compat_add(u64 sum, u64 amount);
bool wl_compat_defer(void (*task)(void));
void wl_compat_flush(void);

/* wl_core; GPL-only */
int wl_core_register(struct wl_port *port);
void wl_core_unregister(struct wl_port *port);

#endif

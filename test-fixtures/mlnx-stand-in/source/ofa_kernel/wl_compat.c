// SPDX-License-Identifier: GPL-2.0
/* The lowest module of the stack: needs nothing but the kernel's basic services. */
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/workqueue.h>
#include "wl_stack.h"

static struct workqueue_struct *queue;
static void (*deferred)(void);

static void run_deferred(struct work_struct *work)
{
	deferred();
}

static DECLARE_WORK(deferred_work, run_deferred);

/* Adds without wrapping around. */
u64 wl_compat_add(u64 sum, u64 amount)
{
	return amount > U64_MAX - sum ? U64_MAX : sum + amount;
}
EXPORT_SYMBOL(wl_compat_add);

/* Runs the task once, later; false if one is waiting already. */
bool wl_compat_defer(void (*task)(void))
{
	if (work_pending(&deferred_work))
		return false;
	deferred = task;
	return queue_work(queue, &deferred_work);
}
EXPORT_SYMBOL(wl_compat_defer);

/* Waits for the task. */
void wl_compat_flush(void)
{
	flush_work(&deferred_work);
}
EXPORT_SYMBOL(wl_compat_flush);

static int __init wl_compat_init(void)
{
	queue = alloc_workqueue("wl_compat", 0, 1);
#ifdef WL_API_CHANGE
	/* A function no kernel has, as after a change of the kernel's own interface. */
	wl_api_of_another_kernel(queue);
#endif
	return queue ? 0 : -ENOMEM;
}

static void __exit wl_compat_exit(void)
{
	destroy_workqueue(queue);
}

module_init(wl_compat_init);
module_exit(wl_compat_exit);
MODULE_DESCRIPTION("Basic services of the stand-in's stack");
MODULE_LICENSE("GPL");
MODULE_VERSION("24.10-1.1.4");

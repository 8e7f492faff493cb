// SPDX-License-Identifier: GPL-2.0
/* The top of the stack: a network device that drops what it is to send and counts it. */
#include <linux/etherdevice.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include "wl_stack.h"

static struct net_device *device;
static struct wl_port port = { .name = "wl_en" };

static void announce(void)
{
	netdev_info(device, "ready\n");
}

static netdev_tx_t wl_en_xmit(struct sk_buff *skb, struct net_device *dev)
{
	port.frames = wl_compat_add(port.frames, 1);
	dev_kfree_skb(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops wl_en_ops = {
	.ndo_start_xmit = wl_en_xmit,
};

static int __init wl_en_init(void)
{
	int error;

	device = alloc_netdev(0, "wlen%d", NET_NAME_ENUM, ether_setup);
	if (!device)
		return -ENOMEM;
	device->netdev_ops = &wl_en_ops;
	eth_hw_addr_random(device);
	error = register_netdev(device);
	if (error) {
		free_netdev(device);
		return error;
	}
	wl_core_register(&port);
	wl_compat_defer(announce);
	return 0;
}

static void __exit wl_en_exit(void)
{
	wl_compat_flush();
	wl_core_unregister(&port);
	unregister_netdev(device);
	free_netdev(device);
}

module_init(wl_en_init);
module_exit(wl_en_exit);
MODULE_DESCRIPTION("Ethernet device of the stand-in's stack");
MODULE_LICENSE("GPL");
MODULE_VERSION("24.10-1.1.4");

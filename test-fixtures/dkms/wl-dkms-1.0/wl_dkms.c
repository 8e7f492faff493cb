// SPDX-License-Identifier: GPL-2.0
/* Says how long packets on the loopback device may be. */
#include <linux/module.h>
#include <linux/netdevice.h>
#include <net/net_namespace.h>

static int __init wl_dkms_init(void)
{
	struct net_device *loopback = dev_get_by_name(&init_net, "lo");

	if (!loopback)
		return -ENODEV;
	netdev_info(loopback, "mtu %u\n", loopback->mtu);
	dev_put(loopback);
	return 0;
}

static void __exit wl_dkms_exit(void)
{
}

module_init(wl_dkms_init);
module_exit(wl_dkms_exit);
MODULE_DESCRIPTION("A module that DKMS builds in tests");
MODULE_LICENSE("GPL");
MODULE_VERSION("1.0");

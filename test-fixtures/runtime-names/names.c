/* Asks for symbols and modules by name, as the kernel's macros symbol_get and request_module do. */
extern void *__symbol_get(const char *name);
extern int __request_module(_Bool wait, const char *format, ...);
extern int printk(const char *format, ...);

int start(const char *variable)
{
	int found = __symbol_get("nvme_v1_register_nvfs_dma_ops") != 0;

	printk("no_name_of_ours");
	found += __symbol_get(variable) != 0;
	__request_module(1, "nvme-%s", variable);
	__request_module(0, "ib_core");
	__request_module(variable != 0, "%s%s%s", variable, variable, "i2c:");
	return found + (__symbol_get("ib_register_peer_memory_client") != 0);
}

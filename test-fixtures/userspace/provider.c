/* A provider: registers a driver with the structure of rdma-core's libibverbs/driver.h. */
struct match {
	void *data;
	union {
		const char *modalias;
		unsigned long long id;
	} u;
	unsigned short vendor, device;
	unsigned char kind;
};

struct operations {
	const char *name;
	unsigned int lowest, highest;
	const struct match *table;
	const void *rest[8];
};

static const struct match table[] = {
	{.vendor = 0x15b3, .device = 0x1017, .kind = 1},
	{.u.modalias = "rdma_device:N*wl*", .kind = 2},
	{.u.id = 1, .kind = 3},
	{0},
};

const struct operations wl_operations = {"wl", 3, 4, table, {0}};

extern int NAME(verbs_register_driver_)(const void *);
extern int ibv_query_device(void);
#ifdef NEWER
extern int ibv_cmd_create_cq_ex2(void);
#endif

__attribute__((constructor)) int start(void)
{
	int result = NAME(verbs_register_driver_)(&wl_operations) + ibv_query_device();
#ifdef NEWER
	result += ibv_cmd_create_cq_ex2();
#endif
	return result;
}

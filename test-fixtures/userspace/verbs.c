/* A libibverbs as far as the dynamic linker and weaklink look at it; its own work, no copy. */
const char directory[] = "/etc/libibverbs.d";
const char found[] = "/usr/lib64/libibverbs/lib%s-rdmav" PABI ".so";
const char anywhere[] = "lib%s-rdmav" PABI ".so";

int ibv_get_device_list(void) { return directory[0] + found[0] + anywhere[0]; }
int ibv_query_device(void) { return 0; }
int NAME(verbs_register_driver_)(const void *ops) { return ops != 0; }
#ifdef NEWER
int ibv_cmd_create_cq_ex2(void) { return 0; }
#endif

/* What the reader of debug information is tried on; built by ./build. */
enum state { DOWN, UP = 5 };

struct node {
	struct node *next;
	const char *name;
	unsigned int on : 1, level : 3;
	enum state state;
	union {
		int number;
		void *pointer;
	};
	short table[2][3];
	int (*open)(struct node *n, unsigned long flags);
	struct other *other;
};

typedef struct node node_t;

static inline int inlined(node_t *n)
{
	return n->level;
}

static __attribute__((noinline)) int own_open(struct node *n, unsigned long flags)
{
	return inlined(n) + (int)flags;
}

static struct node first = { .name = "first", .open = own_open };

struct node *find(const node_t *like, ...)
{
	return like->next ? like->next : &first;
}

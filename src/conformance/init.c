/*
 * The first process of a kernel that is asked which modules it loads. Linked statically; it needs
 * nothing but the kernel.
 *
 * /plan has a line for each module, its fields separated by tabs:
 *
 *     NUMBER FILE NAME DEPENDENCY...      offer FILE, whose module is called NAME; a dependency is
 *                                         NAME=FILE of the kernel itself and stays loaded, or
 *                                         !NAME=FILE and is loaded and unloaded with this module
 *     NUMBER modprobe NAME ALIAS          have modprobe load ALIAS; say what is loaded as NAME then
 *
 * Answers are lines on the console:
 *
 *     @B NUMBER                           it begins
 *     @D NUMBER NAME ERRNO                a dependency was not loaded
 *     @L NUMBER TEXT                      what the kernel logged meanwhile
 *     @R NUMBER ERRNO ACCEPTED            ERRNO 0: loaded; ACCEPTED 1: the loader was content, and
 *                                         an ERRNO comes from the module's own function
 *     @I NUMBER ID                        modprobe: of the module that is loaded, its build id or,
 *                                         without one, its srcversion
 *     @X NUMBER WHY                       only a fresh start helps
 *     @E                                  all done
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define TRACE "/sys/kernel/tracing/"
#define MOST_FIELDS 512
#define PATIENCE 60000 /* milliseconds for one module */

enum { HANGS = -1, DIES = -2 };

static int log_fd = -1;

static void say(const char *format, ...)
{
	static char line[16384];
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(line, sizeof line - 1, format, arguments);
	va_end(arguments);
	if (length > (int)sizeof line - 2)
		length = sizeof line - 2;
	line[length++] = '\n';
	for (int done = 0; done < length;) {
		ssize_t count = write(1, line + done, length - done);
		if (count <= 0)
			return;
		done += count;
	}
}

static void put(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_TRUNC);
	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		say("# %s: %s", file, strerror(errno));
	close(fd);
}

static void stop(void)
{
	tcdrain(1);
	reboot(RB_POWER_OFF);
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

static void start_over(const char *number, const char *why)
{
	say("@X %s %s", number, why);
	stop();
}

static int loaded(const char *name)
{
	char path[256];
	struct stat status;
	snprintf(path, sizeof path, "/sys/module/%s/initstate", name);
	return stat(path, &status) == 0;
}

/* Unloads a module and those that use it. */
static int unload(const char *name, int depth)
{
	char path[256], line[4096];
	FILE *modules;

	if (!loaded(name))
		return 1;
	if (depth > 20)
		return 0;
	snprintf(path, sizeof path, "%s ", name);
	modules = fopen("/proc/modules", "r");
	while (modules && fgets(line, sizeof line, modules)) {
		char *user, *rest;
		if (strncmp(line, path, strlen(path)))
			continue;
		for (int skip = 0; skip < 3; skip++)
			strtok_r(skip ? NULL : line, " ", &rest);
		user = strtok_r(NULL, " ", &rest);
		fclose(modules);
		modules = NULL;
		for (user = strtok_r(user, ",", &rest); user; user = strtok_r(NULL, ",", &rest))
			if (*user != '-' && *user != '[')
				unload(user, depth + 1);
		break;
	}
	if (modules)
		fclose(modules);
	for (int tries = 0; tries < 20; tries++) {
		if (syscall(SYS_delete_module, name, O_NONBLOCK) == 0 || errno == ENOENT)
			return 1;
		usleep(20000);
	}
	return !loaded(name);
}

static int in_child(int (*work)(char **), char **arguments)
{
	int ends[2], result = HANGS;

	if (pipe(ends))
		return errno;
	pid_t child = fork();
	if (child == 0) {
		close(ends[0]);
		result = work(arguments);
		_exit(write(ends[1], &result, sizeof result) != sizeof result);
	}
	close(ends[1]);
	struct pollfd answer = {.fd = ends[0], .events = POLLIN};
	if (poll(&answer, 1, PATIENCE) > 0) {
		if (read(ends[0], &result, sizeof result) != sizeof result)
			result = DIES;
		waitpid(child, NULL, 0);
	}
	close(ends[0]);
	return result;
}

static int insert(char **arguments)
{
	int fd = open(arguments[0], O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 1000 + errno;
	prctl(PR_SET_NAME, "modprobe"); /* lockdown logs it */
	return syscall(SYS_finit_module, fd, "", 0) ? errno : 0;
}

static int modprobe(char **arguments)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		execv("/sbin/modprobe", arguments);
		_exit(127);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* Passes on what the kernel has logged; a null number drops it. */
static void pass_log(const char *number)
{
	static char record[16384];

	for (;;) {
		ssize_t length = read(log_fd, record, sizeof record - 1);
		if (length < 0 && errno == EPIPE)
			continue;
		if (length <= 0)
			return;
		record[length] = 0;
		char *text = strchr(record, ';');
		if (!number || !text)
			continue;
		for (char *c = ++text; *c; c++) {
			if (*c == '\n')
				*c = 0;
			else if (*c == '\t')
				*c = ' ';
			if (!*c)
				break;
		}
		say("@L %s %s", number, text);
	}
}

/* Whether the loader has been content with a module since the trace was emptied. */
static int accepted(const char *name)
{
	char line[1024], wanted[256];
	int found = 0;
	FILE *trace = fopen(TRACE "trace", "r");

	snprintf(wanted, sizeof wanted, "module_load: %s ", name);
	while (trace && fgets(line, sizeof line, trace))
		found |= strstr(line, wanted) != NULL;
	if (trace)
		fclose(trace);
	return found;
}

static void load_first(const char *number, char *dependency)
{
	int fresh = *dependency == '!';
	char *name = dependency + fresh, *file = strchr(name, '=');

	if (!file)
		return;
	*file++ = 0;
	if (fresh && !unload(name, 0))
		start_over(number, "stuck");
	if (!loaded(name)) {
		int result = in_child(insert, (char *[]){file});
		if (result == HANGS)
			start_over(number, "dependency-hangs");
		if (result)
			say("@D %s %s %d", number, name, result);
	}
}

static void offer(char **field, int count)
{
	char *number = field[0], *name = field[2];

	if (!unload(name, 0))
		start_over(number, "stuck");
	for (int i = 3; i < count; i++)
		load_first(number, field[i]);
	put("/sys/kernel/debug/clear_warn_once", "1");
	put(TRACE "trace", "");
	pass_log(NULL);
	int result = in_child(insert, field + 1);
	pass_log(number);
	say("@R %s %d %d", number, result, accepted(name));
	if (result < 0)
		start_over(number, result == HANGS ? "answered-and-hangs" : "answered-and-dies");
	int gone = (result || loaded(name)) && unload(name, 0);
	for (int i = count - 1; i >= 3; i--)
		if (field[i][0] == '!')
			gone &= unload(field[i] + 1, 0);
	if (!gone)
		start_over(number, "answered-and-stuck");
	pass_log(NULL);
}

static void ask_modprobe(char **field)
{
	unsigned char note[256];
	char path[256], id[2 * sizeof note + 1] = "-";
	size_t length = 0;

	if (!unload(field[2], 0))
		start_over(field[0], "stuck");
	pass_log(NULL);
	int result = in_child(modprobe, (char *[]){"modprobe", field[3], NULL});
	pass_log(field[0]);
	snprintf(path, sizeof path, "/sys/module/%s/notes/.note.gnu.build-id", field[2]);
	FILE *file = fopen(path, "r");
	if (file) {
		length = fread(note, 1, sizeof note, file);
		fclose(file);
	}
	/* behind three numbers and the name "GNU" */
	for (size_t i = 16; i < length; i++)
		sprintf(id + 2 * (i - 16), "%02x", note[i]);
	snprintf(path, sizeof path, "/sys/module/%s/srcversion", field[2]);
	file = length ? NULL : fopen(path, "r");
	if (file) {
		length = fread(id, 1, sizeof id - 1, file);
		id[length] = 0;
		id[strcspn(id, "\n")] = 0;
		fclose(file);
	}
	say("@I %s %s", field[0], id);
	say("@R %s %d %d", field[0], result, loaded(field[2]));
}

int main(void)
{
	static char line[1 << 20];
	struct termios settings;

	mkdir("/proc", 0755);
	mkdir("/sys", 0755);
	mkdir("/dev", 0755);
	mount("proc", "/proc", "proc", 0, 0);
	mount("sysfs", "/sys", "sysfs", 0, 0);
	mount("devtmpfs", "/dev", "devtmpfs", 0, 0);
	mount("tracefs", TRACE, "tracefs", 0, 0);
	mount("debugfs", "/sys/kernel/debug", "debugfs", 0, 0);
	int console = open("/dev/console", O_RDWR | O_NOCTTY);
	dup2(console, 1);
	if (tcgetattr(1, &settings) == 0) {
		cfmakeraw(&settings);
		tcsetattr(1, TCSANOW, &settings);
	}
	put(TRACE "events/module/module_load/enable", "1");
	put("/proc/dynamic_debug/control", "file kernel/module/version.c +p");
	log_fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	FILE *plan = fopen("/plan", "r");
	while (plan && fgets(line, sizeof line, plan)) {
		char *field[MOST_FIELDS + 1], *rest;
		int count = 0;
		line[strcspn(line, "\n")] = 0;
		for (char *f = strtok_r(line, "\t", &rest); f && count < MOST_FIELDS;
		     f = strtok_r(NULL, "\t", &rest))
			field[count++] = f;
		field[count] = NULL;
		if (count < 3)
			continue;
		say("@B %s", field[0]);
		if (strcmp(field[1], "modprobe"))
			offer(field, count);
		else if (count > 3)
			ask_modprobe(field);
	}
	say("@E");
	stop();
	return 0;
}

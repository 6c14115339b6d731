/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ompdd-dap: a debug adapter, on standard input and output or for one client on a port. */
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <arpa/inet.h>

#include "base/net_owner.h"
#include "base/number.h"
#include "session.h"

#define EXIT_USAGE     3
#define PATIENCE_MS    5000
#define MAX_PATIENCE_S 3600

static const char usage[] =
	"Usage: ompdd-dap [OPTION]...\n"
	"A debug adapter (DAP) that adds OpenMP to the native one, on standard input and output.\n"
	"\n"
	"  --native PROGRAM   the native adapter; default: lldb-dap, lldb-vscode or gdb, as installed\n"
	"  --observe          use no native adapter, only ompdd\n"
	"  --port PORT        listen on 127.0.0.1 for one client; 0 selects a free port and prints it\n"
	"  --connect URI      use the ompdd at URI; default: a worker of its own\n"
	"  --token-file FILE  the file with its token; default: $OMPDD_TOKEN_FILE\n"
	"  --patience SECONDS longest wait for OpenMP's names, if the client cannot be notified; default: 5\n"
	"  --version, --help\n";

static const char hint[] = "  hint: ompdd-dap --help lists the options\n";

static int refuse_usage(const char *what, const char *value)
{
	fprintf(stderr, "ompdd-dap: %s%s\n%s", what, value, hint);
	return EXIT_USAGE;
}

/* Return whether the client has our user id: a client can start programs as our user. */
static bool is_same_user(int fd)
{
	struct net_end own, peer;
	uid_t uid;

	if (!net_ends(fd, &own, &peer))
		return false;
	struct error *err = net_owner_of_peer(&own, &peer, &uid);
	error_destroy(err);
	return !err && uid == geteuid();
}

/* Accept one client on a port of 127.0.0.1. Returns its descriptor, or -1. */
static int accept_client(uint16_t port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t len = sizeof(address);
	int one = 1, client;

	address.sin_port = htons(port);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 1) ||
	    getsockname(fd, (struct sockaddr *)&address, &len)) {
		close(fd);
		return -1;
	}
	printf("listening on 127.0.0.1:%d\n", ntohs(address.sin_port));
	fflush(stdout);
	do {
		client = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
		if (client >= 0 && !is_same_user(client)) {
			fprintf(stderr, "ompdd-dap: refused a connection of another user\n");
			close(client);
			client = -1;
			errno = EINTR;
		}
	} while (client < 0 && errno == EINTR);
	close(fd);
	if (client >= 0)
		setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return client;
}

static int refuse_number(const char *option, int64_t max, const char *value)
{
	fprintf(stderr, "ompdd-dap: %s " NUMBER_MUST_BE ", not '%s'\n%s", option, INT64_C(0), max, value, hint);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	enum { NATIVE = 1, OBSERVE, PORT, CONNECT, TOKEN_FILE, PATIENCE, VERSION, HELP };
	static const struct option known[] = {
		{"native", required_argument, NULL, NATIVE},
		{"observe", no_argument, NULL, OBSERVE},
		{"port", required_argument, NULL, PORT},
		{"connect", required_argument, NULL, CONNECT},
		{"token-file", required_argument, NULL, TOKEN_FILE},
		{"patience", required_argument, NULL, PATIENCE},
		{"version", no_argument, NULL, VERSION},
		{"help", no_argument, NULL, HELP},
		{NULL, 0, NULL, 0},
	};
	struct options options = {.patience_ms = PATIENCE_MS};
	int64_t port = -1, patience_s;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
		if (option == NATIVE)
			options.native = optarg;
		else if (option == OBSERVE)
			options.observe = true;
		else if (option == PORT && !number_parse(optarg, 0, UINT16_MAX, &port))
			return refuse_number("--port", UINT16_MAX, optarg);
		else if (option == PORT)
			continue;
		else if (option == CONNECT)
			options.uri = optarg;
		else if (option == TOKEN_FILE)
			options.token_file = optarg;
		else if (option == PATIENCE && !number_parse(optarg, 0, MAX_PATIENCE_S, &patience_s))
			return refuse_number("--patience", MAX_PATIENCE_S, optarg);
		else if (option == PATIENCE)
			options.patience_ms = 1000 * (int)patience_s;
		else if (option == VERSION)
			return printf("ompdd-dap %s\n", OMPDD_VERSION) < 0;
		else if (option == HELP)
			return fputs(usage, stdout) < 0;
		else
			return refuse_usage("unknown option, or missing value: ", argv[optind - 1]);
	}
	if (optind < argc)
		return refuse_usage("unexpected argument: ", argv[optind]);
	signal(SIGPIPE, SIG_IGN);
	if (port < 0)
		return dap_session_run(&options, STDIN_FILENO, STDOUT_FILENO);
	int fd = accept_client((uint16_t)port);
	if (fd < 0) {
		fprintf(stderr, "ompdd-dap: cannot listen on port %d: %s\n", (int)port, strerror(errno));
		return 1;
	}
	return dap_session_run(&options, fd, fd);
}

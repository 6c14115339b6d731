/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * ask SOCKET REQUEST ROUNDS: sends REQUEST as a line and waits for the answer's newline, ROUNDS times. Prints the wall
 * time of each round trip in microseconds. The answer is not parsed, but an error answer ends the program with status
 * 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
	static char in[32 << 20];
	char line[4096];
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (argc != 4)
		return 2;
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", argv[1]);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		perror(argv[1]);
		return 1;
	}
	int len = snprintf(line, sizeof(line), "%s\n", argv[2]);
	for (int rounds = atoi(argv[3]); rounds > 0; rounds--) {
		size_t got = 0;
		double begin = now_us();

		if (write(fd, line, len) != len)
			return 1;
		do {
			ssize_t n = read(fd, in + got, sizeof(in) - got);
			if (n <= 0) {
				fprintf(stderr, "the connection ended\n");
				return 1;
			}
			got += n;
		} while (in[got - 1] != '\n');
		double end = now_us();
		in[got < sizeof(in) ? got : got - 1] = '\0';
		if (memmem(in, got < 200 ? got : 200, "\"error\"", 7)) {
			fprintf(stderr, "%s", in);
			return 1;
		}
		printf("%.1f\n", end - begin);
	}
	return 0;
}

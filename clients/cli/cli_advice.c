/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The hints that name ompdctl's options. */
#include "cli_advice.h"

const struct advice cli_advice = {
	.timeout = "--timeout SECONDS waits longer",
	.not_running = "is ompdd running, and is this its address? -p PID with a command like "
		       "threads needs no running ompdd",
	.no_daemon_program = "ompdctl looks for ompdd beside itself and in $PATH; --ompdd PATH names another",
	.no_bridge = "use the daemon's unix: or tcp: address, or build ompdd with libcurl",
	.untrusted_socket = "-s unix:PATH connects anyway; or unset XDG_RUNTIME_DIR, TMPDIR, OMPDD_URI and "
			    "OMPDD_NODE_URI",
	.untrusted_token = "--token-file FILE uses it anyway",
	.no_token = "--token-file FILE, or $OMPDD_TOKEN_FILE, names the file with ompdd's token",
};

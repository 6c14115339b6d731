# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ompdctl-cluster: ompdctl with --job and --nodes, node-summary and merge."""
import sys

from .command import main

sys.exit(main(sys.argv[1:]))

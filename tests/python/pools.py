# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""joblib runs a function in threads or processes, argv[1]; each starts teams of its own in OpenBLAS."""
import json
import os
import sys

import numpy
from joblib import Parallel, delayed, parallel_backend


def multiply():
    one, parent = numpy.ones((400, 400)), os.getppid()
    os.write(1, (json.dumps({"worker": os.getpid()}) + "\n").encode())
    # A worker ends with the process that started it.
    while os.getppid() == parent:
        one @ one


os.write(1, (json.dumps({"pid": os.getpid()}) + "\n").encode())
inner = {} if sys.argv[1] == "threading" else {"inner_max_num_threads": 2}
with parallel_backend(sys.argv[1], n_jobs=2, **inner):
    Parallel()(delayed(multiply)() for _ in range(2))

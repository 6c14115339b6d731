# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scikit-learn's k-means: Cython code that starts parallel regions, beside numpy."""
import json
import os

import numpy
from sklearn.cluster import KMeans


def cluster(points):
    KMeans(n_clusters=8, n_init=1, max_iter=1000, tol=0).fit(points)  # HERE


os.write(1, (json.dumps({"pid": os.getpid()}) + "\n").encode())
points = numpy.random.default_rng(1).random((50000, 8))
while True:
    cluster(points)

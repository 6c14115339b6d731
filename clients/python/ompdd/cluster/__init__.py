# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One view of a job: summaries of processes, of nodes, and of all of them together."""
from .summary import Summary

__all__ = ["Summary"]

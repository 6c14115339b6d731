# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A worker of PyTorch's DataLoader is a fork. It lacks the threads of the pool that its parent had, and waits for them."""
import json
import os

import torch
from torch.utils.data import DataLoader, Dataset


def say(**line):
    os.write(1, (json.dumps(line) + "\n").encode())


class Sums(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        torch.set_num_threads(2)
        say(worker=os.getpid())
        return torch.ones(1000, 1000).exp().sum()  # HERE


torch.set_num_threads(2)
torch.ones(1000, 1000).exp().sum()
say(pid=os.getpid())
for one in DataLoader(Sums(), num_workers=1, multiprocessing_context="fork"):
    say(sum=float(one))

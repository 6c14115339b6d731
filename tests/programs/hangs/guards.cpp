/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Locks held by objects, taken in opposite order by two methods.
#include "hang.h"

class Guard {
public:
	explicit Guard(omp_lock_t &lock) : lock_(lock) { omp_set_lock(&lock_); } // HERE
	~Guard() { omp_unset_lock(&lock_); }

private:
	omp_lock_t &lock_;
};

class Account {
public:
	explicit Account(int balance) : balance_(balance) { omp_init_lock(&lock_); }
	__attribute__((noinline)) void send(Account &to, int amount)
	{
		Guard own(lock_);
		hang_meet(&met, 2);
		Guard others(to.lock_);
		balance_ -= amount;
		to.balance_ += amount;
	}
	static int met;

private:
	omp_lock_t lock_;
	int balance_;
};

int Account::met;
static Account first(10), second(20);

int main()
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num())
			first.send(second, 1);
		else
			second.send(first, 1);
	}
	return 0;
}

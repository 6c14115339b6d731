/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests of base/list: order, removal, and removal during a walk. */
#include "check_main.h"

#include "base/list.h"

struct item {
	int number;
	struct list link;
};

static void fill(struct list *head, struct item *items, int n)
{
	list_init(head);
	for (int i = 0; i < n; i++) {
		items[i].number = i;
		list_append(head, &items[i].link);
	}
}

START_TEST(test_list_walks_in_order_of_appending)
{
	struct list head;
	struct item items[5];
	int expected = 0;

	fill(&head, items, 5);
	list_for_each (it, tmp, &head)
		ck_assert_int_eq(list_entry(it, struct item, link)->number, expected++);
	ck_assert_int_eq(expected, 5);
}
END_TEST

START_TEST(test_list_for_each_allows_removing_the_current_item)
{
	struct list head;
	struct item items[5];

	fill(&head, items, 5);
	list_for_each (it, tmp, &head)
		list_remove(it);
	ck_assert(list_is_empty(&head));
}
END_TEST

START_TEST(test_list_remove_twice_is_harmless)
{
	struct list head;
	struct item items[3];

	fill(&head, items, 3);
	list_remove(&items[1].link);
	list_remove(&items[1].link);
	ck_assert_ptr_eq(items[0].link.next, &items[2].link);
	ck_assert_ptr_eq(items[2].link.prev, &items[0].link);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/list");
	TCase *tc = tcase_create("list");

	tcase_add_test(tc, test_list_walks_in_order_of_appending);
	tcase_add_test(tc, test_list_for_each_allows_removing_the_current_item);
	tcase_add_test(tc, test_list_remove_twice_is_harmless);
	suite_add_tcase(suite, tc);
	return check_main(suite);
}

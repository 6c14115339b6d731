/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A snapshot for unit tests: threads 10 and 11 in region "in", which lies in region "out"; thread 12 without OpenMP. */
#ifndef OMPDD_SUPPORT_TWO_REGIONS_H
#define OMPDD_SUPPORT_TWO_REGIONS_H

#define RC "{\"rc\":\"ompd_rc_unavailable\"}"

static const char two_regions[] =
	"{\"pid\":10,\"consistency\":\"racy\",\"threads\":["
	"{\"tid\":10,\"comm\":\"p\",\"openmp\":true,\"thread_num\":0,\"state\":{\"name\":\"ompt_"
	"state_work_parallel\"},"
	" \"wait_id\":" RC ",\"parallel\":\"in\",\"task\":\"k\"},"
	"{\"tid\":11,\"comm\":\"p\",\"openmp\":true,\"thread_num\":1,\"state\":{\"name\":\"ompt_"
	"state_wait_lock\"},"
	" \"wait_id\":{\"value\":\"0x40\",\"what\":\"lock\"},\"parallel\":\"in\",\"task\":" RC "},"
	"{\"tid\":12,\"comm\":\"log\",\"openmp\":false}],"
	"\"parallels\":["
	"{\"handle\":\"out\",\"level\":0,\"team_size\":1,\"enclosing\":" RC ",\"threads\":[10]},"
	"{\"handle\":\"in\",\"level\":1,\"team_size\":2,\"enclosing\":\"out\",\"threads\":[10,11],"
	" \"function\":{\"address\":\"0x55\",\"symbol\":" RC "}}],"
	"\"tasks\":[{\"handle\":\"k\",\"kind\":\"explicit\",\"thread\":10,\"parallel\":\"in\","
	" \"generating\":\"gone\",\"function\":{\"address\":\"0x66\",\"symbol\":\"f\"}}]}";

#endif

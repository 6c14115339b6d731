/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The page at /. Its files need no token: their content is in the public sources. */
#ifndef OMPDD_SERVER_HTTP_PAGE_H
#define OMPDD_SERVER_HTTP_PAGE_H

#include "server/http_asset.h"
#include "server/http_internal.h"

/* Queue the file. */
enum MHD_Result http_page_send(struct http_conn *c, const struct http_asset *a);

#endif

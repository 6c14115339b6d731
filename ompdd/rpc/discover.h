/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The answer to rpc.discover: the generated OpenRPC document. */
#ifndef OMPDD_RPC_DISCOVER_H
#define OMPDD_RPC_DISCOVER_H

#include "base/error.h"

struct json_object;

/* The document; parsed at the first call, shared from then on. The caller owns a reference and must
 * not change it. */
MUST_USE struct error *discover_document(struct json_object **ret);

#endif

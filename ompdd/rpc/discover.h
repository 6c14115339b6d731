/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The answer to rpc.discover: the generated OpenRPC document. */
#ifndef OMPDD_RPC_DISCOVER_H
#define OMPDD_RPC_DISCOVER_H

#include "base/error.h"

struct json_object;

/*
 * Return the document. The first call parses it; later calls share it. The caller owns a reference and must not change
 * the document.
 */
MUST_USE struct error *discover_document(struct json_object **ret);

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What ompdd and its workers agree on beside the public protocol (protocol/PROTOCOL.md), in one place for both: the
 * form of what they send each other, and what a worker's end means. One line each over the worker's standard input and
 * output:
 *
 *   to the worker    {"jsonrpc":"2.0","id":SEQ,"client":CONNECTION,"method":"NAME","params":{...}}
 *                    {"jsonrpc":"2.0","method":"client.gone","params":{"client":CONNECTION}}
 *                    {"jsonrpc":"2.0","method":"launch.told","params":{}}
 *   to the daemon    {"jsonrpc":"2.0","id":SEQ,"result":{...}}, or "error" for "result"
 *                    {"jsonrpc":"2.0","method":"event","params":{"type":...}}
 *                    {"jsonrpc":"2.0","method":"target.pid","params":{"pid":PID}}
 *                    {"jsonrpc":"2.0","method":"stop.ended","params":{"us":MICROSECONDS}}
 *                    {"jsonrpc":"2.0","method":"box.refused","params":{"calls":NUMBER}}
 *
 * Either side knows the other's lines by how they begin, without reading them whole (rpc/message_split.h); so what is
 * in params was checked once, by the daemon, and what is in a result is written once, by the worker. A worker by hand
 * takes any JSON-RPC request.
 */
#ifndef OMPDD_BASE_CONTRACT_H
#define OMPDD_BASE_CONTRACT_H

/* A connection is closed: what it held is let go, its handles are freed. */
#define CONTRACT_CLIENT_GONE "client.gone"

/*
 * The client is told of the program that the worker has launched. A worker that ends without having got this ends the
 * program, too: its answer may be unread when a request is cancelled, or the daemon is gone.
 */
#define CONTRACT_LAUNCH_TOLD "launch.told"

/* What happens to the target, for those who have subscribed. */
#define CONTRACT_EVENT "event"

/* Before the answer to target.launch: which process the target is, as only the worker knows. */
#define CONTRACT_TARGET_PID "target.pid"

/* How long a stop of the target lasted, before the answer to the request that has ended it; for GET /metrics. */
#define CONTRACT_STOP_ENDED "stop.ended"

/* System calls that the worker's sandbox has refused; sent before the answer to the request that made them. */
#define CONTRACT_BOX_REFUSED "box.refused"

/* Exit statuses of a worker whose OMPD library has crashed, or did not return in time, or of which one request took too
 * much processor time; any other end is the worker's own fault. */
#define CONTRACT_EXIT_PLUGIN_CRASHED 81
#define CONTRACT_EXIT_PLUGIN_HUNG    82
#define CONTRACT_EXIT_CPU_SPENT	     83

/* Live handles of one connection in one worker, which the daemon tells in its limits. */
#define CONTRACT_MAX_HANDLES 65536

/*
 * Begins the names of variables, in the worker's environment, that are for the programs which it launches; the one of
 * that name alone says that these are all there are.
 */
#define CONTRACT_ENV_PREFIX "OMPDD_ENV_"

#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The private contract between ompdd and its workers, beside the public protocol (protocol/PROTOCOL.md): the form of
 * their messages, and the meaning of a worker's exit status. Each message is one line on the worker's standard input or
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
 * Each side recognizes the other's lines by their prefix, without parsing the rest (rpc/message_split.h). Only the
 * daemon checks params, and only the worker formats results. A worker started by hand accepts any JSON-RPC request.
 */
#ifndef OMPDD_BASE_CONTRACT_H
#define OMPDD_BASE_CONTRACT_H

/* A connection has closed: the worker releases its holds and frees its handles. */
#define CONTRACT_CLIENT_GONE "client.gone"

/*
 * The client is notified of the program that the worker has launched. A worker that ends without this message ends the
 * program, too: the client may never have read the answer, because its request was cancelled or the daemon is gone.
 */
#define CONTRACT_LAUNCH_TOLD "launch.told"

/* An event of the target, for subscribers. */
#define CONTRACT_EVENT "event"

/* The pid of the launched process, which only the worker knows. Precedes the answer to target.launch. */
#define CONTRACT_TARGET_PID "target.pid"

/* The duration of a stop of the target, for GET /metrics. Precedes the answer to the request that ended the stop. */
#define CONTRACT_STOP_ENDED "stop.ended"

/* The number of system calls that the worker's sandbox refused. Precedes the answer to the request that made them. */
#define CONTRACT_BOX_REFUSED "box.refused"

/*
 * Exit statuses of a worker: its OMPD library crashed, its OMPD library did not return in time, or one request used too
 * much processor time. Any other status is a fault of the worker itself.
 */
#define CONTRACT_EXIT_PLUGIN_CRASHED 81
#define CONTRACT_EXIT_PLUGIN_HUNG    82
#define CONTRACT_EXIT_CPU_SPENT	     83

/* The maximum number of live handles of one connection in one worker; the daemon reports it among its limits. */
#define CONTRACT_MAX_HANDLES 65536

/*
 * The prefix of the names of variables in the worker's environment that are for launched programs. The variable with
 * exactly this name states that the list is complete.
 */
#define CONTRACT_ENV_PREFIX "OMPDD_ENV_"

#endif

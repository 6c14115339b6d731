// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stranger's program on the generated client: it compiles only if the types are there, and prints what it has got as JSON.
import { Client, HTTPTransport, RequestManager } from "@open-rpc/client-js";
import Ompdd, { TargetId, TargetInfoObject, Thread } from "./index";

async function main(host: string, port: number, token: string, pid: number) {
  const client = new Ompdd({ transport: { type: "http", host, port, path: "/rpc" } });
  // The generated constructor has no place for headers; what it makes is public.
  client.transport = new HTTPTransport(`http://${host}:${port}/rpc`, { headers: { Authorization: `Bearer ${token}` } });
  client.rpc = new Client(new RequestManager([client.transport]));
  const info = await client["daemon.info"]();
  const attached: TargetInfoObject = await client["target.attach"](pid, "observe");
  const target: TargetId = attached.target;
  const threads: Thread[] = (await client["thread.list"](target)).threads;
  const snapshot = await client["snapshot.get"](target);
  let refused = "nothing";
  try {
    await client["target.info"]("t77");
  } catch (error: any) {
    refused = error.data.name;
  }
  let unsent = false;
  try {
    await client["target.info"]("a name that no target has");
  } catch (error: any) {
    unsent = Array.isArray(error);  // the generated validator's doing: the schema says how an id looks
  }
  const detached = await client["target.detach"](target);
  console.log(JSON.stringify({ info, attached, threads, snapshot, refused, unsent, detached }));
}

const [host, port, token, pid] = process.argv.slice(2);
main(host, Number(port), token, Number(pid)).then(() => process.exit(0), (error) => {
  console.error(error);
  process.exit(1);
});

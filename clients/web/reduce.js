// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What views need of an answer, and no more: answers about a thousand threads are a megabyte, and copying that into each tab would
// cost the frames there. Pure functions; they run in hub.js.
import { STATES, functionOf, isInferred, known, place, stateOf } from "/words.js";

// A team of more threads than this is drawn by what its threads do.
const FOLD = 12;
const MAX_GRAPH_TASKS = 400;

const REDUCERS = { strips, tree, tasks, icvs, graph };

export function reduce(how, result) {
  return how ? REDUCERS[how](result) : result;
}

// thread.list as three columns.
function strips({ threads, epoch, consistency }) {
  const n = threads.length;
  const answer = { epoch, consistency, tids: new Int32Array(n), nums: new Int32Array(n), states: new Uint8Array(n), inferred: 0 };
  threads.forEach((thread, i) => {
    answer.tids[i] = thread.tid;
    answer.nums[i] = known(thread.thread_num) ?? -1;
    answer.states[i] = stateOf(thread);
    if (isInferred(thread.state)) answer.inferred++;
  });
  return answer;
}

function head(result) {
  const { target, pid, epoch, consistency, stopped_us, runtime, runtimes, warnings } = result;
  return { target, pid, epoch, consistency, stopped_us, runtime, n_runtimes: runtimes ? runtimes.length : 1, warnings: warnings || [] };
}

function waitsFor(thread) {
  const wait = known(thread.wait_id);
  if (!wait) return null;
  return `${wait.what ? `${wait.what} ` : ""}${wait.name || wait.value}`;
}

// snapshot.get as regions within regions: {region, threads: [{…, regions: […]}]}, large teams folded.
function tree(result) {
  const threads = new Map(result.threads.map((thread) => [thread.tid, thread]));
  const regions = new Map(result.parallels.map((region) => [region.handle, region]));
  const inside = new Map(); // by the region around: those in it
  const tops = [];
  for (const region of result.parallels) {
    const around = known(region.enclosing);
    if (around && regions.has(around)) inside.set(around, [...(inside.get(around) || []), region]);
    else tops.push(region);
  }
  const running = new Map(); // by thread: the explicit tasks that it executes
  for (const task of result.tasks) {
    const tid = known(task.thread);
    if (known(task.kind) !== "explicit" || !tid || task.queued) continue;
    running.set(tid, [...(running.get(tid) || []), functionOf(task.function) || "a task"]);
  }
  const seen = new Set();

  function threadBox(tid, number, region, depth) {
    const thread = threads.get(tid);
    const nested = (inside.get(region.handle) || []).filter((inner) => inner.threads[0] === tid && !seen.has(inner.handle));
    const innermost = !nested.length;
    return {
      tids: [tid],
      nums: [number],
      // In an outer region it is on its way in: what it does, it does in the inner one.
      state: innermost && thread ? stateOf(thread) : 0,
      inferred: innermost && thread ? isInferred(thread.state) : false,
      waits: innermost && thread ? waitsFor(thread) : null,
      tasks: innermost ? running.get(tid) || [] : [],
      regions: nested.map((inner) => regionBox(inner, depth + 1)),
    };
  }

  function regionBox(region, depth) {
    seen.add(region.handle);
    const site = known(region.call_site);
    const all = depth > 24 ? [] : region.threads.map((tid, number) => threadBox(tid, number, region, depth));
    return {
      key: `${region.threads[0]}:${known(region.level) ?? "?"}:${region.runtime ?? 0}`,
      level: known(region.level),
      size: known(region.team_size),
      fn: functionOf(region.function),
      inferred: isInferred(region.function),
      place: site ? place(site.location) : null,
      queued: region.queued || 0,
      members: region.threads.length,
      threads: fold(all),
    };
  }

  const boxes = tops.map((region) => regionBox(region, 0));
  // Of regions that nobody is the first of (a thread has just left): better beside the others than nowhere.
  for (const region of result.parallels) if (!seen.has(region.handle)) boxes.push(regionBox(region, 1));
  const states = new Array(STATES.length).fill(0);
  for (const thread of result.threads) states[stateOf(thread)]++;
  const member = new Set(result.parallels.flatMap((region) => region.threads));
  return {
    ...head(result),
    boxes,
    states,
    n_threads: result.threads.length,
    others: result.threads.filter((thread) => !member.has(thread.tid)).map((thread) => ({ tid: thread.tid, state: stateOf(thread), openmp: thread.openmp === true })),
  };
}

// Threads that do the same, and of whom there is nothing else to say, share a box.
function fold(boxes) {
  if (boxes.length <= FOLD) return boxes;
  const folded = new Map();
  const answer = [];
  for (const box of boxes) {
    if (box.regions.length || box.tasks.length) {
      answer.push(box);
      continue;
    }
    const key = `${box.state} ${box.inferred} ${box.waits}`;
    const same = folded.get(key);
    if (same) {
      same.tids.push(box.tids[0]);
      same.nums.push(box.nums[0]);
    } else {
      folded.set(key, box);
      answer.push(box);
    }
  }
  return answer;
}

// task.list as rows, those that have to do with dependences first. Handles without their epoch are the same from look to look.
function tasks(result) {
  const id = (handle) => handle && handle.replace(/:e[0-9]+:/, ":");
  const rows = result.tasks.map((task) => ({
    handle: id(task.handle),
    kind: known(task.kind) || "?",
    fn: functionOf(task.function),
    inferred: isInferred(task.function),
    thread: known(task.thread),
    generating: id(known(task.generating)),
    queued: task.queued ? { predecessors: known(task.queued.predecessors), after: (known(task.queued.waits_for)?.tasks || []).map(id), isWhole: known(task.queued.waits_for)?.complete === true } : null,
  }));
  const tied = new Set(rows.flatMap((row) => (row.queued && row.queued.after.length ? [row.handle, ...row.queued.after] : [])));
  const sorted = [...rows.filter((row) => tied.has(row.handle)), ...rows.filter((row) => !tied.has(row.handle))];
  return { ...head(result), n: rows.length, waiting: rows.filter((row) => row.queued).length, rows: sorted.slice(0, MAX_GRAPH_TASKS) };
}

// snapshot.get as variables: those of the process, and those of tasks by value.
function icvs(result) {
  const said = (value) => (value.rc ? { rc: value.message || value.rc.replace("ompd_rc_", "") } : { value: value.value ?? String(value.int) });
  const process = Object.entries(result.icvs).map(([name, value]) => ({ name, ...said(value) }));
  const byName = new Map();
  const add = (name, value, who) => {
    const one = said(value);
    const text = one.rc ? `\u0000${one.rc}` : one.value;
    if (!byName.has(name)) byName.set(name, new Map());
    const values = byName.get(name);
    if (!values.has(text)) values.set(text, { ...one, n: 0, who: [] });
    const group = values.get(text);
    group.n++;
    if (group.who.length < 8) group.who.push(who);
  };
  for (const task of result.tasks) {
    const tid = known(task.thread);
    const who = `${known(task.kind) || ""} task ${functionOf(task.function) || ""}${tid ? ` of thread ${tid}` : ""}`.replace(/ +/g, " ").trim();
    for (const [name, value] of Object.entries(known(task.icvs) || {})) add(name, value, who);
  }
  for (const thread of result.threads) for (const [name, value] of Object.entries(thread.icvs || {})) add(name, value, `thread ${thread.tid}`);
  for (const region of result.parallels) for (const [name, value] of Object.entries(region.icvs || {})) add(name, value, `region ${functionOf(region.function) || region.handle}`);
  return { ...head(result), process, tasks: [...byName].map(([name, values]) => ({ name, values: [...values.values()].sort((a, b) => a.n - b.n) })) };
}

// diagnose.get, of whose graph threads that wait for the same and hold nothing are one node.
function graph(result) {
  const edges = result.edges || [];
  const around = new Map();
  for (const edge of edges) {
    around.set(edge.from, [...(around.get(edge.from) || []), `> ${edge.to} ${edge.kind} ${edge.certainty}`]);
    around.set(edge.to, [...(around.get(edge.to) || []), `< ${edge.from} ${edge.kind} ${edge.certainty}`]);
  }
  const alias = new Map();
  const groups = new Map();
  const told = new Map(result.findings.flatMap((one) => one.threads).map((thread) => [thread.tid, thread]));
  const at = (thread) => (thread && thread.place ? [known(thread.place.function), place(thread.place.location)].filter(Boolean).join(" ") : "");
  const nodes = [];
  for (const node of result.nodes || []) {
    const ways = around.get(node.id);
    if (!ways) continue;
    const key = node.kind === "thread" && ways.every((way) => way.startsWith(">")) ? ways.sort().join("|") : node.id;
    const same = groups.get(key);
    if (same) {
      same.tids.push(node.tid);
      alias.set(node.id, same.id);
      continue;
    }
    const one = { ...node, tids: node.tid ? [node.tid] : [], num: known(told.get(node.tid)?.thread_num), place: at(told.get(node.tid)) };
    groups.set(key, one);
    alias.set(node.id, one.id);
    nodes.push(one);
  }
  const once = new Map();
  for (const edge of edges) {
    const from = alias.get(edge.from), to = alias.get(edge.to);
    if (from && to) once.set(`${from} ${to} ${edge.kind}`, { ...edge, from, to });
  }
  const { target, pid, epoch, consistency, stopped_us, verdict, title, looks, findings, notes, warnings } = result;
  return { target, pid, epoch, consistency, stopped_us, verdict, title, looks, counts: result.threads, notes: notes || [], warnings: warnings || [], nodes, edges: [...once.values()],
    findings: findings.map((one) => ({ ...one, threads: one.threads.slice(0, 12), claims: (one.claims || []).slice(0, 40) })) };
}

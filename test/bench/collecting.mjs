// How many reports a collector takes, on loopback, with the load generator autocannon on the same machine:
//
//   npm run build && node test/bench/collecting.mjs [--seconds 6]
//
// Where nats-server is installed, also before a cluster: one server, and three with each report on all of them.
// One line for each way to send: reports a second, the times in which half and 99 % of the requests are answered, and the
// processor time in µs that a report takes in the load generator, the collector and the servers of NATS (on Linux). A core
// has a million of these a second, whatever else runs beside, so that they say what is left to whom.
import { spawn, spawnSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { seededRandom } from 'ldpkit';
import { encodeBatch } from 'ldpkit/client';
import { hinge, lifted } from 'ldpkit/protocols/hinge';
import { planFolder, serving } from '../cluster/serving.mjs';
import { processorTime } from './processor-time.mjs';

const { values: options } = parseArgs({ options: { seconds: { type: 'string', default: '6' } } });
const parameters = lifted({ epsilon: 1, degree: 1, dimension: 10, grade: 'deployment' });
const random = seededRandom('reports to collect');
const datum = { features: new Float64Array(10).fill(0.3), label: 1 };
const reports = Array.from({ length: 2000 }, () =>
  Buffer.from(hinge.report.encode(parameters, hinge.player.randomize(parameters, datum, random))),
);
const { folder, plan, remove } = planFolder(hinge, parameters);
/** The address of the collector that is measured now, its process, and those of NATS. */
let url;
let collector;
let nodes = [];

const spent = () =>
  [[process.pid], [collector], nodes.map(({ pid }) => pid)].map((group) =>
    group.reduce((sum, pid) => sum + processorTime(pid), 0),
  );

let players = 0;
const next = () => ({ player: `player ${players}`, bytes: reports[players++ % reports.length] });

/** Sends for a while by so many connections; `size` reports in a request, or a single one. */
async function load(size, connections) {
  const path = `/plans/${parameters.digest}/${size === 1 ? 'report' : 'reports'}`;
  const setupRequest = (request) => {
    if (size > 1) return { ...request, body: Buffer.from(encodeBatch(Array.from({ length: size }, next))) };
    const { player, bytes } = next();
    const headers = { 'content-type': 'application/octet-stream', 'ldpkit-player': player };
    return { ...request, headers, body: bytes };
  };
  const headers = { 'content-type': 'application/vnd.ldpkit.batch' };
  const before = spent();
  const { requests, latency, non2xx, errors } = await autocannon({
    ...{ url, connections, duration: Number(options.seconds) },
    requests: [{ method: 'POST', path, headers, setupRequest }],
  });
  const rate = Math.round(requests.average * size);
  const failed = non2xx + errors;
  const sent = requests.total * size;
  const [generator, door, servers] = spent().map((time, at) => ((time - before[at]) / sent).toFixed(1));
  process.stdout.write(
    `${size} a request, ${connections} connections: ${rate} reports/s, p50 ${latency.p50} ms, p99 ${latency.p99} ms, ${failed} failed;` +
      ` processor time a report: generator ${generator} µs, collector ${door} µs, NATS ${servers} µs\n`,
  );
}

/** Starts a collector, does something, and ends it. */
async function collecting(words, does) {
  const { url: address, pid, end } = await serving(plan, words);
  url = address;
  collector = pid;
  await does();
  await end();
}

/** So many NATS servers on loopback, from a port on. */
async function cluster(count, from, does) {
  const at = (port) => Array.from({ length: count }, (_, i) => `nats://127.0.0.1:${port + i}`).join(',');
  nodes = Array.from({ length: count }, (_, i) => {
    const listen = [
      '-n',
      `node${i}`,
      '-a',
      '127.0.0.1',
      '-p',
      `${from + i}`,
      '-js',
      '-sd',
      join(folder, `${count}-${i}`),
    ];
    const together = [
      '-cluster',
      `nats://127.0.0.1:${from + 10 + i}`,
      '-cluster_name',
      'bench',
      '-routes',
      at(from + 10),
    ];
    return spawn('nats-server', [...listen, ...(count === 1 ? [] : together)], { stdio: 'ignore' });
  });
  await pause(1000);
  await does(at(from));
  for (const node of nodes) node.kill('SIGKILL');
  nodes = [];
}

const say = (text) => process.stdout.write(`${text} (load ${loadavg()[0].toFixed(1)})\n`);
try {
  say('one process and its folder');
  await collecting(['--folder', folder], async () => {
    await load(100, 10);
    await load(1, 50);
    await load(1, 200);
  });
  if (spawnSync('nats-server', ['--version']).status === 0) {
    for (const [count, from] of [
      [1, 24_222],
      [3, 25_222],
    ]) {
      say(`NATS JetStream, R = ${count}`);
      await cluster(count, from, (servers) =>
        collecting(['--cluster', servers, '--folder', join(folder, `journal${count}`)], async () => {
          await load(100, 10);
          await load(1, 50);
        }),
      );
    }
  }
} finally {
  remove();
}

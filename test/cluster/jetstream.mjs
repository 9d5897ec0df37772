// Faults of a cluster, played and not described:
//
//   npm run build && node test/cluster/jetstream.mjs [--faults 7] [--reports 20000] [--seed text] [--loopback] [--only leader,cut]
//
// Three NATS servers, two collectors and two workers, each in a network namespace of its own where this user may make some.
// Devices send reports to both collectors, with 1 % hostile reports and 2 % replays to the other collector. At random moments the
// server that leads, a collector or a worker is killed (SIGKILL); a server is cut from the network for 10 s; a worker stands
// still; a kept tally is damaged by a flipped bit and its worker killed; everything is killed and started again. A device that
// got no receipt sends the same bytes again, to whichever collector. At the end: every device has a receipt; the streams have
// each of them once, with its own bytes, and nothing else; the tally and the estimate are equal to the bit to those of the
// streams in one process, which notices a report that is counted twice. The last line counts the checks.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { deserialize } from 'node:v8';
import { check, finish } from './checks.mjs';
import { machines, seeing as seeingBy } from './machines.mjs';
import { network } from './network.mjs';

const root = new URL('../../', import.meta.url);
const of = (path) => import(new URL(`dist/${path}`, root).href);
const [
  { bits, certify, createCollector, seededRandom },
  { hinge, lifted },
  { collector, encodeBatch },
  { playerMark },
] = await Promise.all([
  of('src/index.js'),
  of('protocols/hinge/index.js'),
  of('src/client/index.js'),
  of('src/core/door.js'),
]);
const main = fileURLToPath(new URL('dist/src/node/main.js', root));

const { values: options } = parseArgs({
  options: {
    faults: { type: 'string', default: '7' },
    reports: { type: 'string', default: '20000' },
    seed: { type: 'string', default: 'faults' },
    loopback: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});
if (spawnSync('nats-server', ['--version'], { stdio: 'ignore' }).status !== 0) {
  process.stdout.write('FAIL nats-server is not installed (Debian: apt-get install nats-server)\n0 passed, 1 failed\n');
  process.exit(1);
}
const [faults, least] = [Number(options.faults), Number(options.reports)];
const random = seededRandom(options.seed);
const uniform = () => bits(random) / 2 ** 32;
const below = (count) => Math.floor(count * uniform());

const parameters = lifted({ epsilon: 1, degree: 1, dimension: 4, grade: 'deployment' });
const { digest } = parameters;
const folder = mkdtempSync(join(tmpdir(), 'ldpkit-cluster-'));
const plan = join(folder, 'plan.json');
writeFileSync(plan, JSON.stringify(certify(hinge, parameters)));
// Devices share these: what a report says is no matter here, but that it is counted once.
const made = Array.from({ length: 4000 }, (_, i) => {
  const datum = { features: Float64Array.of(0.5, 0.5, i % 2 ? 0.5 : -0.5, 0.1), label: i % 3 ? 1 : -1 };
  return hinge.report.encode(parameters, hinge.player.randomize(parameters, datum, random));
});
const report = (device) => made[device % made.length];

const net = await network(7, options.loopback);
/** Machines 0 to 2 are NATS servers, 3 and 4 collectors, 5 and 6 workers. */
const [NODES, COLLECTORS, WORKERS] = [
  [0, 1, 2],
  [3, 4],
  [5, 6],
];
const servers = NODES.map((at) => `nats://${net.host(at)}:${net.port(at, 4222)}`).join(',');
const addresses = COLLECTORS.map((at) => `http://${net.host(at)}:${net.port(at, 8080)}/`);

function wordsOf(at) {
  if (NODES.includes(at)) {
    const routes = NODES.map((one) => `nats://${net.host(one)}:${net.port(one, 6222)}`).join(',');
    const listen = ['-a', net.host(at), '-p', `${net.port(at, 4222)}`];
    const cluster = ['-cluster', `nats://${net.host(at)}:${net.port(at, 6222)}`, '-cluster_name', 'played'];
    return [
      'nats-server',
      '-n',
      `node${at}`,
      ...listen,
      ...cluster,
      '-routes',
      routes,
      '-js',
      '-sd',
      join(folder, `node${at}`),
    ];
  }
  const words = [process.execPath, main];
  if (WORKERS.includes(at)) return [...words, 'fold', plan, '--cluster', servers, '--part', `${at - 4}/2`];
  const listen = ['--host', net.host(at), '--port', `${net.port(at, 8080)}`];
  return [...words, 'serve', plan, '--cluster', servers, ...listen, '--rate', '0', '--minimum-players', '1'];
}

const { children, saidBy, start, end, restart, stop } = machines(wordsOf, net, folder, () => 500 + 1500 * uniform());

const seeing = (does) => seeingBy(servers, does);
const stream = (partition) => `ldpkit-${digest}-${partition}`;
const states = `ldpkit-${digest}`;

/** Flips a bit of the tally that is kept of a partition, and kills its worker: the next one has to notice. */
async function damage() {
  const partition = below(4);
  const subject = `ldpkit.${digest}.tally.${partition}`;
  const flipped = await seeing(async (manager, client) => {
    const found = await manager.streams.getMessage(states, { last_by_subj: subject });
    if (found === null) return false;
    const bytes = found.data.slice();
    bytes[bytes.length >> 1] ^= 4;
    await end(WORKERS[partition % 2], 'SIGKILL');
    await client.publish(subject, bytes);
    return true;
  });
  start(WORKERS[partition % 2]);
  return flipped
    ? `a flipped bit in the tally of partition ${partition}, and its worker killed`
    : 'no tally to damage yet';
}

const PLAYED = {
  async leader() {
    const name = await seeing(async (manager) => {
      const { leader } = (await manager.streams.info(stream(below(4)))).cluster;
      if (leader === undefined) throw new Error('no leader yet');
      return leader;
    });
    await restart(Number(name.slice(-1)));
    return `SIGKILL of ${name}, which led a stream`;
  },
  async collector() {
    const at = COLLECTORS[below(2)];
    await restart(at);
    return `SIGKILL of collector ${at - 2}`;
  },
  async worker() {
    const at = WORKERS[below(2)];
    await restart(at);
    return `SIGKILL of worker ${at - 4}`;
  },
  damage,
  async cut() {
    const at = NODES[below(3)];
    net.cut(at, children[at]);
    await pause(10_000);
    net.join(at, children[at]);
    return `node${at} cut from the network for 10 s`;
  },
  async slow() {
    const at = WORKERS[below(2)];
    children[at]?.kill('SIGSTOP');
    await pause(3000);
    children[at]?.kill('SIGCONT');
    return `worker ${at - 4} stood still for 3 s`;
  },
  async everything() {
    await restart(...NODES, ...COLLECTORS, ...WORKERS);
    return 'SIGKILL of everything, and a new start';
  },
};

/** Sends until there is a receipt, each time to one of the collectors. */
const sending = COLLECTORS.map((_, first) => {
  let turn = first;
  const send = (url, init) => fetch(new URL(url.pathname, addresses[turn++ % 2]), init);
  return collector(addresses[0], { attempts: 600, wait: 50, timeout: 8000, fetch: send });
});

async function sendBatch(devices) {
  const body = encodeBatch(devices.map((device) => ({ player: `device ${device}`, bytes: report(device) })));
  const headers = { 'content-type': 'application/vnd.ldpkit.batch' };
  for (let attempt = below(2); attempt < 600; attempt++) {
    try {
      const signal = AbortSignal.timeout(8000);
      const answer = await fetch(`${addresses[attempt % 2]}plans/${digest}/reports`, {
        method: 'POST',
        headers,
        body,
        signal,
      });
      if (answer.ok) return (await answer.json()).receipts.map(({ outcome }) => outcome);
      await answer.arrayBuffer();
    } catch {
      // Whatever it was, the same bytes again.
    }
    lost++;
    await pause(100);
  }
  throw new Error('a batch got no receipts');
}

let lost = 0;
let devices = 0;
let hostile = 0;
const receipts = [];

/** Devices until all faults have been played and so many have sent: three in batches for one by itself, eight at a time. */
async function sendAll(playing) {
  let faulty = true;
  void playing.finally(() => {
    faulty = false;
  });
  const work = async (lane) => {
    while (faulty || devices < least) {
      const size = lane % 4 === 0 ? 1 : 50;
      const mine = Array.from({ length: size }, () => devices++);
      if (uniform() < 0.01 * size) {
        hostile++;
        const bytes = report(mine[0]).map((byte) => byte ^ 1);
        const { outcome } = await sending[0].send(digest, `hostile ${hostile}`, bytes);
        if (outcome !== 'refused') throw new Error(`a hostile report was ${outcome}`);
      }
      const outcomes =
        size === 1
          ? [(await sending[lane % 2].send(digest, `device ${mine[0]}`, report(mine[0]))).outcome]
          : await sendBatch(mine);
      mine.forEach((device, i) => {
        receipts[device] = outcomes[i];
      });
      if (uniform() < 0.02 * size) {
        const { outcome } = await sending[1].send(digest, `device ${mine[0]}`, report(mine[0] + 1));
        if (outcome !== 'duplicate') throw new Error(`a replay was ${outcome}`);
      }
      // While faults are played there is no hurry.
      if (faulty && devices > least) await pause(100);
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, lane) => work(lane)));
}

/** The faults in their order: each kind once before any is played again. */
const order = [];
async function play() {
  const kinds = options.only?.split(',') ?? Object.keys(PLAYED);
  for (let at = 0; at < faults; at++) {
    if (order.length === at) order.push(...kinds.map((fault) => [uniform(), fault]).sort(([a], [b]) => a - b));
    await pause(200 + 1300 * uniform());
    const done = await PLAYED[order[at][1]]();
    process.stdout.write(`--   ${((performance.now() - begun) / 1000).toFixed(0)} s: ${done}\n`);
  }
}

const get = async (address, path) => {
  const answer = await fetch(`${address}plans/${digest}/${path}`, { signal: AbortSignal.timeout(8000) });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return answer.text();
};

/** Waits until a collector's tallies have all that was accepted. */
async function settled(address) {
  for (let attempt = 0; attempt < 120; attempt++) {
    const status = await get(address, 'status').then(JSON.parse, () => undefined);
    if (status !== undefined && status.waiting === 0 && status.counted >= devices) return status;
    await pause(500);
  }
  return JSON.parse(await get(address, 'status'));
}

/** Everything in the streams, in their order: each report with the mark of its player. */
async function* reports(manager, client) {
  for (let partition = 0; partition < 4; partition++) {
    const { messages: count } = (await manager.streams.info(stream(partition))).state;
    const consumer = await client.consumers.get(stream(partition));
    let seen = 0;
    if (count === 0) continue;
    for await (const message of await consumer.consume({ max_messages: 2000 })) {
      yield { partition, mark: message.subject.split('.').at(-1), bytes: message.data.slice() };
      if (++seen === count) break;
    }
  }
}

/** Reports as they are added everywhere: in blocks of 65,536, merged in their order. */
function tallying() {
  const total = hinge.server.empty(parameters);
  let block = createCollector(hinge, parameters);
  return {
    receive(bytes) {
      block.receive(bytes);
      if (block.tally.players < 65_536) return;
      hinge.server.merge(parameters, total, block.tally);
      block = createCollector(hinge, parameters);
    },
    state: () => ({ total, block: block.tally, held: block.tally.players }),
  };
}

/** An estimate as text, without what it leaves open. */
const withoutUncertainty = (text) => JSON.stringify({ ...JSON.parse(text), uncertainty: undefined });

async function compare() {
  const marks = new Map();
  for (let device = 0; device < devices; device++) {
    const mark = playerMark(`device ${device}`);
    marks.set(`0000${Buffer.from(mark.buffer, mark.byteOffset, mark.byteLength).toString('hex')}`, device);
  }
  const parts = Array.from({ length: 4 }, tallying);
  let [own, found, twice] = [0, 0, undefined];
  await seeing(async (manager, client) => {
    for await (const { partition, mark, bytes } of reports(manager, client)) {
      const device = marks.get(mark);
      found++;
      // A mark that is met a second time is not there any more.
      if (device !== undefined && marks.delete(mark) && Buffer.compare(bytes, report(device)) === 0) own++;
      parts[partition].receive(bytes);
      twice ??= bytes;
    }
  });
  const [foreign, missing] = [found - own, devices - own];
  if (foreign + missing > 0) process.stdout.write(`--   ${missing} devices are missing, ${foreign} messages are of none\n`);
  check(
    `the streams have each of ${devices} devices once, with its own bytes, and nothing else`,
    foreign === 0 && missing === 0,
  );
  const kept = await seeing(async (manager) => {
    const found = [];
    for (let at = 0; at < 4; at++) {
      const message = await manager.streams.getMessage(states, { last_by_subj: `ldpkit.${digest}.tally.${at}` });
      // After the kind (1 byte), the seal (32) and the sequence (8).
      found.push(deserialize(deserialize(message.data.slice(41)).state));
    }
    return found;
  });
  check(
    'the kept tallies are those of the streams in one process, to the bit',
    kept.every((one, at) => isDeepStrictEqual(one, parts[at].state())),
  );
  const whole = () => {
    const tally = hinge.server.empty(parameters);
    for (const part of parts) {
      const { total, block } = part.state();
      const sum = hinge.server.empty(parameters);
      hinge.server.merge(parameters, sum, total);
      hinge.server.merge(parameters, sum, block);
      hinge.server.merge(parameters, tally, sum);
    }
    return JSON.stringify(hinge.server.estimate(parameters, tally), (_, value) =>
      ArrayBuffer.isView(value) ? Array.from(value) : value,
    );
  };
  const here = whole();
  const [one, other] = await Promise.all(addresses.map((address) => get(address, 'estimate')));
  check(
    'both collectors give the estimate of the streams in one process, to the bit',
    one === other && withoutUncertainty(one) === here,
  );
  const file = join(folder, 'reports.parquet');
  const said = execFileSync(process.execPath, [main, 'export', plan, '--cluster', servers, '--out', file], {
    encoding: 'utf8',
  });
  check('ldpkit export writes all of them', said.startsWith(`wrote ${devices} reports`));
  const tallied = execFileSync(process.execPath, [main, 'tally', plan, file], { encoding: 'utf8' });
  check('ldpkit tally gives the same estimate from the file, to the bit', withoutUncertainty(tallied) === here);
  parts[0].receive(twice);
  check(
    'control: the comparison notices one report that is counted twice',
    whole() !== here && !isDeepStrictEqual(kept[0], parts[0].state()),
  );
}

const begun = performance.now();
try {
  process.stdout.write(`--   ${net.kind}\n`);
  for (const at of [...NODES, ...COLLECTORS, ...WORKERS]) start(at);
  for (const address of addresses) {
    for (let attempt = 0; attempt < 120; attempt++) {
      if (
        await get(address, 'status').then(
          () => true,
          () => false,
        )
      )
        break;
      await pause(500);
    }
  }
  await sendAll(play());
  const tallies = await Promise.all(addresses.map(settled));
  const of = (word) => receipts.filter((outcome) => outcome === word).length;
  process.stdout.write(
    `--   ${devices} devices: ${of('counted')} counted, ${of('duplicate')} after a lost answer; ${lost} batches sent again; ${hostile} hostile\n`,
  );
  check(
    `${faults} faults: every device has a receipt that says counted, or duplicate after a lost answer`,
    of('counted') + of('duplicate') === devices,
  );
  check(
    'both collectors count every device once',
    tallies.every(({ counted }) => counted === devices),
  );
  await compare();
  const damaged = WORKERS.some((at) => readFileSync(saidBy(at), 'utf8').includes('a damaged tally is made again'));
  if (order.some(([, fault]) => fault === 'damage'))
    check('a worker noticed the flipped bit, and made the tally again', damaged);
} finally {
  await stop();
  if (!options.keep) rmSync(folder, { recursive: true, force: true });
}
finish();

// Faults of a cluster, played and not described:
//
//   npm run build && node test/cluster/jetstream.mjs [--faults 9] [--reports 20000] [--seed text] [--loopback] [--only leader,cut] [--impatient]
//
// Three NATS servers, two collectors and two workers, each in a network namespace of its own where this user may make some.
// Devices send reports to both collectors, with 1 % hostile reports and 2 % replays to the other collector. At random moments the
// server that leads, a collector or a worker is killed (SIGKILL); a server is cut from the network for 10 s; the disk of one is
// full; a worker stands still; a kept tally is damaged by a flipped bit and its worker killed; all servers are killed and have lost
// what they acknowledged in their last seconds; everything is killed and started again, as soon as the servers have caught up with
// each other, or with --impatient at once. A device that got no receipt sends
// the same bytes again, to whichever collector. At the end: every device has a receipt; the streams have each of them once, with
// its own bytes, and nothing else; the tally and the estimate are equal to the bit to those of the streams in one process, which
// notices a report that is counted twice. The last line counts the checks.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { deserialize } from 'node:v8';
import { createCollector } from 'ldpkit';
import { collector, encodeBatch } from 'ldpkit/client';
import { hinge, lifted } from 'ldpkit/protocols/hinge';
import { COLLECTORS, needNats, playedCluster, WORKERS } from './cluster.mjs';
import { checkEstimates, estimateText, markName, optionsOf, sender } from './devices.mjs';
import { messagesOf } from './machines.mjs';
import { check, finish } from './serving.mjs';

const options = optionsOf({ faults: '9', reports: '20000', seed: 'faults', only: '' });
needNats();
const [faults, least] = [Number(options.faults), Number(options.reports)];
const { random, uniform, below } = options;

const parameters = lifted({ epsilon: 1, degree: 1, dimension: 4, grade: 'deployment' });
const { digest } = parameters;
// Devices share these: what a report says is no matter here, but that it is counted once.
const made = Array.from({ length: 4000 }, (_, i) => {
  const datum = { features: Float64Array.of(0.5, 0.5, i % 2 ? 0.5 : -0.5, 0.1), label: i % 3 ? 1 : -1 };
  return hinge.report.encode(parameters, hinge.player.randomize(parameters, datum, random));
});
const report = (device) => made[device % made.length];

const cluster = await playedCluster(hinge, parameters, {
  collecting: ['--minimum-players', '1'],
  partitions: 4,
  uniform,
  loopback: options.loopback,
  patient: !options.impatient,
  disk: `${64 + Math.ceil(least / 400)}m`,
});
const { addresses, states, saidBy, seeing, stream } = cluster;

/** Sends until there is a receipt, each time to one of the collectors. */
const sending = addresses.map((_, first) => {
  let turn = first;
  const send = (url, init) => fetch(new URL(url.pathname, addresses[turn++ % 2]), init);
  return collector(addresses[0], { attempts: 3000, wait: 50, timeout: 8000, fetch: send });
});

const batches = sender(addresses, digest, 8000);

async function sendBatch(devices) {
  const body = encodeBatch(devices.map((device) => ({ player: `device ${device}`, bytes: report(device) })));
  const headers = { 'content-type': 'application/vnd.ldpkit.batch' };
  const { said } = await batches.send('reports', headers, body, below(2));
  return said.receipts.map(({ outcome }) => outcome);
}

let devices = 0;
let hostile = 0;
const receipts = [];
/** Devices whose other report was counted: the servers had lost the first, and its collector had not offered it again yet. */
const second = new Set();

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
        if (outcome === 'counted') second.add(mine[0]);
        else if (outcome !== 'duplicate') throw new Error(`a replay was ${outcome}`);
      }
      // While faults are played there is no hurry.
      if (faulty && devices > least) await pause(100);
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, lane) => work(lane)));
}

/** Everything in the streams, in their order: each report with the mark of its player. */
async function* reports(manager, client) {
  for (let partition = 0; partition < 4; partition++) {
    for await (const { subject, data } of messagesOf(manager, client, stream(partition))) {
      yield { partition, mark: subject.split('.').at(-1), bytes: data.slice() };
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

/** Whether it is what a device has sent and was counted. */
const isOf = (device, bytes) =>
  Buffer.compare(bytes, report(device)) === 0 ||
  (second.has(device) && Buffer.compare(bytes, report(device + 1)) === 0);

async function compare(forgetful) {
  const marks = new Map();
  for (let device = 0; device < devices; device++) {
    marks.set(markName(`device ${device}`), device);
  }
  const parts = Array.from({ length: 4 }, tallying);
  let [own, found, twice] = [0, 0, undefined];
  await seeing(async (manager, client) => {
    for await (const { partition, mark, bytes } of reports(manager, client)) {
      const device = marks.get(mark);
      found++;
      // A mark that is met a second time is not there any more.
      if (device !== undefined && marks.delete(mark) && isOf(device, bytes)) own++;
      parts[partition].receive(bytes);
      twice ??= bytes;
    }
  });
  const [foreign, missing] = [found - own, devices - own];
  if (second.size > 0)
    process.stdout.write(`--   ${second.size} devices sent another report before the first was offered again\n`);
  check(
    'a second report is counted for nobody, but where the servers forgot the first',
    forgetful || second.size === 0,
  );
  if (foreign + missing > 0)
    process.stdout.write(`--   ${missing} devices are missing, ${foreign} messages are of none\n`);
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
    return estimateText(hinge.server.estimate(parameters, tally));
  };
  const here = whole();
  const said = await checkEstimates(cluster, here);
  check('ldpkit export writes all of them', said.startsWith(`wrote ${devices} reports`));
  parts[0].receive(twice);
  check(
    'control: the comparison notices one report that is counted twice',
    whole() !== here && !isDeepStrictEqual(kept[0], parts[0].state()),
  );
}

try {
  await cluster.startAll();
  // Spread over all reports.
  const playing = cluster.play(
    faults,
    options.only === '' ? undefined : options.only.split(','),
    (at) => devices >= (at / faults) * least,
  );
  await sendAll(playing);
  const played = await playing;
  // Until the servers have had leaders for a while, and both collectors have seen all their receipts in the streams.
  await pause(10_000);
  const all = ({ waiting, counted, unconfirmed }) => waiting === 0 && unconfirmed === 0 && counted >= devices;
  const tallies = await Promise.all(addresses.map((address) => cluster.until(address, all)));
  const of = (word) => receipts.filter((outcome) => outcome === word).length;
  process.stdout.write(
    `--   ${devices} devices: ${of('counted')} counted, ${of('duplicate')} after a lost answer; ${batches.attempts} batches sent again; ${hostile} hostile\n`,
  );
  check(
    `${faults} faults: every device has a receipt that says counted, or duplicate after a lost answer`,
    of('counted') + of('duplicate') === devices,
  );
  check(
    'both collectors count every device once, and have seen all that they gave receipts for in the streams',
    tallies.every((status) => status?.counted === devices && status.unconfirmed === 0),
  );
  const again = COLLECTORS.map((at) =>
    readFileSync(saidBy(at), 'utf8').matchAll(/missing, and offered again: ([\d,]+) report/g),
  );
  const offered = again
    .flatMap((said) => [...said])
    .reduce((sum, [, count]) => sum + Number(count.replaceAll(',', '')), 0);
  if (played.includes('power')) check('what the servers lost was offered again', offered > 0);
  process.stdout.write(
    `--   the servers had lost ${offered} reports with a receipt, which the collectors offered again\n`,
  );
  await compare(played.includes('power'));
  const damaged = WORKERS.some((at) => readFileSync(saidBy(at), 'utf8').includes('a damaged tally is made again'));
  if (played.includes('damage')) check('a worker noticed the flipped bit, and made the tally again', damaged);
} finally {
  await cluster.stopAll(options.keep);
}
finish();

// A stream in a cluster, with faults:
//
//   npm run build && node test/cluster/stream.mjs [--faults 4] [--steps 600] [--seed text] [--loopback] [--impatient] [--only collector,cut]
//
// Three NATS servers, two collectors and two workers as in jetstream.mjs, and a plan of online-sgd: what a player is asked is the
// state after all before. Devices fetch the step from one collector and send to another; of those who answer the same step one is
// counted. Leaders, collectors and workers are killed (SIGKILL), servers are cut off, everything is killed; who got no receipt sends
// the same bytes again. At the end: the stream has each device at most once; who is counted by a receipt is counted there, and who was
// refused at the first attempt is not; state and estimate are equal to the bit to those of the accepted order in one process, which
// notices one report less and two that have changed places. The last line counts the checks.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { deserialize } from 'node:v8';
import { collector } from 'ldpkit/client';
import { onlineSgd, onlineSgdPlan } from 'ldpkit/protocols/online-sgd';
import { COLLECTORS, needNats, playedCluster } from './cluster.mjs';
import { checkEstimates, checkOnce, estimateText, markName, messagesIn, optionsOf, sender } from './devices.mjs';
import { check, finish } from './serving.mjs';

const only = 'collector,leader,everything,cut';
const options = optionsOf({ faults: '4', steps: '600', seed: 'stream', only });
needNats();
const [faults, least] = [Number(options.faults), Number(options.steps)];
const { random, uniform } = options;

const parameters = onlineSgdPlan({
  variant: 'privUnit',
  epsilon: 4,
  grade: 'deployment',
  model: { kind: 'huber', features: 2 },
});
const { digest } = parameters;
const cluster = await playedCluster(onlineSgd, parameters, {
  collecting: ['--minimum-players', '1'],
  partitions: 1,
  uniform,
  loopback: options.loopback,
  patient: !options.impatient,
});
const { addresses, states, saidBy, seeing } = cluster;
const asking = addresses.map((address) => collector(address, { attempts: 1, timeout: 8000 }));

/** The bytes of each device, what its receipt said, and whether that was the answer to the first attempt. */
const sent = [];
const sending = sender(addresses, digest);

async function send(device) {
  const headers = { 'content-type': 'application/octet-stream', 'ldpkit-player': `device ${device}` };
  const { said, first } = await sending.send('report', headers, sent[device].bytes, device);
  Object.assign(sent[device], { outcome: said.outcome, first });
}

/** Devices answer the step that a collector publishes, until all faults have been played and so many steps are done. */
async function answerAll(playing) {
  let faulty = true;
  void playing.finally(() => {
    faulty = false;
  });
  let counted = 0;
  const lane = async (number) => {
    while (faulty || counted < least) {
      const received = await asking[(number + sent.length) % 2].round(digest).catch(() => undefined);
      if (received === undefined) {
        await pause(100);
        continue;
      }
      const step = onlineSgd.player.remake(parameters, received);
      const report = onlineSgd.player.randomize(
        step,
        { features: [1, 2 * uniform() - 1], response: uniform() },
        random,
      );
      const device = sent.push({ bytes: onlineSgd.report.encode(parameters, report) }) - 1;
      await send(device);
      if (sent[device].outcome === 'counted') counted++;
      if (faulty) await pause(50);
    }
  };
  await Promise.all(Array.from({ length: 4 }, (_, number) => lane(number)));
}

/** Reports in this order in one process: which are counted, the state as bytes, and the estimate. */
function folded(all) {
  const state = onlineSgd.server.start(parameters);
  const counted = new Set();
  for (const message of all) {
    try {
      onlineSgd.server.accept(parameters, state, onlineSgd.report.decode(parameters, message.bytes));
      counted.add(message);
    } catch {
      // It answers a step that is over.
    }
  }
  const estimate = estimateText(onlineSgd.server.estimate(parameters, state));
  return { counted, saved: Buffer.from(onlineSgd.server.save(parameters, state)), estimate };
}

/** The state that is kept in the cluster: after the kind (1 byte), the seal (32) and the sequence (8). */
const keptState = () =>
  seeing(async (manager) => {
    const message = await manager.streams.getMessage(states, { last_by_subj: `ldpkit.${digest}.tally.0` });
    return Buffer.from(deserialize(message.data.slice(41)).state);
  });

try {
  await cluster.startAll();
  const playing = cluster.play(faults, options.only.split(','));
  await answerAll(playing);
  await playing;
  await pause(10_000);
  const found = await messagesIn(cluster, 0);
  const here = folded(found);
  const names = new Map(sent.map((_, device) => [markName(`device ${device}`), device]));
  const counted = new Set([...here.counted].map(({ name }) => names.get(name)));
  const all = (status) => status.counted === counted.size && status.unconfirmed === 0;
  const standings = await Promise.all(addresses.map((address) => cluster.until(address, all)));
  const of = (word) => sent.filter(({ outcome }) => outcome === word).length;
  process.stdout.write(
    `--   ${sent.length} devices: ${of('counted')} counted, ${of('duplicate')} after a lost answer, ${of('refused')} refused ` +
      `and ${of('late')} late, since another one had answered the step; ${sending.attempts} requests sent again\n`,
  );
  const said = COLLECTORS.map((at) => readFileSync(saidBy(at), 'utf8')).join('');
  for (const [line] of said.matchAll(/^.*with a receipt.*$/gm)) process.stdout.write(`--   ${line}\n`);
  check(
    `${faults} faults: every device has a receipt, and at least ${least} are counted`,
    sent.every(({ outcome }) => ['counted', 'duplicate', 'refused', 'late'].includes(outcome)) && counted.size >= least,
  );
  checkOnce(found, names, sent);
  check(
    'who has a receipt that says so is counted in the stream, and who was refused at the first attempt is not',
    sent.every(({ outcome, first }, device) =>
      outcome === 'counted' || outcome === 'duplicate' ? counted.has(device) : !(first && counted.has(device)),
    ),
  );
  check('both collectors count the same, and have seen all that they gave receipts for', standings.every(all));
  let kept = await keptState();
  for (let attempt = 0; attempt < 40 && Buffer.compare(kept, here.saved) !== 0; attempt++) {
    await pause(500);
    kept = await keptState();
  }
  check(
    'the kept state is that of the accepted order in one process, to the bit',
    Buffer.compare(kept, here.saved) === 0,
  );
  await checkEstimates(cluster, here.estimate);
  const last = [...here.counted].at(-1);
  const first = [...here.counted][0];
  const changed = found.map((message) => (message === last ? first : message === first ? last : message));
  check(
    'control: the comparison notices one report less, and two that have changed places',
    [found.filter((message) => message !== last), changed].every((less) => {
      const wrong = folded(less);
      return wrong.estimate !== here.estimate && Buffer.compare(wrong.saved, here.saved) !== 0;
    }),
  );
} finally {
  await cluster.stopAll(options.keep);
}
finish();

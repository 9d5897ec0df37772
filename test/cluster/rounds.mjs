// Rounds in a cluster, with faults:
//
//   npm run build && node test/cluster/rounds.mjs [--faults 4] [--every 400] [--rounds 8] [--seed text] [--loopback] [--impatient] [--only collector,cut]
//
// Three NATS servers, two collectors and two workers as in jetstream.mjs. Both collectors are coordinators: whoever has read
// enough reports of a round writes its end into the stream. Besides, this script asks both at once to end rounds. Leaders,
// coordinators and workers are killed (SIGKILL), servers are cut off. Devices fetch the round from one collector and send to
// another; who got no receipt sends the same bytes again. At the end: the stream has each round's end once and each device
// at most once; what was counted by a receipt is counted in its round, and what was late at the first attempt is not; and the
// estimate is equal to the bit to that of the stream in one process. The last line counts the checks.
import { setTimeout as pause } from 'node:timers/promises';
import { collector, encodeBatch } from 'ldpkit/client';
import { oneBit, userLevelMean } from 'ldpkit/protocols/user-level-mean';
import { needNats, playedCluster } from './cluster.mjs';
import { checkEstimates, checkOnce, estimateText, markName, messagesIn, optionsOf, sender } from './devices.mjs';
import { check, finish } from './serving.mjs';

const only = 'leader,collector,cut,everything';
const options = optionsOf({ faults: '4', every: '400', rounds: '8', seed: 'rounds', only });
needNats();
const [faults, every, rounds] = [Number(options.faults), Number(options.every), Number(options.rounds)];
const { random, uniform, below } = options;

const shares = new Array(rounds).fill(1 / rounds);
const parameters = oneBit({ epsilon: 2, players: every * rounds, samples: 2, shares, grade: 'deployment' });
const { digest } = parameters;
const cluster = await playedCluster(userLevelMean, parameters, {
  collecting: ['--minimum-players', '1', '--close-every', `${every}`, '--coordinator', 'the coordinator'],
  partitions: 1,
  uniform,
  loopback: options.loopback,
  patient: !options.impatient,
});
const { addresses } = cluster;
const asking = addresses.map((address) => collector(address, { attempts: 1, timeout: 8000 }));

/** The bytes of each device, and what its receipt said, and whether it was the answer to the first attempt. */
const sent = [];
const sending = sender(addresses, digest);

async function sendBatch(devices) {
  const body = encodeBatch(devices.map((device) => ({ player: `device ${device}`, bytes: sent[device].bytes })));
  const headers = { 'content-type': 'application/vnd.ldpkit.batch' };
  const { said, first } = await sending.send('reports', headers, body, devices[0]);
  said.receipts.forEach(({ outcome }, i) => {
    Object.assign(sent[devices[i]], { outcome, first });
  });
}

/** Devices answer the round that a collector publishes, until one says that none is open. */
async function answerAll(playing) {
  let faulty = true;
  void playing.finally(() => {
    faulty = false;
  });
  const lane = async () => {
    for (;;) {
      const received = await asking[below(2)].round(digest).catch(() => null);
      if (received === undefined) return;
      if (received === null) {
        await pause(100);
        continue;
      }
      const round = userLevelMean.rounds.remake(parameters, received);
      const devices = Array.from({ length: 10 }, () => {
        const report = userLevelMean.player.randomize(round, { samples: [0.2, 0.4] }, random);
        return sent.push({ bytes: userLevelMean.report.encode(round, report) }) - 1;
      });
      await sendBatch(devices);
      if (faulty) await pause(200);
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
}

/** Asks both collectors at once to end the round, now and then; what they answer does not matter. */
async function hurry(over) {
  while (!over.aborted) {
    await pause(3000 + 4000 * uniform());
    const headers = { authorization: 'Bearer the coordinator' };
    const ask = (address) =>
      fetch(`${address}plans/${digest}/close`, { method: 'POST', headers, signal: AbortSignal.timeout(15_000) });
    await Promise.allSettled(addresses.map(ask));
  }
}

/** Messages in one process: which are counted, and the estimate. */
function folded(all) {
  const finished = [];
  const counted = new Set();
  let round = userLevelMean.rounds.first(parameters);
  let tally = userLevelMean.server.empty(round);
  for (const message of all) {
    if (message.name.startsWith('end-')) {
      finished.push({ round, tally });
      round = userLevelMean.rounds.next(parameters, finished);
      if (round === undefined) break;
      tally = userLevelMean.server.empty(round);
      continue;
    }
    try {
      userLevelMean.server.add(round, tally, userLevelMean.report.decode(round, message.bytes));
      counted.add(message);
    } catch {
      // It is of a round that is over.
    }
  }
  const estimate = estimateText(userLevelMean.rounds.estimate(parameters, finished));
  return { counted, estimate };
}

try {
  await cluster.startAll();
  const playing = cluster.play(faults, options.only.split(','));
  const over = new AbortController();
  const hurrying = hurry(over.signal);
  await answerAll(playing);
  await playing;
  over.abort();
  await hurrying;
  const found = await messagesIn(cluster, 0);
  const { counted: added, estimate } = folded(found);
  const names = new Map(sent.map((_, device) => [markName(`device ${device}`), device]));
  const ends = found.filter(({ name }) => name.startsWith('end-')).map(({ name }) => name);
  const seen = found.filter(({ name }) => !name.startsWith('end-'));
  const counted = new Set([...added].map(({ name }) => names.get(name)));
  const all = ({ round, counted: count, unconfirmed }) => round === null && count === counted.size && unconfirmed === 0;
  const standings = await Promise.all(addresses.map((address) => cluster.until(address, all)));
  const of = (word) => sent.filter(({ outcome }) => outcome === word).length;
  process.stdout.write(
    `--   ${sent.length} devices in ${ends.length} rounds: ${of('counted')} counted, ${of('duplicate')} after a lost answer, ` +
      `${of('late')} late; ${sending.attempts} batches sent again\n`,
  );
  check(
    `${faults} faults: every device has a receipt that says counted, duplicate or late`,
    of('counted') + of('duplicate') + of('late') === sent.length,
  );
  check('each round has one end', ends.length === rounds && new Set(ends).size === rounds);
  checkOnce(seen, names, sent);
  check(
    'who has a receipt that says so is counted in the stream, and who was late at the first attempt is not',
    sent.every(({ outcome, first }, device) =>
      outcome === 'late' ? !(first && counted.has(device)) : counted.has(device),
    ),
  );
  check('both collectors count the same, and have seen all that they gave receipts for', standings.every(all));
  await checkEstimates(cluster, estimate);
  // One of the last round: others decide what later rounds ask.
  const last = [...added].at(-1);
  const less = folded(found.filter((message) => message !== last));
  check('control: the comparison notices one report less', less.estimate !== estimate);
} finally {
  await cluster.stopAll(options.keep);
}
finish();

// The devices of a played cluster, what they sent, and what became of it: for scripts that compare receipts with streams.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { bits, seededRandom } from 'ldpkit';
import { playerMark } from '../../dist/src/core/door.js';
import { messagesOf } from './machines.mjs';
import { check, MAIN } from './serving.mjs';

/** The options of a script: those that all have, and its own with their defaults. */
export function optionsOf(own) {
  const flags = ['loopback', 'keep', 'impatient'].map((name) => [name, { type: 'boolean', default: false }]);
  const texts = Object.entries(own).map(([name, value]) => [name, { type: 'string', default: value }]);
  const { values } = parseArgs({ options: Object.fromEntries([...flags, ...texts]) });
  const random = seededRandom(values.seed);
  const uniform = () => bits(random) / 2 ** 32;
  return { ...values, random, uniform, below: (count) => Math.floor(count * uniform()) };
}

/** The name of a player's report in a stream of a plan in which everybody answers once. */
export function markName(player) {
  const mark = playerMark(player);
  return `0000${Buffer.from(mark.buffer, mark.byteOffset, mark.byteLength).toString('hex')}`;
}

/** Sends one body to collectors by turns until one has answered it; `attempts` counts those that were in vain. */
export function sender(addresses, digest, wait = 15_000) {
  const sending = {
    attempts: 0,
    /** The answer, and whether it was that to the first attempt; from the collector of this number on. */
    async send(path, headers, body, from) {
      for (let attempt = 0; attempt < 3000; attempt++) {
        try {
          const address = addresses[(from + attempt) % addresses.length];
          const signal = AbortSignal.timeout(wait);
          const answer = await fetch(`${address}plans/${digest}/${path}`, { method: 'POST', headers, body, signal });
          if (answer.ok) return { said: await answer.json(), first: attempt === 0 };
          await answer.arrayBuffer();
        } catch {
          // Whatever it was, the same bytes again.
        }
        sending.attempts++;
        await pause(100);
      }
      throw new Error('there was no receipt');
    },
  };
  return sending;
}

/** The messages of a partition in their order: their names and bytes. */
export const messagesIn = ({ seeing, stream }, partition) =>
  seeing(async (manager, client) => {
    const found = [];
    for await (const { subject, data } of messagesOf(manager, client, stream(partition))) {
      found.push({ name: subject.split('.').at(-1), bytes: data.slice() });
    }
    return found;
  });

/** Checks that a stream has each device at most once, with the bytes that it sent, and nothing else. */
export function checkOnce(messages, names, sent) {
  check(
    'the stream has each device at most once, with its own bytes, and nothing else',
    new Set(messages.map(({ name }) => name)).size === messages.length &&
      messages.every(({ name, bytes }) => names.has(name) && Buffer.compare(bytes, sent[names.get(name)].bytes) === 0),
  );
}

/** An estimate as a collector writes it. */
export const estimateText = (estimate) =>
  JSON.stringify(estimate, (_, value) => (ArrayBuffer.isView(value) ? Array.from(value) : value));

/** An estimate as text, without what it leaves open. */
const withoutUncertainty = (text) => JSON.stringify({ ...JSON.parse(text), uncertainty: undefined });

/** Checks that both collectors, and `ldpkit tally` from an export, give an estimate to the bit; what the export said. */
export async function checkEstimates({ folder, plan, servers, addresses, get }, estimate) {
  const [one, other] = await Promise.all(addresses.map((address) => get(address, 'estimate')));
  check(
    'both collectors give the estimate of the streams in one process, to the bit',
    one === other && withoutUncertainty(one) === estimate,
  );
  const file = join(folder, 'reports.parquet');
  const run = (...words) => execFileSync(process.execPath, [MAIN, ...words], { encoding: 'utf8' });
  const said = run('export', plan, '--cluster', servers, '--out', file);
  const tallied = run('tally', plan, file);
  check('ldpkit tally gives the same estimate from the export, to the bit', withoutUncertainty(tallied) === estimate);
  return said;
}

import { createCollector, createSequentialCollector } from '../../../src/core/collector.ts';
import type { PublicParameters } from '../../../src/core/contract.ts';
import { createRoundsCollector } from '../../../src/core/rounds-collector.ts';
import { peakMemory } from '../../environment/peak-memory.mjs';

// A program of its own, so that its heap can be bounded: so many players answer, and what they cost is printed. Its words are the
// kind of collector, how many players, and how many of them have ids that were cut from a request of a megabyte.

const [kind, players, cut] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];

// A protocol that costs nothing, so that what is measured is the collector.
const parameters: PublicParameters = { protocol: 'count', variant: 'count', version: 1, digest: '0'.repeat(32) };
const round = { ...parameters, round: 0, share: 1 };
const tallying = {
  empty: () => ({ players: 0 }),
  add(_: unknown, tally: { players: number }) {
    tally.players++;
  },
  merge(_: unknown, tally: { players: number }, other: { players: number }) {
    tally.players += other.players;
  },
};
const report = { encode: () => new Uint8Array(1), decode: () => 0 };
const protocol = { name: 'count', report, server: tallying };

type Receive = (bytes: Uint8Array, id: string) => { readonly outcome: string };

const KINDS: { readonly [kind: string]: () => Receive } = {
  once: () => createCollector(protocol, parameters).receive,
  replays() {
    // Every report is another, so that there are as many marks of reports as of players.
    const { receive } = createCollector(protocol, parameters, { refuseReplays: true });
    return (_, id) => receive(new TextEncoder().encode(id), id);
  },
  sequential() {
    const accept = (): 'in time' => 'in time';
    const unused = (): never => {
      throw new Error('not asked for');
    };
    const state = { start: () => 0, step: unused, accept, estimate: unused };
    const saved = { save: unused, restore: unused, toJson: unused, fromJson: unused };
    return createSequentialCollector({ name: 'count', report, server: { ...state, ...saved } }, parameters).receive;
  },
  rounds() {
    const rounds = {
      first: () => round,
      next: () => undefined,
      answers: () => 1,
      remake: () => round,
      estimate: () => 0,
    };
    return createRoundsCollector({ ...protocol, rounds }, parameters).receive;
  },
  // The control: ids kept as they came.
  ids() {
    const ids = new Set<string>();
    return (_, id) => {
      const outcome = ids.has(id) ? 'duplicate' : 'counted';
      ids.add(id);
      return { outcome };
    };
  },
};

/** The id of a player as a server gets it: by itself, or cut from the request that it came with. */
function idOf(player: number): string {
  if (player >= cut) return `player ${player}`.padStart(20);
  const request = `player ${player}`.padStart(2 ** 20);
  return request.slice(-20);
}

function used(): number {
  // Twice: array buffers found free by the first are given back by the second at the latest.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const receive = KINDS[kind]();
const bytes = new Uint8Array(1);
const before = used();
let counted = 0;
for (let player = 0; player < players; player++) if (receive(bytes, idOf(player)).outcome === 'counted') counted++;
// All of them are known: one in a thousand comes again.
for (let player = 0; player < players; player += 1000) {
  if (receive(bytes, `player ${player}`.padStart(20)).outcome === 'duplicate') counted++;
}
const each = (used() - before) / players;
const peak = peakMemory();
process.stdout.write(JSON.stringify({ counted, each, peak }));

import type { PlainRequest, PublicParameters } from '../core/contract.ts';
import {
  type Agreed,
  type DeployedRoundsPlayer,
  deployedPlayer,
  deployedRoundsPlayer,
  deployedSequentialPlayer,
  type Playable,
  type RoundsPlayable,
  type SequentialPlayable,
} from '../core/device.ts';
import type { RoundParameters, SequentialStep } from '../core/interactive.ts';
import { createLedger, guaranteeCap, type Ledger, memoryStore } from '../core/ledger.ts';
import type { Guarantee } from '../privacy/guarantee.ts';

/** One change that a server may have made in what it sends. */
export interface Lie {
  readonly what: string;
  /** The whole object with that change. */
  readonly sent: unknown;
}

const HOSTILE: readonly unknown[] = [
  0,
  -1,
  1,
  0.5,
  1e9,
  1e308,
  2 ** 53,
  Number.NaN,
  Infinity,
  '7',
  null,
  {},
  undefined,
];

/**
 * Everything that a server may change in one field of an object: each field at any depth becomes each of a list of
 * hostile values, or is missing. In arrays the first entry, the last entry and the length are changed.
 */
export function* liesAbout(honest: object): Iterable<Lie> {
  for (const path of pathsIn(honest)) {
    for (const value of HOSTILE) {
      const sent = structuredClone(honest);
      if (change(sent, path, value)) yield { what: `${path.join('.')} = ${String(value)}`, sent };
    }
  }
}

/** Values sent instead of the whole object that are not of its kind at all. */
export const STRANGERS: readonly Lie[] = [null, undefined, 7, 'x', [], {}, () => 0].map((sent) => ({
  what: `all of it: ${String(sent)}`,
  sent,
}));

/** The findings of an attack: empty where the device revealed nothing. */
export type Findings = string[];

/** What one device did: the bytes it sent, or its error message instead, and the content of its ledger afterwards. */
interface Outcome {
  readonly bytes?: string;
  readonly said: string;
  readonly entries: number;
}

/** A device under attack: the same coins for every datum. */
type Device = (ledger: Ledger, lie: unknown) => (datum: unknown) => Uint8Array;

/** The protocol with plans made once for each request: an attack requests the same plans thousands of times. */
function remembering<Protocol extends { make?(request: PlainRequest): unknown }>(protocol: Protocol): Protocol {
  const made = new Map<string, () => unknown>();
  const make = (request: PlainRequest): unknown => {
    const text = JSON.stringify(request);
    const again = made.get(text) ?? kept(() => protocol.make!(request));
    made.set(text, again);
    return again();
  };
  return { ...protocol, make };
}

function kept(call: () => unknown): () => unknown {
  try {
    const result = call();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** The words of every device, made once for the thousands of devices of an attack, and the state that the next one comes from. */
const coins: { state: number; readonly words: number[] } = { state: 1, words: [] };

function fixedWord(place: number): number {
  const { words } = coins;
  while (words.length <= place) {
    coins.state = (Math.imul(coins.state, 1664525) + 1013904223) >>> 0;
    words.push(((coins.state ^ (coins.state >>> 13)) * 0x9e3779b1) >>> 0);
  }
  return words[place];
}

/** The same random words for every device, so the lie or the datum causes every difference. */
function withFixedCoins<Result>(play: () => Result): Result {
  const { crypto } = globalThis;
  const original = crypto.getRandomValues;
  let spent = 0;
  const fixed = (target: Uint32Array): Uint32Array => {
    for (let i = 0; i < target.length; i++) target[i] = fixedWord(spent++);
    return target;
  };
  Object.defineProperty(crypto, 'getRandomValues', { value: fixed, configurable: true, writable: true });
  try {
    return play();
  } finally {
    if (Object.hasOwn(crypto, 'getRandomValues')) Reflect.deleteProperty(crypto, 'getRandomValues');
    if (crypto.getRandomValues !== original) {
      Object.defineProperty(crypto, 'getRandomValues', { value: original, configurable: true, writable: true });
    }
  }
}

function outcomeOf(device: Device, guarantee: Guarantee, lie: unknown, datum: unknown): Outcome {
  const ledger = createLedger({ cap: guaranteeCap(guarantee), store: memoryStore() });
  try {
    const bytes = withFixedCoins(() => device(ledger, lie)(datum));
    return { bytes: bytes.join(), said: 'an answer', entries: ledger.entries().length };
  } catch (error) {
    return { said: String(error), entries: ledger.entries().length };
  }
}

/** Whether a device answers, and its refusal, must be the same for all data. The ledger records answers only. */
function findingsIn(what: string, outcomes: readonly Outcome[]): Findings {
  const patterns = new Set(outcomes.map(({ said }) => said));
  return [
    ...(patterns.size > 1 ? [`${what}: ${[...patterns].join(' | ')}`] : []),
    ...outcomes
      .filter(({ bytes, entries }) => (bytes === undefined ? 0 : 1) !== entries)
      .map(({ entries }) => `${what}: ${entries} entries in the ledger`),
  ];
}

/**
 * Attacks the device of a one-shot protocol with every lie about its parameters: each is refused, or the agreed
 * parameters are still played, bit for bit. What happens is the same for all data.
 */
export function attackPlayer<Parameters extends PublicParameters, Datum, Report>(
  protocol: Playable<Parameters, Datum, Report>,
  honest: Parameters,
  data: readonly unknown[],
  lies: Iterable<Lie> = [...liesAbout(honest), ...STRANGERS],
): Findings {
  const played = remembering(protocol);
  const device: Device = (ledger, agreed) => deployedPlayer(played, agreed as Agreed, { ledger }).report;
  const guarantee = protocol.theory.guarantee(honest);
  const expected = data.map((datum) => outcomeOf(device, guarantee, honest, datum));
  const found: Findings = expected.filter(({ bytes }) => bytes === undefined).map(({ said }) => `honest: ${said}`);
  for (const { what, sent } of lies) {
    const outcomes = data.map((datum) => outcomeOf(device, guarantee, sent, datum));
    found.push(...findingsIn(what, outcomes));
    const [{ bytes }] = outcomes;
    if (bytes !== undefined && bytes !== expected[0].bytes) found.push(`${what}: believed`);
  }
  return found;
}

/**
 * Attacks the device of a protocol in rounds with every lie about a round, under the digest that was sent and under the
 * one that a careful liar computes for it. Whether there is an answer must be the same for all data.
 */
export function attackRound<Plan extends PublicParameters, Round extends RoundParameters, Datum, Report>(
  protocol: RoundsPlayable<Plan, Round, Datum, Report>,
  plan: Plan,
  round: Round,
  data: readonly unknown[],
  lies: Iterable<Lie> = [...liesAbout(round), ...STRANGERS],
): Findings {
  const played = remembering(protocol);
  const all = [...lies].flatMap((lie) => [lie, ...rehashed(() => protocol.rounds.remake(plan, lie.sent).digest, lie)]);
  const play = (ledger: Ledger) => deployedRoundsPlayer(played, plan, { ledger });
  return attackReceived('round', play, protocol.theory.guarantee(plan), round, data, all);
}

/** The lie under the digest that belongs to it; none where no digest can be computed for it. */
function rehashed(digest: () => string, { what, sent }: Lie): readonly Lie[] {
  if (sent === null || typeof sent !== 'object') return [];
  try {
    return [{ what: `${what}, with its digest`, sent: { ...structuredClone(sent), digest: digest() } }];
  } catch {
    return [];
  }
}

/** Attacks the device of a stream with every lie about a step: whether there is an answer is the same for all data. */
export function attackStep<Plan extends PublicParameters, Step extends SequentialStep<Plan>, Datum, Report>(
  protocol: SequentialPlayable<Plan, Step, Datum, Report>,
  plan: Plan,
  step: Step,
  data: readonly unknown[],
): Findings {
  const played = remembering(protocol);
  const { index, iterate } = step;
  const place = 'place' in step ? { place: step.place } : {};
  const honest = { index, iterate, plan: { digest: plan.digest }, ...place };
  const play = (ledger: Ledger) => deployedSequentialPlayer(played, plan, { ledger });
  const lies = [...liesAbout(honest), ...STRANGERS];
  return attackReceived('step', play, protocol.theory.guarantee(plan), honest, data, lies);
}

/** Sends a device the honest object, which it must answer, and then every lie: each outcome is the same for all data. */
function attackReceived(
  what: 'round' | 'step',
  play: (ledger: Ledger) => DeployedRoundsPlayer,
  guarantee: Guarantee,
  honest: object,
  data: readonly unknown[],
  lies: readonly Lie[],
): Findings {
  const device: Device = (ledger, received) => {
    const player = play(ledger);
    return (datum) => player.report(received, datum);
  };
  const outcomesOf = (sent: unknown): Outcome[] => data.map((datum) => outcomeOf(device, guarantee, sent, datum));
  const expected = outcomesOf(honest);
  const found = findingsIn('honest', expected);
  if (expected[0].bytes === undefined) found.push(`the honest ${what} is not answered`);
  for (const lie of lies) found.push(...findingsIn(lie.what, outcomesOf(lie.sent)));
  return found;
}

function* pathsIn(value: unknown, path: readonly string[] = []): Iterable<readonly string[]> {
  if (path.length > 0) yield path;
  if (value === null || typeof value !== 'object' || path.length > 5) return;
  const names = isList(value) ? ends(value.length) : Object.keys(value);
  for (const name of names) yield* pathsIn((value as Record<string, unknown>)[name], [...path, name]);
}

function isList(value: object): value is ArrayLike<unknown> & object {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}

function ends(length: number): string[] {
  return [...new Set([0, length - 1])].filter((index) => index >= 0).map(String);
}

/** Makes a change and returns whether it was possible: a typed array holds only numbers, and keeps its length. */
function change(target: unknown, path: readonly string[], value: unknown): boolean {
  let holder = target as Record<string, unknown>;
  for (const name of path.slice(0, -1)) holder = holder[name] as Record<string, unknown>;
  const name = path[path.length - 1];
  if (ArrayBuffer.isView(holder) && typeof value !== 'number') return false;
  if (value === undefined) delete holder[name];
  else holder[name] = value;
  return true;
}

import { describe, expect, test } from '@jest/globals';
import { sha256 } from '@noble/hashes/sha2.js';
import { type OnlineSgdRequest, onlineSgd, onlineSgdPlan } from '../../../protocols/online-sgd/index.ts';
import { gdp } from '../../../protocols/online-sgd/parameters.ts';
import { digestOf, type Json } from '../../../src/core/request.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

const { server, player } = onlineSgd;
type Plan = ReturnType<typeof gdp>;

const base = { model: { kind: 'huber', features: 1 }, mu: 1 } as const;
const full = gdp({
  ...base,
  batch: 2,
  burnIn: 2,
  stale: 'accept late',
  hessianMu: 1,
  inference: ['batch means', 'disjoint batch means', 'plug-in'],
});

/** The state after some reports; every fifth of step 1, where the plan takes late ones. */
function played(plan: Plan, count: number) {
  const state = server.start(plan);
  const random = seededRandom('saved');
  for (let i = 0; i < count; i++) {
    const report = player.randomize(server.step(plan, state), { features: [0.5], response: 0.2 }, random);
    if (plan.stale === 'accept late' && i % 5 === 4) report.step = 1;
    server.accept(plan, state, report);
  }
  return state;
}

/** The first word of what a call throws, `taken` where it throws nothing. */
function refusal(call: () => unknown): string {
  try {
    call();
    return 'taken';
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
}

/** Bytes and JSON with other numbers and checksums that fit: no damage, but a lie. */
function forgedBytes(plan: Plan, state: ReturnType<typeof played>): Uint8Array {
  return summed(server.save(plan, state));
}

function summed(bytes: Uint8Array): Uint8Array {
  bytes.set(sha256(bytes.subarray(0, -8)).subarray(0, 8), bytes.length - 8);
  return bytes;
}

describe('damage', () => {
  test('every flipped bit of the bytes is refused', () => {
    const plan = gdp(base);
    const bytes = server.save(plan, played(plan, 5));
    const taken: string[] = [];
    for (let i = 0; i < bytes.length; i++) {
      for (let bit = 0; bit < 8; bit++) {
        const flipped = bytes.slice();
        flipped[i] ^= 1 << bit;
        const found = refusal(() => server.restore(plan, flipped));
        if (!found.startsWith('ReportError')) taken.push(`byte ${i}, bit ${bit}: ${found}`);
      }
    }
    expect(taken).toEqual([]);
    expect(server.restore(plan, bytes)).toEqual(played(plan, 5));
  });

  test('every cut and every longer text of bytes is refused', () => {
    const bytes = server.save(full, played(full, 9));
    const taken: number[] = [];
    for (let length = 0; length <= bytes.length + 16; length++) {
      const other = new Uint8Array(length);
      other.set(bytes.subarray(0, length));
      if (length !== bytes.length && refusal(() => server.restore(full, other)) === 'taken') taken.push(length);
    }
    expect(taken).toEqual([]);
  });

  test('JSON with a flipped bit is refused, unless it spells the same values', () => {
    const plan = gdp(base);
    const text = JSON.stringify(server.toJson(plan, played(plan, 3)));
    const spelled = (value: Json): string => JSON.stringify(value);
    const taken: string[] = [];
    for (let i = 0; i < text.length; i++) {
      for (let bit = 0; bit < 7; bit++) {
        const flipped = text.slice(0, i) + String.fromCharCode(text.charCodeAt(i) ^ (1 << bit)) + text.slice(i + 1);
        let value: Json;
        try {
          value = JSON.parse(flipped) as Json;
        } catch {
          continue;
        }
        if (spelled(value) === text) continue;
        const found = refusal(() => server.fromJson(plan, value));
        if (!found.startsWith('ReportError')) taken.push(`${i}, bit ${bit}: ${found}`);
      }
    }
    expect(taken).toEqual([]);
    expect(server.fromJson(plan, JSON.parse(text) as Json)).toEqual(played(plan, 3));
  });

  test('JSON of another protocol, version or digest is refused, and so is one without its checksum', () => {
    const form = server.toJson(full, played(full, 4)) as { readonly [key: string]: Json };
    const { checksum, ...rest } = form;
    const found = [
      { ...form, protocol: 'hinge' },
      { ...form, version: 1 },
      { ...form, digest: '0'.repeat(32) },
      { ...form, checksum: null },
      { ...form, numbers: ['1'] },
      rest,
    ].map((value) => refusal(() => server.fromJson(full, value)).slice(0, 11));
    expect([checksum, found]).toEqual([digestOf(rest).slice(0, 16), Array(6).fill('ReportError')]);
  });
});

describe('a state with a checksum that fits is refused', () => {
  // Each is 9 reports in batches of 2 (4 steps, 2 after the first 2, one report late) with one thing that cannot be.
  test.each<[string, (state: ReturnType<typeof played>) => void]>([
    ['a player too many', (state) => state.players++],
    ['a player too few', (state) => state.players--],
    ['a step too many', (state) => state.steps++],
    ['a full open step', (state) => Object.assign(state, { gathered: 2, players: 10 })],
    ['more late than can be', (state) => Object.assign(state, { late: 8 })],
    ['a late report that nobody counted', (state) => Object.assign(state, { late: 0, openLate: true })],
    ['values of nobody', (state) => Object.assign(state, { gathered: 0, players: 8 })],
    ['a path that is too long', (state) => state.scaling.steps++],
    ['a path that is too short', (state) => state.scaling.steps--],
    ['a reference that moves at another time', (state) => Object.assign(state.scaling, { nextCentre: 3 })],
    ['batch means of another path', (state) => state.batchMeans!.steps--],
    ['disjoint batch means of another path', (state) => state.disjointBatchMeans!.steps++],
    ['gradients of more steps', (state) => Object.assign(state.released!, { steps: 3, nextCentre: 4 })],
    ['a Hessian too few', (state) => state.hessians!.count--],
    ['half a player', (state) => Object.assign(state, { late: 0.5 })],
    ['fewer than none late', (state) => Object.assign(state, { late: -1 })],
    ['an iterate that is not finite', (state) => state.iterate.fill(Infinity)],
    ['a sum that is not a number', (state) => state.scaling.products.fill(Number.NaN)],
  ])('%s', (_, change) => {
    const good = played(full, 9);
    expect(server.restore(full, forgedBytes(full, good))).toEqual(good);
    change(good);
    expect(refusal(() => server.restore(full, forgedBytes(full, good)))).toMatch(/^ReportError: "state" expected/);
  });

  test('the same goes for JSON', () => {
    const state = played(full, 9);
    state.players++;
    const form = server.toJson(full, state);
    expect(refusal(() => server.fromJson(full, form))).toMatch(/^ReportError: "state" expected as many players/);
  });

  test('another start, and late reports where there are none', () => {
    const plan = gdp(base);
    const moved = server.start(plan);
    moved.iterate[0] = 1;
    expect(refusal(() => server.restore(plan, server.save(plan, moved)))).toMatch(/the start of the plan/);
    const late = played(plan, 5);
    late.late = 1;
    expect(refusal(() => server.restore(plan, server.save(plan, late)))).toMatch(/no more late reports/);
  });

  test('a scale below the least', () => {
    const plan = gdp({ ...base, model: { kind: 'huber-scale', features: 1 } });
    const state = played(plan, 5);
    state.iterate[2] = 0.01;
    expect(server.restore(plan, server.save(plan, state))).toEqual(state);
    state.iterate[2] = 0.009;
    expect(refusal(() => server.restore(plan, server.save(plan, state)))).toBe(
      'ReportError: "state" expected a scale >= 0.01',
    );
  });
});

test('every state on the way is restored: batches, first steps left out, late reports', () => {
  const requests: OnlineSgdRequest[] = [1, 2, 3].flatMap((batch) =>
    [0, 1, 5].flatMap((burnIn) =>
      (['refuse', 'accept late'] as const).map((stale) => ({ variant: 'gdp' as const, ...base, batch, burnIn, stale })),
    ),
  );
  const refused: string[] = [];
  for (const request of requests) {
    const plan = onlineSgdPlan(request);
    for (let count = 0; count < 24; count++) {
      const state = played(plan, count);
      const found = [
        refusal(() => server.restore(plan, server.save(plan, state))),
        refusal(() => server.fromJson(plan, JSON.parse(JSON.stringify(server.toJson(plan, state))) as Json)),
      ];
      for (const each of found) if (each !== 'taken') refused.push(`${JSON.stringify(request)} ${count}: ${each}`);
    }
  }
  expect(refused).toEqual([]);
});

test('a state of more numbers than a call takes arguments is restored', () => {
  const plan = gdp({ model: { kind: 'huber', features: 400 }, mu: 1 });
  const state = server.start(plan);
  // One array alone is more than a call takes.
  expect(state.released!.crossProducts.length).toBe(401 * 401);
  const bytes = Buffer.from(server.save(plan, state));
  expect(bytes.equals(server.save(plan, server.restore(plan, bytes)))).toBe(true);
  expect(bytes.equals(server.save(plan, server.fromJson(plan, server.toJson(plan, state))))).toBe(true);
});

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createLedger, guaranteeCap, type LedgerOptions, memoryStore, pureCap } from '../../../src/core/ledger.ts';
import { deltaAt } from '../../../src/privacy/conversion.ts';
import { approximate, type Guarantee, gdp, pure, zcdp } from '../../../src/privacy/guarantee.ts';

const anything = { allows: 'anything', covers: () => true };
const charge = { protocol: 'coin', digest: 'd', occasion: '', guarantee: pure(1), round: 0, answers: 1 };

describe('a cap', () => {
  test('of pure ε adds up, to the last digit that was asked for, and takes nothing that is not pure', () => {
    const cap = pureCap(0.3);
    expect(cap.covers([])).toBe(true);
    expect(cap.covers([pure(0.1), pure(0.1), pure(0.1)])).toBe(true);
    expect(cap.covers([pure(0.3), pure(1e-9)])).toBe(false);
    expect(cap.covers([gdp(1e-9)])).toBe(false);
    expect(cap.covers([approximate({ epsilon: 0, delta: 1e-300 })])).toBe(false);
    for (const epsilon of [0, -1, Number.NaN, Infinity, '1' as never])
      expect(() => pureCap(epsilon)).toThrow(/^"epsilon"/);
  });

  test('of Gaussian privacy adds up squares: 3² + 4² = 5²', () => {
    const cap = guaranteeCap(gdp(5));
    expect(cap.covers([gdp(3), gdp(4)])).toBe(true);
    expect(cap.covers([gdp(3), gdp(4.01)])).toBe(false);
    expect(cap.covers([gdp(3), zcdp(0.1)])).toBe(false);
    expect(cap.covers([gdp(3), approximate({ epsilon: 0.1, delta: 1e-9 })])).toBe(false);
  });

  test('of (ε, δ) adds up what is stated, and reads the rest at the ε that is left', () => {
    const cap = guaranteeCap(approximate({ epsilon: 2, delta: 1e-5 }));
    const half = approximate({ epsilon: 1, delta: 5e-6 });
    expect(cap.covers([half, half])).toBe(true);
    expect(cap.covers([half, half, pure(0.001)])).toBe(false);
    expect(cap.covers([half, pure(1)])).toBe(true);
    expect(cap.covers([half, approximate({ epsilon: 0.5, delta: 6e-6 })])).toBe(false);
    // What is left after one half is (1, 5e-6).
    const within = (mu: number): boolean => deltaAt(gdp(mu), 1) <= 5e-6;
    for (const mu of [0.1, 0.2, 0.22, 0.25, 0.3, 0.5]) expect(cap.covers([half, gdp(mu)])).toBe(within(mu));
    expect([within(0.2), within(0.3)]).toEqual([true, false]);
  });

  test('of concentrated privacy, and of nothing that is no guarantee', () => {
    expect(guaranteeCap(zcdp(1)).covers([zcdp(0.5), gdp(1)])).toBe(true);
    expect(guaranteeCap(zcdp(1)).covers([zcdp(0.51), gdp(1)])).toBe(false);
    expect(() => guaranteeCap({ kind: 'pure', epsilon: -1 })).toThrow(/epsilon/);
  });

  test('never covers more when something is added', () => {
    const guarantee: fc.Arbitrary<Guarantee> = fc.oneof(
      fc.double({ min: 0.01, max: 3, noNaN: true }).map(pure),
      fc.double({ min: 0.01, max: 3, noNaN: true }).map(gdp),
      fc.double({ min: 0.01, max: 3, noNaN: true }).map((epsilon) => approximate({ epsilon, delta: 1e-7 })),
    );
    fc.assert(
      fc.property(guarantee, fc.array(guarantee, { minLength: 1, maxLength: 5 }), guarantee, (most, spent, more) => {
        const cap = guaranteeCap(most);
        expect(cap.covers(spent) || !cap.covers([...spent, more])).toBe(true);
      }),
      { seed: 13, numRuns: 300 },
    );
  });
});

describe('a ledger', () => {
  test.each<unknown>([
    { kind: 'approximate', epsilon: -1, delta: 1e-6 },
    { kind: 'pure', epsilon: -1 },
    { kind: 'gdp', mu: -1 },
    { kind: 'pure', epsilon: NaN },
    { kind: 'none' },
    null,
  ])('refuses what is no guarantee before anything is written, and goes on: %j', (guarantee) => {
    const most = approximate({ epsilon: 1, delta: 1e-6 });
    for (const cap of [pureCap(1), guaranteeCap(most)]) {
      const store = memoryStore();
      const ledger = createLedger({ cap, store });
      const charge = {
        protocol: 'x',
        digest: 'a',
        occasion: '',
        guarantee: guarantee as Guarantee,
        round: 0,
        answers: 1,
      };
      expect(() => ledger.charge(charge)).toThrow(/^"(guarantee|epsilon|mu)/);
      expect(store.read()).toBeUndefined();
      ledger.charge({ ...charge, guarantee: pure(1) });
      expect(() => ledger.charge({ ...charge, digest: 'b', guarantee: pure(1) })).toThrow(/^"cap"/);
    }
  });

  test('charges a transcript once, whatever its rounds, and lets it answer them in order', () => {
    const ledger = createLedger({ cap: pureCap(1), store: memoryStore() });
    const round = (i: number) => () => ledger.charge({ ...charge, answers: 3, round: i });
    round(0)();
    expect(round(0)).toThrow(/has answered$/);
    round(2)();
    expect(round(1)).toThrow(/has answered$/);
    round(5)();
    expect(round(6)).toThrow(/has answered$/);
    expect(ledger.entries()).toEqual([
      { protocol: 'coin', digest: 'd', occasion: '', guarantee: pure(1), rounds: [0, 2, 5] },
    ]);
  });

  test('spends both guarantees of a transcript whose program states another one in a later round', () => {
    const ledger = createLedger({ cap: pureCap(1.75), store: memoryStore() });
    const answer = (round: number, epsilon: number) => () =>
      ledger.charge({ ...charge, answers: 4, round, guarantee: pure(epsilon) });
    answer(0, 1)();
    answer(1, 0.5)();
    // Either program may come again: what it states is spent already.
    answer(2, 1)();
    expect(answer(2, 0.5)).toThrow(/has answered$/);
    answer(3, 0.5)();
    expect(answer(4, 0.5)).toThrow(/has answered$/);
    const spent = ledger.entries().map(({ guarantee, rounds }) => [guarantee, rounds]);
    expect(spent).toEqual([
      [pure(1), [0, 1, 2]],
      [pure(0.5), [0, 1, 2, 3]],
    ]);
    const other = (epsilon: number) => () => ledger.charge({ ...charge, digest: 'e', guarantee: pure(epsilon) });
    expect(other(0.5)).toThrow(/^"cap"/);
    other(0.25)();
  });

  test('forgets nothing when the program is started again, and what is over the cap changes nothing', () => {
    const store = memoryStore();
    const started = () => createLedger({ cap: pureCap(2.5), store });
    for (const digest of ['a', 'b']) started().charge({ ...charge, digest });
    const before = store.read();
    expect(() => started().charge({ ...charge, digest: 'c' })).toThrow(/^"cap" expected to be kept/);
    expect(store.read()).toBe(before);
    started().charge({ ...charge, digest: 'c', guarantee: pure(0.5) });
    expect(
      started()
        .entries()
        .map(({ digest }) => digest),
    ).toEqual(['a', 'b', 'c']);
  });

  test('with a period counts the answers of the last one only; a clock that was set back forgives nothing', () => {
    let time = 1000;
    const options: LedgerOptions = { cap: pureCap(1), store: memoryStore(), period: 30, now: () => time };
    const ask = (digest: string) => () => createLedger(options).charge({ ...charge, digest });
    ask('a')();
    time = 1029;
    expect(ask('b')).toThrow(/^"cap"/);
    time = 1030;
    ask('b')();
    time = 5;
    expect(ask('c')).toThrow(/^"cap"/);
    time = Number.NaN;
    expect(ask('c')).toThrow(/^"now"/);
    // Once is once, however long ago.
    time = 1e6;
    expect(ask('a')).toThrow(/has answered$/);
    ask('c')();
    expect(createLedger(options).entries()).toHaveLength(3);
    for (const wrong of [{ period: 0 }, { period: -1 }, { period: Number.NaN }, { period: 30, now: undefined }]) {
      expect(() => createLedger({ ...options, ...wrong } as LedgerOptions)).toThrow(/^"(period|now)" expected/);
    }
  });

  test.each(['cap', 'store'] as const)('is refused where it is made without a %s', (field) => {
    for (const wrong of [undefined, null, {}, 1]) {
      const made = (): unknown => createLedger({ cap: anything, store: memoryStore(), [field]: wrong } as never);
      expect(made).toThrow(TypeError);
      expect(made).toThrow(new RegExp(`^"${field}" expected a ${field}, got `));
    }
  });

  test('stops all answers when its store holds something else, and says nothing of what it holds', () => {
    const kept = memoryStore();
    createLedger({ cap: anything, store: kept }).charge(charge);
    const good = kept.read() as string;
    const bad = [
      '',
      'null',
      '[]',
      '{}',
      '{"schema":"ldpkit-ledger-1"}',
      good.slice(0, -2),
      good.replace('ledger-1', 'ledger-2'),
      good.replace('"epsilon":1', '"epsilon":-1'),
      good.replace('"rounds":[0]', '"rounds":[]'),
      good.replace('"rounds":[0]', '"rounds":["secret"]'),
      good.replace('"digest":"d"', '"digest":7'),
    ];
    for (const text of bad) {
      const ledger = createLedger({ cap: anything, store: { read: () => text, write: () => undefined } });
      const error = new Error('"store" expected a ledger that was written here');
      expect(() => ledger.charge({ ...charge, digest: 'e' })).toThrow(error);
      expect(() => ledger.entries()).toThrow(error);
    }
    expect(createLedger({ cap: anything, store: { read: () => good, write: () => undefined } }).entries()).toHaveLength(
      1,
    );
  });
});

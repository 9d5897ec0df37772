// Definition 2 and neighbours of players: how an audit shares out its reports and its failure, which pair it attacks, and which rounds a
// player answers in.
import { describe, expect, test } from '@jest/globals';
import { audit } from '../../src/audit/audit.ts';
import { exactEpsilon } from '../../src/audit/claim.ts';
import { planAudit } from '../../src/audit/plan.ts';
import type { AuditTarget } from '../../src/audit/target.ts';
import { transcriptTarget } from '../../src/audit/transcript.ts';
import type { AuditPair } from '../../src/core/contract.ts';
import { approximate, gdp, pure } from '../../src/privacy/guarantee.ts';
import { bernoulli, normal } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';

const { log } = Math;

/** A Gaussian shift of μ, or the coin of a probability. */
type Datum = { readonly law: 'shift' | 'coin'; readonly at: number };

const randomize = (_: undefined, { law, at }: Datum, random: Parameters<typeof normal>[0]): number =>
  law === 'shift' ? at + normal(random) : Number(bernoulli(at, random));

const shift = (mu: number): AuditPair<Datum> => ({
  name: `shift ${mu}`,
  first: { law: 'shift', at: mu },
  second: { law: 'shift', at: 0 },
});

const coin = (p: number): AuditPair<Datum> => ({
  name: `coin ${p}`,
  first: { law: 'coin', at: p },
  second: { law: 'coin', at: 1 - p },
});

const ratioOf =
  ({ first, second }: AuditPair<Datum>) =>
  (report: number): number => {
    if (first.law === 'shift') return first.at * report - first.at ** 2 / 2;
    return report === 1 ? log(first.at / second.at) : log((1 - first.at) / (1 - second.at));
  };

describe('the plan of an audit', () => {
  test.each([true, false])('says how many reports it has drawn (two pairs, densities known: %p)', (known) => {
    let drawn = 0;
    const target: AuditTarget<undefined, Datum, number> = {
      player: {
        randomize: (parameters, datum, random) => {
          drawn++;
          return randomize(parameters, datum, random);
        },
      },
      parameters: undefined,
      claimed: gdp(1),
      auditing: {
        pairs: () => [shift(1), shift(0.5)],
        view: (_, report) => [report],
        ...(known ? { logLikelihoodRatio: (_: undefined, pair: AuditPair<Datum>) => ratioOf(pair) } : {}),
      },
    };
    const random = seededRandom('shares');
    const { shares, counted, trials } = planAudit(target, { trials: 100_000, random, twoReports: false });
    // One more for the width of a report, for each attack.
    const looked = drawn - shares.search - shares.learn;
    expect(looked).toBeGreaterThanOrEqual(0);
    expect(looked).toBeLessThanOrEqual(4);
    expect(shares.count).toBe(2 * counted.alone);
    expect(shares.search + shares.learn + shares.count).toBeGreaterThan(trials - 4);
    expect(shares.search + shares.learn + shares.count).toBeLessThanOrEqual(trials);
  });

  // J = 20.25 for a shift of 4.5, which is 4.5-Gaussian; the coin of .9999 is 2Φ⁻¹(.9999) = 7.4-Gaussian with J = 18.4. As μ the
  // coin is the worse; J itself would say the shift.
  test('attacks what is worst as a μ: a coin that lies once in 10⁴ rather than a shift of 4.5', () => {
    const pairs = [shift(4.5), coin(0.9999)];
    const target: AuditTarget<undefined, Datum, number> = {
      player: { randomize },
      parameters: undefined,
      claimed: gdp(1),
      auditing: {
        pairs: () => pairs,
        view: (_, report) => [report],
        logLikelihoodRatio: (_, pair) => ratioOf(pair),
      },
    };
    const { pair } = planAudit(target, { trials: 1_000_000, random: seededRandom('worst'), twoReports: false });
    expect(pair.name).toBe('coin 0.9999');
    // Control: beside a coin that lies one time in five a shift of 4.5 is.
    pairs[1] = coin(0.8);
    expect(planAudit(target, { trials: 1_000_000, random: seededRandom('worst') }).pair.name).toBe('shift 4.5');
  });

  test('of enumerated channels takes the one that exceeds any claim most, not all of them', () => {
    // e³ on an event of probability .02 or less breaks ε = 1 and is within δ = .1; odds of e^.9 come near both claims and break none.
    const rare = [0.02, 0.98];
    const rarer = [0.02 * Math.exp(-3), 1 - 0.02 * Math.exp(-3)];
    const fair = 1 / (1 + Math.exp(-0.9));
    const pairs = [
      { name: 'answers', first: 0, second: 1 },
      { name: 'rare', first: 2, second: 3 },
    ];
    const target: AuditTarget<undefined, number, number> = {
      player: { randomize: () => 0 },
      parameters: undefined,
      claimed: [pure(1), approximate({ epsilon: 1, delta: 0.1 })],
      auditing: {
        pairs: () => pairs,
        view: (_, report) => [report],
        channel: (_, datum) => [[fair, 1 - fair], [1 - fair, fair], rare, rarer][datum],
      },
    };
    const { pair, claims, verdict } = audit(target, { trials: 0, random: seededRandom('none') });
    expect([pair, verdict]).toEqual(['rare', 'violation']);
    expect(claims[0].lowerBound).toBeCloseTo(3, 9);
    expect(claims[1].refuted).toBe(false);
  });
});

describe('the result of an audit', () => {
  const target: AuditTarget<undefined, Datum, number> = {
    player: { randomize },
    parameters: undefined,
    claimed: gdp(2),
  };
  const pair = shift(1);

  test('each event has a probability under either datum; all of them fail with 1 − confidence', () => {
    const options = { pair, trials: 40_000, logLikelihoodRatio: ratioOf(pair), confidence: 0.95 };
    const { alone, together } = planAudit(target, { ...options, random: seededRandom('events') });
    const { split } = audit(target, { ...options, random: seededRandom('events') });
    const events = alone.events.length + together.events.length;
    expect(events).toBeGreaterThan(0);
    expect(split.probabilities).toBe(2 * events);
    expect(split.probabilities * split.failureOfEach).toBeCloseTo(0.05, 12);
  });

  test('a μ below 1 reads as an ε above 0 at δ = 10⁻⁵: 4.38 at μ = 1', () => {
    const options = { pair, trials: 400_000, logLikelihoodRatio: ratioOf(pair), lastBits: false };
    const { lowerBound, muLowerBound } = audit(target, { ...options, random: seededRandom('epsilon') });
    expect(muLowerBound).toBeGreaterThan(0.9);
    expect(lowerBound).toBeGreaterThan(3.7);
    expect(lowerBound).toBeLessThan(4.38);
  });
});

test('a player answers in the round whose segment of places has its own: shares .5, .1 and .4', () => {
  const rounds = [0.5, 0.1, 0.4].map((share, round) => ({ share, round }));
  const protocol = {
    name: 'three rounds',
    player: { randomize: ({ round }: { round: number }) => round },
    theory: { guarantee: () => pure(1), certificate: () => ({ claimed: pure(1), totals: [] }) },
    auditing: { pairs: () => [{ name: 'any', first: 0, second: 1 }], view: (_: object, report: number) => [report] },
  };
  const { player, parameters } = transcriptTarget(protocol as never, { protocol: 'x' } as never, rounds as never);
  const random = seededRandom('places');
  const counts = [0, 0, 0];
  let others = 0;
  for (let i = 0; i < 20_000; i++) {
    const answered = player
      .randomize(parameters, 0 as never, random)
      .reports.flatMap((report, r) => (report === undefined ? [] : [r]));
    if (answered.length !== 1) others++;
    counts[answered[0]]++;
  }
  expect(others).toBe(0);
  // Six standard deviations of a count: a false alarm once in 10⁸.
  [0.5, 0.1, 0.4].forEach((share, r) => {
    expect(Math.abs(counts[r] - 20_000 * share)).toBeLessThan(6 * Math.sqrt(20_000 * share * (1 - share)));
  });
});

test('ε at δ from two outputs, where a third has no weight under the first law: .9 − 2·.3 < .4, so that ε = log((1 − .4)/.35)', () => {
  expect(exactEpsilon([0.9, 0.1, 0], [0.3, 0.05, 0.65], 0.4)).toBeCloseTo(Math.log(0.6 / 0.35), 12);
  // At δ = .2 the first output alone decides.
  expect(exactEpsilon([0.9, 0.1, 0], [0.3, 0.05, 0.65], 0.2)).toBeCloseTo(Math.log(0.7 / 0.3), 12);
});

import { describe, expect, test } from '@jest/globals';
import { audit, concludeAudit } from '../../../src/audit/audit.ts';
import { auditShare, mergeShares, planAudit } from '../../../src/audit/plan.ts';
import type { AuditOptions, AuditTarget } from '../../../src/audit/target.ts';
import { certificate } from '../../../src/privacy/certificate.ts';
import { approximate, type Guarantee, gdp, pure, zcdp } from '../../../src/privacy/guarantee.ts';
import { gaussianRelease } from '../../../src/privacy/totals.ts';
import { bernoulli, normal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

type Target = AuditTarget<undefined, number, number>;
const pair = { name: 'zero and one', first: 0, second: 1 };
const parameters = undefined;

/** Binary randomized response. */
const response = (epsilon: number, claimed: Guarantee): Target => ({
  player: {
    randomize: (_, datum, random) => (bernoulli(1 / (1 + Math.exp(-epsilon)), random) ? datum : 1 - datum),
  },
  parameters,
  claimed,
});

/** A normal report of sensitivity 1, in single precision. */
const gaussian = (mu: number, claimed: Guarantee | readonly Guarantee[]): Target => ({
  player: { randomize: (_, datum, random) => Math.fround(datum + normal(random) / mu) },
  parameters,
  claimed,
});

const run = (target: Target, options: Partial<AuditOptions<number, number>> = {}) =>
  audit(target, { pair, trials: 100_000, random: seededRandom('audit'), ...options });

// Every honest audit below may exceed the truth with probability 1 % (its confidence is 99 %); the seeds are fixed.
describe('power', () => {
  test.each([0.5, 1, 2, 4])(
    'randomized response at ε = %p is bounded above 90 % of it by 250,000 reports',
    (epsilon) => {
      for (const known of [true, false]) {
        const logLikelihoodRatio = (report: number): number => (report === 0 ? epsilon : -epsilon);
        const result = run(response(epsilon, pure(epsilon)), {
          trials: 250_000,
          ...(known ? { logLikelihoodRatio } : {}),
        });
        expect(result.method).toBe(known ? 'likelihood ratio' : 'learned score');
        expect(result.verdict).toBe('consistent');
        expect(result.lowerBound).toBeGreaterThan(0.9 * epsilon);
        expect(result.lowerBound).toBeLessThanOrEqual(epsilon);
      }
    },
  );

  test.each([0.5, 1, 3])('a Gaussian report at μ = %p is bounded above 90 % of it by 250,000 reports', (mu) => {
    const result = run(gaussian(mu, gdp(mu)), {
      trials: 250_000,
      logLikelihoodRatio: (report) => mu * mu * (0.5 - report),
    });
    expect(result.verdict).toBe('consistent');
    expect(result.muLowerBound).toBeGreaterThan(0.9 * mu);
    expect(result.muLowerBound).toBeLessThanOrEqual(mu);
    expect(result.lowerBoundBy).toBe('Gaussian curve');
  });

  test('a claim that is a little too good is refuted, one that just holds is not', () => {
    expect(run(response(1, pure(0.95)), { trials: 400_000 }).verdict).toBe('violation');
    expect(run(response(1, pure(1))).verdict).toBe('consistent');
    expect(run(gaussian(1, gdp(0.95)), { trials: 400_000 }).verdict).toBe('violation');
    expect(run(gaussian(1, zcdp(0.25)), { trials: 400_000 }).verdict).toBe('violation');
    expect(run(gaussian(1, zcdp(0.5))).verdict).toBe('consistent');
    expect(run(gaussian(1, approximate({ epsilon: 1, delta: 0.05 })), { trials: 400_000 }).verdict).toBe('violation');
    expect(run(gaussian(1, approximate({ epsilon: 1, delta: 0.13 }))).verdict).toBe('consistent');
  });

  test('one refuted claim of several makes the verdict, and names its evidence', () => {
    const result = run(gaussian(1, [approximate({ epsilon: 6, delta: 1e-6 }), gdp(0.8)]), { trials: 400_000 });
    expect(result.claims.map(({ refuted }) => refuted)).toEqual([false, true]);
    expect(result.verdict).toBe('violation');
    expect(result.claimed).toEqual(approximate({ epsilon: 6, delta: 1e-6 }));
    expect(result.delta).toBe(1e-6);
    expect(result.lowerBoundBy).toBe('events');
  });

  test('the last bits of a report in double precision are attacked unless asked not to', () => {
    const double: Target = {
      player: { randomize: (_, datum, random) => datum + normal(random) },
      parameters,
      claimed: gdp(1),
    };
    expect(run(double)).toMatchObject({ verdict: 'violation', evidence: 'last bits of z[0]', lastBits: true });
    expect(run(double, { lastBits: false })).toMatchObject({ verdict: 'consistent', lastBits: false });
  });
});

// P(a bound exceeds the truth) ≤ 20 % in each of 150 audits, at a claim that is exactly the truth: more than 49 would have a
// probability below 1e-3 (binomial). A bound without confidence, the control, exceeds it in about half of them.
test('bounds at a confidence of 80 % exceed the truth in at most a fifth of all audits', () => {
  let violations = 0;
  let naive = 0;
  const target = response(1, pure(1));
  for (let seed = 0; seed < 150; seed++) {
    const random = seededRandom(seed);
    const options = { pair, trials: 4000, random, confidence: 0.8, twoReports: false };
    const plan = planAudit(target, options);
    const counts = auditShare(target, plan, options);
    if (concludeAudit(plan, counts).verdict === 'violation') violations++;
    const { first, second } = counts.alone;
    if (Math.log(first[0] / second[0]) > 1) naive++;
  }
  expect(violations).toBeLessThanOrEqual(49);
  expect(violations).toBeGreaterThan(0);
  expect(naive).toBeGreaterThan(49);
});

describe('finite channels', () => {
  const target = (epsilon: number, keep: number): Target => ({
    ...response(epsilon, pure(epsilon)),
    auditing: {
      pairs: () => [{ name: 'the same', first: 1, second: 1 }, pair],
      view: (_, report) => [report],
      channel: (_, datum) => [datum === 0 ? keep : 1 - keep, datum === 0 ? 1 - keep : keep],
    },
  });

  test('are enumerated, on the worst pair, without a single report', () => {
    const honest = audit(target(1, 1 / (1 + Math.exp(-1))), { trials: 0, random: seededRandom('none') });
    expect(honest).toMatchObject({ method: 'enumeration', pair: 'zero and one', verdict: 'consistent', trials: 0 });
    expect(honest.lowerBound).toBeCloseTo(1, 12);
    expect(audit(target(1, 0.74), { trials: 0, random: seededRandom('none') }).verdict).toBe('violation');
    const revealing = audit(target(1, 1), { trials: 0, random: seededRandom('none') });
    expect(JSON.parse(JSON.stringify(revealing)).lowerBound).toBe(Number.MAX_VALUE);
  });

  test('that the player does not follow are refuted by its reports', () => {
    const liar = { ...target(2, 1 / (1 + Math.exp(-1))), claimed: pure(1) };
    const result = audit(liar, { trials: 50_000, random: seededRandom('liar') });
    expect(result).toMatchObject({ verdict: 'violation', method: 'learned score', pair: 'zero and one' });
  });
});

describe('shards', () => {
  const target = gaussian(1, [gdp(1), pure(3)]);
  const options = { pair, trials: 60_000, random: seededRandom('shards') };
  const plan = planAudit(target, options);
  const shard = (at: number, shards: number) =>
    auditShare(target, plan, { random: seededRandom('shards').stream(at), shard: at, shards });

  test('add up to all the trials, in any order', () => {
    const shares = [0, 1, 2, 3, 4].map((at) => shard(at, 5));
    const sum = shares.reduce(mergeShares);
    expect(sum.alone.trials).toBe(plan.counted.alone);
    expect(sum.together.trials).toBe(plan.counted.together);
    expect(concludeAudit(plan, ...shares)).toEqual(concludeAudit(plan, ...shares.toReversed()));
    const { search, learn, count, twoReports } = plan.shares;
    expect(search + learn + count + twoReports).toBeLessThanOrEqual(60_000);
    expect(search + learn + count + twoReports).toBeGreaterThan(59_000);
  });

  test('can be counted from a plan that was sent to another thread', () => {
    const sent = structuredClone(plan);
    const counts = auditShare(target, sent, { random: seededRandom('shards').stream(1), shard: 1, shards: 2 });
    expect(counts).toEqual(shard(1, 2));
    expect(concludeAudit(sent, counts)).toEqual(concludeAudit(plan, counts));
  });

  test('of other plans are refused, and so is a shard that does not exist', () => {
    const other = { trials: 1, first: [], second: [] };
    expect(() => mergeShares(shard(0, 2), { alone: other, together: other })).toThrow('"counts" expected those of');
    expect(() => shard(2, 2)).toThrow('"shard" expected a whole number from 0 to 1, got 2');
  });
});

describe('the result', () => {
  test('is plain data that says how the confidence was split, and the same for the same coins', () => {
    const result = run(gaussian(1, gdp(1)), { trials: 20_000 });
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
    expect(result).toEqual(run(gaussian(1, gdp(1)), { trials: 20_000 }));
    expect(result.split.probabilities * result.split.failureOfEach).toBeCloseTo(0.01, 15);
    expect(result).toMatchObject({
      confidence: 0.99,
      trials: 20_000,
      pair: 'zero and one',
      searched: ['zero and one'],
    });
  });

  test('of an (ε, δ) theory audits the Gaussian total of its certificate as well', () => {
    const claim = approximate({ epsilon: 4, delta: 1e-5 });
    const release = gaussianRelease({ what: 'x', count: 1, sensitivity: 1, sigma: 1 });
    const theory = {
      guarantee: () => claim,
      certificate: () => certificate({ protocol: 'p', variant: 'm', releases: [release], claimed: claim }),
    };
    const { player } = gaussian(1.25, claim);
    const result = run({ player, parameters, theory }, { trials: 400_000 });
    expect(result.claims.map(({ claimed }) => claimed)).toEqual([claim, gdp(1)]);
    expect(result.claims.map(({ refuted }) => refuted)).toEqual([false, true]);
  });

  test('searches the pairs of a target for the worst one', () => {
    const auditing = {
      pairs: () => [
        { name: 'near', first: 0, second: 0.1 },
        { name: 'far', first: 0, second: 1 },
        { name: 'middle', first: 0, second: 0.5 },
      ],
      view: (_: undefined, report: number) => [report],
    };
    const result = audit({ ...gaussian(1, gdp(1)), auditing }, { trials: 100_000, random: seededRandom('pairs') });
    expect(result).toMatchObject({ pair: 'far', searched: ['near', 'far', 'middle'], verdict: 'consistent' });
    expect(result.shares.search).toBeGreaterThan(0);
  });
});

describe('refusals', () => {
  const { player } = response(1, pure(1));

  test.each([
    ['no claim', () => audit({ player, parameters }, { pair, trials: 2000, random: seededRandom(1) }), TypeError],
    ['no pair', () => audit(response(1, pure(1)), { trials: 2000, random: seededRandom(1) }), TypeError],
    ['too few reports', () => run(response(1, pure(1)), { trials: 1999 }), RangeError],
    ['no trials', () => run(response(1, pure(1)), { trials: 0 }), RangeError],
    ['a confidence of 1', () => run(response(1, pure(1)), { confidence: 1 }), RangeError],
    ['a claim that is none', () => run(response(1, { kind: 'pure', epsilon: -1 })), RangeError],
    ['an empty list of claims', () => run(gaussian(1, [])), TypeError],
    [
      'reports of different lengths',
      () => run(gaussian(1, gdp(1)), { view: (z) => (z > 3 ? [z, z] : [z]) }),
      RangeError,
    ],
  ])('%s', (_, attempt, kind) => {
    expect(attempt).toThrow(kind);
  });

  test('a likelihood ratio without its pair', () => {
    const attempt = () =>
      audit(response(1, pure(1)), { trials: 2000, random: seededRandom(1), logLikelihoodRatio: (z) => z });
    expect(attempt).toThrow('"pair" expected two data for the likelihood ratio, got none');
  });

  test.each([
    ['is no function', () => 5, 'a function of a report, got 5'],
    ['is no number', () => () => Number.NaN, 'a function of a report whose values are numbers, got NaN'],
  ])('a likelihood ratio of a protocol that %s: no event would be seen', (_, logLikelihoodRatio, expected) => {
    const auditing = {
      view: (_: unknown, report: number) => [report],
      logLikelihoodRatio,
    } as unknown as Required<Target>['auditing'];
    const attempt = () => run({ ...response(1, pure(1)), auditing });
    expect(attempt).toThrow(`"logLikelihoodRatio" expected ${expected}`);
  });
});

import { describe, expect, test } from '@jest/globals';
import {
  euclideanMedian,
  copies as medianCopies,
  gaussian as medianGaussian,
} from '../../../protocols/euclidean-median/index.ts';
import { hinge, copies as hingeCopies } from '../../../protocols/hinge/index.ts';
import {
  gradientPerturbation,
  logisticRegression,
  outputPerturbation,
} from '../../../protocols/influence-sgd/index.ts';
import { descent } from '../../../protocols/noisy-gradient-descent/index.ts';
import { certificate as descentCertificate } from '../../../protocols/noisy-gradient-descent/protocol.ts';
import { newton } from '../../../protocols/noisy-newton/index.ts';
import { certificate as newtonCertificate } from '../../../protocols/noisy-newton/protocol.ts';
import { onlineSgd } from '../../../protocols/online-sgd/index.ts';
import { muAt } from '../../../protocols/online-sgd/noise.ts';
import { gdp as streamGdp } from '../../../protocols/online-sgd/parameters.ts';
import { coordinates, twoRound, userLevelMean } from '../../../protocols/user-level-mean/index.ts';
import { twoLevels } from '../../../src/mechanism/exact-coin.ts';
import { pureFromApproximate } from '../../../src/mechanism/pure-from-approximate.ts';
import type { Certificate } from '../../../src/privacy/certificate.ts';
import { pureToGdpMu, pureToZcdpRho, toApproximate, toZcdp } from '../../../src/privacy/conversion.ts';
import { gdpEpsilon, gdpMu } from '../../../src/privacy/gaussian.ts';
import { approximate, deltaOf, gdp, pure, zcdp } from '../../../src/privacy/guarantee.ts';
import { composeNumeric } from '../../../src/privacy/numeric-composition.ts';
import { nextAbove, nextBelow, partWithin, restWithin, sumAbove } from '../../../src/privacy/rounding.ts';
import { compose, gaussianRelease } from '../../../src/privacy/totals.ts';
import { uniform } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import {
  exponential,
  fixed,
  fraction,
  gaussianDelta,
  logOfRatio,
  normal,
  ONE,
  over,
  root,
  SLACK,
  times,
} from './fixed-point.ts';

// Everything here is computed anew in whole numbers: not "up to rounding", but on which side of it.

const random = seededRandom('outward');
const between = (low: number, high: number): number => low + (high - low) * uniform(random);
const logBetween = (low: number, high: number): number => Math.exp(between(Math.log(low), Math.log(high)));
const whole = (low: number, high: number): number => Math.floor(between(low, high + 1));

test('the arithmetic of these tests agrees with known digits', () => {
  // log 2, e, Φ(1): 20 digits each.
  const shown = (x: bigint): string => String((x * 10n ** 20n + ONE / 2n) / ONE);
  expect(shown(logOfRatio(2n, 1n))).toBe('69314718055994530942');
  expect(shown(exponential(ONE))).toBe('271828182845904523536');
  expect(shown(normal(ONE))).toBe('84134474606854294859');
  expect(shown(root(2n * ONE))).toBe('141421356237309504880');
});

describe('ε that is split among several answers', () => {
  /** d·log(keep/(2⁵³ − keep)) − ε. */
  const excess = (keep: number, count: number, epsilon: number): bigint =>
    BigInt(count) * logOfRatio(BigInt(keep), 2n ** 53n - BigInt(keep)) - fixed(epsilon);
  const asked = Array.from({ length: 1000 }, () => [logBetween(0.01, 60), whole(2, 100)] as const);

  test('d coins of `coordinates` never cost more than ε, in 1000 plans', () => {
    for (const [epsilon, dimension] of asked) {
      const plan = coordinates({ epsilon, dimension, players: 1000, samples: 10 });
      expect(excess(plan.coin.keep, dimension, epsilon)).toBeLessThanOrEqual(-SLACK);
    }
  });

  test('and are the coins of ε/d in doubles wherever those do not cost more', () => {
    let violations = 0;
    for (const [epsilon, dimension] of asked) {
      const plain = twoLevels(epsilon / dimension, 1, 1);
      const shared = twoLevels(epsilon, 1, 1, dimension);
      const violates = excess(plain.keep, dimension, epsilon) > 0n;
      if (violates) violations++;
      expect([shared.keep, shared.exactEpsilon]).toEqual([plain.keep - (violates ? 1 : 0), plain.exactEpsilon]);
    }
    // Control: coins for the double nearest to ε/d do exceed ε.
    expect(violations).toBeGreaterThan(0);
  });

  test('the two rounds of the same players never cost more than ε', () => {
    let moved = 0;
    for (let i = 0; i < 200; i++) {
      const epsilon = logBetween(0.01, 60);
      const share = between(0.01, 0.99);
      const plan = twoRound({ epsilon, players: 1000, samples: 10, samePlayers: true, share });
      if (plan.final.kind !== 'sign') throw new Error('expected one bit');
      const pilot = plan.pilot.mechanism.guarantee.epsilon;
      const rest = restWithin(epsilon, pilot, epsilon * (1 - share));
      expect(fixed(pilot) + fixed(rest)).toBeLessThanOrEqual(fixed(epsilon));
      const { keep } = plan.final.coin;
      expect(fixed(pilot) + excess(keep, 1, epsilon)).toBeLessThanOrEqual(-SLACK);
      if (fixed(epsilon * share) + fixed(epsilon * (1 - share)) > fixed(epsilon)) moved++;
    }
    // Control: two products rounded to nearest do add up to more.
    expect(moved).toBeGreaterThan(0);
  });
});

test('the largest loss of a pure randomizer made from an (ε, δ) one is not below the exact one', () => {
  for (let i = 0; i < 300; i++) {
    const epsilon = logBetween(1e-9, 0.25);
    const made = pureFromApproximate({ epsilon, delta: 1e-30, players: whole(1, 1000), failure: 0.01 });
    const { least, most, samples, largestLoss } = made;
    // Both are doubles of the same power of two at most; T·P(own, other, …, other) by its closed form, over a common denominator.
    const unit = 2n ** 60n;
    const [a, b] = [least, most].map((x) => (fraction(x)[0] * unit) / fraction(x)[1]);
    const probability = (own: bigint, other: bigint): bigint => {
      const none = (unit - other) ** BigInt(samples - 1);
      const every = unit ** BigInt(samples);
      // own·(1 − (1 − b)^T)/b + (1 − own)·(1 − b)^{T−1}, times b·unit^T, with b the other.
      return own * (every - none * (unit - other)) + (unit - own) * none * other;
    };
    const exact = logOfRatio(probability(b, a) * b, probability(a, b) * a);
    expect(exact + SLACK).toBeLessThanOrEqual(fixed(largestLoss));
    expect(Number(fixed(largestLoss) - exact) / Number(ONE)).toBeLessThan(1e-14 + 1e-12 * epsilon);
  }
});

describe('conversions are rounded up', () => {
  test('pure ε to Gaussian μ: Φ(μ/2)/(1 − Φ(μ/2)) ≥ e^ε, and to concentrated ρ ≥ ε·tanh(ε/2)', () => {
    for (let i = 0; i < 200; i++) {
      const epsilon = logBetween(1e-6, 30);
      const above = normal(fixed(pureToGdpMu(epsilon)) / 2n);
      expect(logOfRatio(above, ONE - above)).toBeGreaterThanOrEqual(fixed(epsilon) + SLACK);
      const growth = exponential(fixed(epsilon));
      const rho = times(fixed(epsilon), over(growth - ONE, growth + ONE));
      expect(fixed(pureToZcdpRho(epsilon))).toBeGreaterThanOrEqual(rho + SLACK);
    }
  });

  test('Gaussian μ to (ε, δ) and back, and to ρ', () => {
    for (let i = 0; i < 100; i++) {
      const mu = logBetween(0.05, 5);
      const delta = logBetween(1e-12, 0.01);
      expect(gaussianDelta(fixed(mu), fixed(gdpEpsilon(mu, delta))) + SLACK).toBeLessThanOrEqual(fixed(delta));
      const epsilon = logBetween(0.05, 5);
      expect(gaussianDelta(fixed(gdpMu({ epsilon, delta })), fixed(epsilon)) + SLACK).toBeLessThanOrEqual(fixed(delta));
      expect(2n * fixed(toZcdp(gdp(mu)).rho)).toBeGreaterThanOrEqual(times(fixed(mu), fixed(mu)));
    }
  });

  test('pure and (ε, δ) at another δ, also where hardly anything of 1 − δ is left', () => {
    for (let i = 0; i < 300; i++) {
      const [epsilon0, least] = [logBetween(1e-3, 500), logBetween(1e-12, 0.9)];
      const given = i % 2 === 0 ? pure(epsilon0) : approximate({ epsilon: epsilon0, delta: least });
      const delta0 = fixed(deltaOf(given));
      const delta = i % 3 === 0 ? logBetween(1e-9, 0.999) : 1 - logBetween(2 ** -53, 0.1);
      if (fixed(delta) <= delta0) continue;
      const { epsilon } = toApproximate(given, delta);
      // δ of the worst such mechanism at ε: δ₀ + (1 − δ₀)·(e^(ε₀) − e^ε)/(e^(ε₀) + 1).
      const [largest, at] = [epsilon0, epsilon].map((value) => exponential(fixed(value)));
      const spent = delta0 + times(ONE - delta0, over(largest - at, largest + ONE));
      expect(spent + SLACK).toBeLessThanOrEqual(fixed(delta));
    }
    // By mpmath at 60 digits.
    expect(toApproximate(approximate({ epsilon: 100, delta: 0.001 }), 1 - 2 ** -53).epsilon).toBeCloseTo(
      63.2641999306565,
      9,
    );
  });
});

describe('sums and quotients are rounded up', () => {
  const terms = Array.from({ length: 300 }, () =>
    Array.from({ length: whole(1, 6) }, () => [logBetween(1e-3, 3), whole(1, 50)] as const),
  );
  const exactSum = (of: (value: number) => bigint, list: readonly (readonly [number, number])[]): bigint =>
    list.reduce((sum, [value, count]) => sum + BigInt(count) * of(value), 0n);
  const square = (value: number): bigint => fixed(value) ** 2n;

  test('Σε, Σρ and √Σμ² of a composition, and they are the sums in doubles where those are enough', () => {
    let raised = 0;
    for (const list of terms) {
      const values = list.map(([value]) => value);
      const counts = list.map(([, count]) => count);
      const exact = exactSum(fixed, list);
      const plain = list.reduce((sum, [value, count]) => sum + count * value, 0);
      const { epsilon } = compose(values.map(pure), counts).pure!;
      expect(fixed(epsilon)).toBeGreaterThanOrEqual(exact);
      expect(compose(values.map(zcdp), counts).zcdp).toEqual(zcdp(epsilon));
      if (fixed(plain) >= exact) expect(epsilon).toBe(plain);
      else raised++;
      expect(square(compose(values.map(gdp), counts).gdp!.mu)).toBeGreaterThanOrEqual(exactSum(square, list));
    }
    // Control: the sum in doubles alone is below in many cases.
    expect(raised).toBeGreaterThan(50);
  });

  test('Σε where a numeric composition ends', () => {
    for (const list of terms) {
      const { largestLoss } = composeNumeric(
        list.map(([epsilon]) => pure(epsilon)),
        list.map(([, count]) => count),
      );
      expect(fixed(largestLoss)).toBeGreaterThanOrEqual(exactSum(fixed, list));
    }
    // Ten times the double nearest to .1 is more than 1.
    expect(composeNumeric([pure(0.1)], [10]).epsilonAt(1e-30)).toBe(1 + 2 ** -52);
  });

  test('a single release is what it was', () => {
    for (const [[value]] of terms) {
      expect(compose([gdp(value)]).gdp).toEqual(gdp(value));
      expect(compose([zcdp(value)]).zcdp).toEqual(zcdp(value));
    }
    expect(compose([gdp(1e-170)]).gdp!.mu).toBeGreaterThan(1e-170);
  });

  test('μ = Δ/σ of a Gaussian release', () => {
    let raised = 0;
    for (let i = 0; i < 300; i++) {
      const [sensitivity, sigma] = [logBetween(0.01, 10), logBetween(0.01, 100)];
      const { guarantee } = gaussianRelease({ what: 'x', count: 1, sensitivity, sigma });
      if (guarantee.kind !== 'gdp') throw new Error('expected μ');
      expect(times(fixed(guarantee.mu), fixed(sigma))).toBeGreaterThanOrEqual(fixed(sensitivity) - 1n);
      expect(fixed(guarantee.mu) * fixed(sigma)).toBeGreaterThanOrEqual(fixed(sensitivity) * ONE);
      if (guarantee.mu !== sensitivity / sigma) raised++;
    }
    expect(raised).toBeGreaterThan(50);
  });

  test('parts and rests are rounded down', () => {
    for (let i = 0; i < 300; i++) {
      const [epsilon, parts] = [logBetween(0.01, 10), whole(2, 1000)];
      expect(BigInt(parts) * fixed(partWithin(epsilon, parts))).toBeLessThanOrEqual(fixed(epsilon));
      expect(partWithin(epsilon, parts)).toBeGreaterThanOrEqual(nextBelow(epsilon / parts));
    }
    // A part that leaves nothing.
    expect(restWithin(0.7, 0.7, 0.7 * 2 ** -53)).toBe(0);
    expect([nextAbove(1), nextBelow(1)]).toEqual([1 + 2 ** -52, 1 - 2 ** -53]);
    expect(sumAbove([[Number.MAX_VALUE, 2]])).toBe(Infinity);
  });
});

describe('plans keep what they claim, computed anew from sensitivities and noise', () => {
  /** Σ counts·(Δ/σ)², of Gaussian releases. */
  const spent = ({ releases }: Certificate): bigint =>
    releases.reduce((sum, { count, sensitivity, scale }) => {
      const mu = over(fixed(sensitivity), fixed(scale)) + 1n;
      return sum + BigInt(count) * (times(mu, mu) + 1n);
    }, 0n);

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('μ of noisy gradient descent and noisy Newton (%i)', () => {
    const mu = logBetween(0.1, 3);
    const request = {
      mu,
      records: whole(1000, 5000),
      model: { kind: 'huber', features: whole(1, 5) },
      force: true,
    } as const;
    const limit = times(fixed(mu), fixed(mu));
    expect(spent(descentCertificate(descent({ ...request, steps: whole(1, 60) })))).toBeLessThanOrEqual(limit);
    expect(spent(newtonCertificate(newton({ ...request, steps: whole(1, 9) })))).toBeLessThanOrEqual(limit);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('(ε, δ) of Gaussian copies and of both rounds of the same players (%i)', () => {
    const budget = { epsilon: logBetween(0.1, 4), delta: logBetween(1e-10, 1e-3) };
    const delta = (certificate: Certificate): bigint =>
      gaussianDelta(root(spent(certificate)) + 1n, fixed(budget.epsilon)) + SLACK;
    const copied = [
      hinge.theory.certificate(hingeCopies({ ...budget, dimension: 3, degree: whole(1, 4) })),
      euclideanMedian.theory.certificate(medianCopies({ ...budget, dimension: 3, degree: whole(1, 4) })),
      euclideanMedian.theory.certificate(medianGaussian({ ...budget, dimension: 3, degree: 2 })),
    ];
    for (const certificate of copied) expect(delta(certificate)).toBeLessThanOrEqual(fixed(budget.delta));
    const plan = twoRound({ ...budget, players: 1000, samples: 10, samePlayers: true, share: between(0.1, 0.9) });
    const [pilot, final] = userLevelMean.theory.certificate(plan).releases;
    if (pilot.guarantee.kind !== 'pure') throw new Error('expected a pure pilot');
    // By whichever composition was used, and both are theorems.
    const first = fixed(pureToGdpMu(pilot.guarantee.epsilon));
    const second = over(fixed(final.sensitivity), fixed(final.scale)) + 1n;
    const gaussian = gaussianDelta(root(times(first, first) + times(second, second)) + 1n, fixed(budget.epsilon));
    const basic = gaussianDelta(second, fixed(budget.epsilon) - fixed(pilot.guarantee.epsilon));
    expect(gaussian < basic ? gaussian : basic).toBeLessThanOrEqual(fixed(budget.delta) - SLACK);
  });

  test('the comparators of a curator', () => {
    for (let i = 0; i < 20; i++) {
      const budget = { epsilon: logBetween(0.1, 4), delta: logBetween(1e-10, 1e-3) };
      const model = logisticRegression({ dimension: 2, ridge: 0.01, radius: 1 });
      const output = outputPerturbation({ ...budget, model, records: whole(10, 999), passes: 3, radius: 1 });
      const shown = over(fixed(output.sensitivity), fixed(output.sigma)) + 1n;
      expect(gaussianDelta(shown, fixed(budget.epsilon)) + SLACK).toBeLessThanOrEqual(fixed(budget.delta));
      const [records, batch, steps] = [whole(100, 999), whole(1, 50), whole(1, 99)];
      const asked = {
        ...budget,
        accountant: 'gdp',
        records,
        batch,
        steps,
        lipschitz: logBetween(0.1, 9),
        step: 1,
      } as const;
      const { sigma, lipschitz, guarantee } = gradientPerturbation(asked);
      if (guarantee?.kind !== 'gdp') throw new Error('expected μ');
      const passes = BigInt(Math.ceil(steps / Math.floor(records / batch)));
      const each = 2n * fixed(lipschitz);
      const noise = BigInt(batch) * fixed(sigma);
      expect(passes * each * each * ONE * ONE).toBeLessThanOrEqual((fixed(guarantee.mu) * noise) ** 2n);
    }
  });

  test('what a stream promises all players covers each of them, whose σ is Δ/μ in doubles', () => {
    for (let i = 0; i < 100; i++) {
      const mus = Array.from({ length: 5 }, () => between(0.5, 1));
      const budgets =
        i % 2 === 0 ? ({ rule: 'list', mus } as const) : ({ rule: 'uniform', low: 1, high: nextAbove(1) } as const);
      const plan = streamGdp({ budgets, model: { kind: 'huber', features: 2, threshold: between(1, 2) } });
      const { noise, model } = plan;
      const promised = onlineSgd.theory.guarantee(plan);
      if (noise.law !== 'gaussian' || noise.budgets === undefined || promised.kind !== 'gdp')
        throw new Error('expected μ');
      for (let place = 1; place <= 5; place++) {
        const sigma = model.sensitivity / muAt(noise.budgets, place);
        expect(fixed(promised.mu) * fixed(sigma)).toBeGreaterThanOrEqual(fixed(model.sensitivity) * ONE);
      }
    }
    expect(gdp(1).mu).toBe(1);
  });
});

import { describe, expect, test } from '@jest/globals';
import { euclideanMedian, euclideanMedianParameters } from '../../../protocols/euclidean-median/index.ts';
import type { EuclideanMedianRequest } from '../../../protocols/euclidean-median/parameters.ts';
import { auditing as medianAuditing } from '../../../protocols/euclidean-median/protocol.ts';
import { generalizedLinear, generalizedLinearParameters } from '../../../protocols/generalized-linear/index.ts';
import { marginAuditing } from '../../../protocols/generalized-linear/margin/auditing.ts';
import type { GeneralizedLinearRequest } from '../../../protocols/generalized-linear/parameters.ts';
import { audit } from '../../../src/audit/audit.ts';
import type { AuditTarget } from '../../../src/audit/target.ts';
import type { Auditing, AuditPair } from '../../../src/core/contract.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

interface Case {
  readonly name: string;
  /** The audited bound relative to its claim that 60 000 reports must reach; the pair found decides most of it. */
  readonly power: number;
  // The tests use the player and its auditing only, whatever the protocol.
  readonly target: AuditTarget<unknown, unknown, { readonly values: ArrayLike<number> }>;
}

const signed = (power: number, request: GeneralizedLinearRequest): Case => {
  const { variant, epsilon } = request;
  const task = 'task' in request ? ` ${request.task}` : '';
  const grade = 'grade' in request ? ` ${request.grade}` : '';
  const target = { ...generalizedLinear, parameters: generalizedLinearParameters(request), auditing: marginAuditing };
  return {
    name: `generalized-linear ${variant}${task}${grade}, ε = ${epsilon}, p = ${request.dimension}`,
    power,
    target: target as unknown as Case['target'],
  };
};

const median = (power: number, request: EuclideanMedianRequest): Case => {
  const grade = 'grade' in request ? ` ${request.grade}` : '';
  const target = { ...euclideanMedian, parameters: euclideanMedianParameters(request), auditing: medianAuditing };
  return {
    name: `euclidean-median ${request.variant}${grade}, ε = ${request.epsilon}`,
    power,
    target: target as unknown as Case['target'],
  };
};

const gauss = { epsilon: 4, delta: 1e-5, degree: 1, dimension: 3 } as const;
const lift = { epsilon: 2, degree: 1, dimension: 3 } as const;

const cases: readonly Case[] = [
  signed(0.9, { variant: 'lifted', ...lift }),
  signed(0.9, { variant: 'lifted', task: 'regression', ...lift }),
  signed(0.75, { variant: 'lifted', grade: 'deployment', ...lift }),
  signed(0.9, { variant: 'direct', ...lift }),
  signed(0.75, { variant: 'direct', grade: 'deployment', ...lift }),
  signed(0.9, { variant: 'sampled', ...lift }),
  signed(0.9, { variant: 'sampled', task: 'regression', ...lift }),
  signed(0.75, { variant: 'sampled', grade: 'deployment', ...lift }),
  signed(0.85, { variant: 'gaussian', ...gauss }),
  signed(0.85, { variant: 'gaussian', task: 'regression', ...gauss }),
  signed(0.3, { variant: 'gaussian', grade: 'deployment', ...gauss }),
  signed(0.85, { variant: 'copies', ...gauss }),
  signed(0.85, { variant: 'printed', ...gauss }),
  signed(0.7, { variant: 'sphericalLaplace', epsilon: 2, dimension: 3 }),
  signed(0.6, { variant: 'sphericalLaplace', epsilon: 2, dimension: 2 }),
  median(0.9, { variant: 'lifted', ...lift }),
  median(0.75, { variant: 'lifted', grade: 'deployment', ...lift }),
  median(0.85, { variant: 'gaussian', ...gauss }),
  median(0.3, { variant: 'gaussian', grade: 'deployment', ...gauss }),
  median(0.85, { variant: 'copies', ...gauss }),
  median(0.85, { variant: 'printed', ...gauss }),
];

const TRIALS = 4000;

/** Mean and standard error of P′/P over reports drawn from P: 1 in expectation, exactly when the log ratio is right. */
function changeOfMeasure(
  { player, parameters }: Case['target'],
  pair: AuditPair<unknown>,
  ratio: (report: never) => number,
) {
  const random = seededRandom('measure');
  let [sum, squares] = [0, 0];
  for (let i = 0; i < TRIALS; i++) {
    const weight = Math.exp(-ratio(player.randomize(parameters, pair.first, random) as never));
    sum += weight;
    squares += weight * weight;
  }
  const mean = sum / TRIALS;
  return { mean, error: Math.sqrt((squares / TRIALS - mean * mean) / TRIALS) };
}

describe.each(cases)('$name', ({ target, power }) => {
  const auditing = target.auditing as Auditing<unknown, unknown, { readonly values: ArrayLike<number> }>;
  const pairs = auditing.pairs(target.parameters, seededRandom('pairs'));

  // A mean of 4000 likelihood ratios is within 5 standard errors of 1, or 0.2 % where it hardly varies, for all but 1 in 1e6
  // if it is nearly normal; the pairs with heavy tails (variance above 10) are left out. 19 cases of at most 7 pairs.
  test('the log ratio turns the law of one datum into that of the other, and 0.6 times it does not', () => {
    let refused = 0;
    let tested = 0;
    for (const pair of pairs) {
      const ratio = auditing.logLikelihoodRatio?.(target.parameters, pair);
      if (ratio === undefined) throw new Error('every variant has a density');
      const { mean, error } = changeOfMeasure(target, pair, ratio);
      if (error > Math.sqrt(10 / TRIALS)) continue;
      tested++;
      if (Math.abs(mean - 1) > 5 * error + 0.002) refused++;
    }
    expect(refused).toBe(0);
    expect(tested).toBeGreaterThan(2);
    const [pair] = pairs;
    const ratio = auditing.logLikelihoodRatio?.(target.parameters, pair);
    const { mean, error } = changeOfMeasure(target, pair, (report) => 0.6 * (ratio?.(report) ?? 0));
    expect(Math.abs(mean - 1)).toBeGreaterThan(5 * error + 0.002);
  });

  test('the player is consistent with its claims, and the bound comes near them', () => {
    const { parameters } = target;
    const deployment = (parameters as { grade?: string }).grade === 'deployment';
    const trials = deployment ? 20_000 : 60_000;
    // Which seed: each fails with probability 0.1 %.
    const result = audit(target, { trials, random: seededRandom('consistent'), confidence: 0.999 });
    expect(result.verdict).toBe('consistent');
    const strengths = result.claims.map(({ claimed, lowerBound }) => {
      const value = claimed.kind === 'gdp' ? claimed.mu : claimed.kind === 'zcdp' ? claimed.rho : claimed.epsilon;
      return lowerBound / value;
    });
    expect(Math.max(...strengths)).toBeGreaterThan(power);
  });

  test('the pairs are data of the protocol, and the view has as many numbers for each', () => {
    expect(pairs.map(({ name }) => name)).toEqual(expect.arrayContaining(['orthogonal', 'zero and edge', 'random']));
    const { player, parameters } = target;
    const random = seededRandom('view');
    const lengths = pairs.flatMap(({ first, second }) =>
      [first, second].map((datum) => auditing.view(parameters, player.randomize(parameters, datum, random)).length),
    );
    expect(new Set(lengths).size).toBe(1);
  });
});

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { momentsOf } from '../../protocols/generalized-linear/margin/channels.ts';
import type { CopiesParameters, SampledParameters } from '../../protocols/generalized-linear/margin/parameters.ts';
import type { FloatValues } from '../../src/core/frame.ts';
import type { Influence } from '../../src/core/influence.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { judge } from './law.ts';
import { type Trial, trials } from './trial.ts';

/** Reports of a norm that can be chosen; those of the deployed unit vector, of categories and of bits all have the same. */
const scalable = trials().filter(
  ({ protocol, parameters }) =>
    protocol.theory.influence !== undefined && (parameters as { precision?: string }).precision !== 'uint32',
);

const influenceOf = ({ protocol, parameters }: Trial): Influence =>
  protocol.theory.influence?.(parameters) as Influence;

/** The bytes of a report whose first entries have this direction and, in the units of the vector, this norm. */
function hostile(trial: Trial, direction: readonly number[], norm: number): Uint8Array {
  const { protocol, parameters } = trial;
  const { values } = protocol.report.decode(parameters, trial.own[0]) as { values: FloatValues };
  const unit = (parameters as { noise?: { step: number } }).noise?.step ?? 1;
  const length = Math.sqrt(direction.reduce((sum, entry) => sum + entry * entry, 0));
  values.fill(0);
  // The last value of a sampled report names its power; the highest has the most entries, and the largest limit.
  if (parameters.variant === 'sampled' || parameters.variant === 'direct')
    values[values.length - 1] = (parameters as SampledParameters).degree + 1;
  direction.slice(0, values.length).forEach((entry, i) => {
    values[i] = (norm * entry) / length / unit;
  });
  return protocol.report.encode(parameters, { values });
}

const directions = fc
  .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 })
  .filter((entries) => entries.some((entry) => Math.abs(entry) > 1e-3));

describe.each(scalable)('$name', (trial) => {
  const { bound, reportNorm, honestNorm, honestRefusal, theorem } = influenceOf(trial);

  test('a report of any direction and norm is refused, or moves the tally by no more than its bound', () => {
    const property = fc.property(directions, fc.double({ min: 0, max: 2, noNaN: true }), (direction, share) => {
      const bytes = hostile(trial, direction, share * reportNorm);
      const { accepted, complaint } = judge(trial, { given: bytes, bytes });
      // Beyond the limit by more than rounding nothing is accepted.
      return complaint === undefined && !(accepted && share > 1 + 1e-4);
    });
    fc.assert(property, { numRuns: 2000, seed: 20 });
  });

  test('honest reports are well inside, and none of 5000 is refused', () => {
    // Each is refused with probability 1e-12 at most: a false alarm once in 2e8 runs.
    const { protocol, parameters } = trial;
    const datum =
      parameters.protocol === 'euclidean-median' ? { point: [0, 0.6, 0.8] } : { features: [0, 0.6, 0.8], label: 1 };
    const random = seededRandom('honest');
    let refused = 0;
    for (let i = 0; i < 5000; i++) {
      const bytes = protocol.report.encode(parameters, protocol.player.randomize(parameters, datum, random));
      const { accepted, complaint } = judge(trial, { given: bytes, bytes });
      if (!accepted || complaint !== undefined) refused++;
    }
    expect(refused).toBe(0);
    expect(reportNorm / honestNorm).toBeGreaterThan(1);
    expect(honestRefusal).toBeLessThanOrEqual(1e-12);
    expect(theorem).toContain('Laurent and Massart');
    expect(bound).toBeGreaterThan(0);
  });

  test('honest reports whose norm is six times the limit in the mean are refused', () => {
    const { protocol, parameters, own } = trial;
    const factor = (6 * reportNorm) / honestNorm;
    const accepted = own.filter((bytes) => {
      const { values } = protocol.report.decode(parameters, bytes) as { values: FloatValues };
      const louder = protocol.report.encode(parameters, { values: values.map((value) => factor * value) });
      return judge(trial, { given: louder, bytes: louder }).accepted;
    });
    expect(accepted.length).toBe(0);
  });
});

test.each(
  scalable.filter(({ protocol, parameters }) => protocol.name !== 'euclidean-median' && 'copies' in parameters),
)('$name: the corrected powers of the average of an accepted report have no larger norm than the bound', (trial) => {
  const { protocol } = trial;
  const parameters = trial.parameters as CopiesParameters;
  const { bound } = influenceOf(trial);
  const { dimension } = parameters.copies;
  let [accepted, largest] = [0, 0];
  // Every copy the same, so that the average is as large as the copies: v times a share of what is accepted.
  for (let i = 1; i <= 400; i++) {
    const report = protocol.report.decode(parameters, trial.own[0]) as { values: FloatValues };
    const [x, y] = [i % 20, Math.ceil(i / 20)];
    report.values.fill(0);
    for (let at = 0; at < report.values.length; at += dimension + 1) {
      report.values[at] = (x * Math.sqrt(parameters.copies.further + 1) * parameters.copies.firstNoise.features) / 4;
      report.values[at + dimension] = y * parameters.copies.firstNoise.label;
    }
    const bytes = protocol.report.encode(parameters, report);
    if (!judge(trial, { given: bytes, bytes }).accepted) continue;
    accepted++;
    const tally = protocol.server.empty(parameters);
    protocol.server.add(parameters, tally, report);
    largest = Math.max(largest, Math.hypot(...momentsOf(parameters, tally).values));
  }
  expect(accepted).toBeGreaterThan(20);
  expect(accepted).toBeLessThan(400);
  expect(largest).toBeLessThanOrEqual(bound);
  expect(largest).toBeGreaterThan(0.2 * bound);
});

test.each(scalable.filter(({ parameters }) => /gaussian|lifted|sampled|spherical/.test(parameters.variant)))(
  '$name: a report on the limit is accepted, and moves the tally by most of the bound',
  (trial) => {
    const { protocol, parameters } = trial;
    const { bound, reportNorm } = influenceOf(trial);
    const report = protocol.report.decode(parameters, hostile(trial, [1, 0, 0], (1 - 1e-5) * reportNorm));
    const tally = protocol.server.empty(parameters);
    protocol.server.add(parameters, tally, report);
    const moved = Math.hypot(...(tally.kind === 'moments' ? tally.sums : report.values));
    expect(moved / bound).toBeGreaterThan(0.9);
    expect(moved / bound).toBeLessThanOrEqual(1);
  },
);

test.each(trials().filter(({ parameters }) => (parameters as { precision?: string }).precision === 'uint32'))(
  '$name: every report moves the tally by the same norm at most, whatever its seed and index',
  (trial) => {
    const { protocol, parameters } = trial;
    const { bound, honestNorm, honestRefusal } = influenceOf(trial);
    const random = seededRandom('codewords');
    // A sampled report ends in its power, which stays as it is.
    const power = parameters.variant === 'sampled' || parameters.variant === 'direct' ? 4 : 0;
    const words = trial.own[0].length - trial.header - power;
    let largest = 0;
    for (let i = 0; i < 2000; i++) {
      const bytes = trial.own[i % trial.own.length].slice();
      for (let at = 0; at < words - 4; at++)
        bytes[trial.header + at] = random.words[at % random.words.length] >>> (i % 24);
      bytes[trial.header + words - 4] = i % 2;
      random.refill();
      const report = protocol.report.decode(parameters, bytes);
      const tally = protocol.server.empty(parameters);
      protocol.server.add(parameters, tally, report);
      largest = Math.max(largest, Math.hypot(...tally.sums));
    }
    expect(largest).toBeLessThanOrEqual(bound);
    // The bound of products adds what cannot be largest at once.
    expect(largest).toBeGreaterThan((parameters.variant === 'direct' ? 0.7 : 0.9) * bound);
    // The longest of the powers has the largest norm; where there is one vector, every report has it.
    if (power === 0) expect(bound).toBeCloseTo(honestNorm, 6);
    else expect(bound).toBeGreaterThan(honestNorm);
    expect(honestRefusal).toBe(0);
  },
);

test.each(scalable.filter(({ parameters }) => /gaussian|lifted|sampled/.test(parameters.variant)))(
  '$name: ten hostile reports among honest ones move the sums by no more than ten bounds',
  (trial) => {
    const { protocol, parameters, own } = trial;
    const { bound, reportNorm } = influenceOf(trial);
    const honest = protocol.server.empty(parameters);
    const poisoned = protocol.server.empty(parameters);
    for (const bytes of own) {
      for (const tally of [honest, poisoned]) {
        protocol.server.add(parameters, tally, protocol.report.decode(parameters, bytes));
      }
    }
    const worst = hostile(trial, [0.6, 0, -0.8], (1 - 1e-5) * reportNorm);
    for (let i = 0; i < 10; i++) {
      protocol.server.add(parameters, poisoned, protocol.report.decode(parameters, worst));
    }
    const moved = Math.hypot(...(poisoned.sums as Float64Array).map((sum, i) => sum - honest.sums[i]));
    expect(moved).toBeLessThanOrEqual(10 * bound);
    // The control: nine bounds would be too few.
    expect(moved).toBeGreaterThan(9 * bound);
  },
);

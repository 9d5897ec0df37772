import { describe, expect, test } from '@jest/globals';
import { hinge, lifted } from '../../protocols/hinge/index.ts';
import { bernoulli, fillSphere } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { simulate } from '../../src/simulation/runner.ts';
import { exactSlope } from '../../src/testing/claim.ts';
import { meanLength } from '../evidence/hinge/validations/excess-risk.ts';

// x uniform on the sphere, y the sign of x₁ with a share of wrong labels: E v = m·e₁ with m = SIGNAL·E|x₁|. With R = ½ no
// margin reaches the kink, the hinge risk is ½ − ⟨w, E v⟩ exactly, and the best w is ½e₁.
const SIGNAL = 0.8;
const RADIUS = 0.5;

function excess(dimension: number, players: number, epsilon: number, run: number): number {
  const random = seededRandom(`population ${run}`);
  const features = new Float64Array(dimension);
  const datum = { features, label: 1 };
  const population = {
    players,
    datum: (index: number) => {
      random.seek(index);
      fillSphere(features, random);
      datum.label = features[0] > 0 === bernoulli((1 + SIGNAL) / 2, random) ? 1 : -1;
      return datum;
    },
  };
  const parameters = lifted({ epsilon, degree: 0, dimension });
  const tally = simulate(hinge, parameters, population, { seed: `coins ${run}` });
  const { w } = hinge.server.estimate(parameters, tally, { radius: RADIUS });
  return meanLength(dimension) * (RADIUS - w[0]);
}

// The direction of m + noise misses e₁ by the noise across: excess = R·m(1 − cos) ≈ R·‖noise across‖²/(2m), p − 1 coordinates of
// variance (c_ε + 1/p)/n each, report and sample together.
function predicted(dimension: number, players: number, epsilon: number): number {
  const { mechanism } = lifted({ epsilon, degree: 0, dimension });
  const variance = (mechanism.coordinateVariance + 1 / dimension) / players;
  return (RADIUS * (dimension - 1) * variance) / (2 * meanLength(dimension));
}

const RUNS = 24;
const mean = (dimension: number, players: number, epsilon: number): number => {
  let sum = 0;
  for (let run = 0; run < RUNS; run++) sum += excess(dimension, players, epsilon, run) / RUNS;
  return sum;
};

// A mean of 24 draws of a χ² with p − 1 degrees of freedom has a relative deviation of √(2/(p − 1)/24): .144 at p = 5, .065 at
// p = 20. The tolerances below are 4 of those: a false alarm in 1 of 15,000 looks, and the seeds are fixed.
describe('the excess risk of lifted reports has the rate and the constant of the theory', () => {
  const counts = [4_000, 16_000, 64_000];
  const byPlayers = counts.map((players) => mean(5, players, 2));

  test('rate in n: slope −1 of a log-log fit', () => {
    // Errors of the ends: √2·0.144/log(16) ≈ 0.073, four of them 0.29.
    expect(Math.abs(exactSlope(counts, byPlayers) + 1)).toBeLessThan(0.29);
  });

  test('constant: R(p − 1)(c_ε + 1/p)/(2‖E v‖n)', () => {
    for (const [i, players] of counts.entries()) {
      const ratio = byPlayers[i] / predicted(5, players, 2);
      expect(Math.abs(ratio - 1)).toBeLessThan(4 * 0.144);
    }
  });

  test('rate in p: the constant holds from p = 5 to 40, where the excess grows like (p − 1)√p', () => {
    const dimensions = [5, 10, 20, 40];
    const values = dimensions.map((dimension) => mean(dimension, 64_000, 4));
    const theory = dimensions.map((dimension) => predicted(dimension, 64_000, 4));
    expect(Math.abs(exactSlope(dimensions, values) - exactSlope(dimensions, theory))).toBeLessThan(0.3);
    expect(exactSlope(dimensions, theory)).toBeGreaterThan(1.4);
  });

  test('control: the constant for half the ε is refuted', () => {
    const ratio = byPlayers[2] / predicted(5, 64_000, 1);
    expect(Math.abs(ratio - 1)).toBeGreaterThan(4 * 0.144);
  });
});

import { describe, expect, test } from '@jest/globals';
import { gradientWaves, gradientWavesPlan } from '../../../../protocols/gradient-waves/index.ts';
import { fillSphere } from '../../../../src/random/random.ts';
import { seededRandom } from '../../../../src/random/seeded.ts';
import { conduct, type LabelledRecord, type Population } from '../../../../src/simulation/runner.ts';

/** Records on the sphere and inside it, with labels on both ends of [−1, 1] and between them. */
function population(players: number, dimension: number): Population<LabelledRecord> {
  const random = seededRandom(`waves ${dimension}`);
  const records = Array.from({ length: 60 }, (_, i) => {
    const features = new Float64Array(dimension);
    fillSphere(features, random);
    if (i % 4 === 1) for (let j = 0; j < dimension; j++) features[j] *= 0.6;
    return { features, label: [1, -1, 0.25][i % 3] };
  });
  return { players, datum: (index) => records[index % records.length] };
}

/** Without its faster way, a wave is played one player after the other. */
const { simulateRound, ...oneByOne } = gradientWaves;

describe('waves, played by the kernel,', () => {
  test.each([
    ['hinge', 'simulation', 1],
    ['hinge', 'simulation', 14],
    ['logistic', 'simulation', 3],
    ['absolute', 'simulation', 7],
    ['median', 'simulation', 2],
    ['hinge', 'deployment', 4],
    ['median', 'deployment', 15],
  ] as const)(
    'have the tallies of one report after the other, bit for bit: %s, %s, %d features',
    (variant, grade, dimension) => {
      // Waves whose last block has one, two and three players besides whole fours, and a last wave for the risk.
      for (const players of [801, 805, 811]) {
        const plan = gradientWavesPlan({ variant, grade, dimension, epsilon: 3, waves: 4, riskShare: 0.1 });
        const answers: boolean[] = [];
        const protocol: typeof gradientWaves = {
          ...gradientWaves,
          simulateRound(wave, tally, block, random) {
            answers.push(simulateRound!(wave, tally, block, random));
            return answers.at(-1)!;
          },
        };
        const options = { seed: 'bits', vanishes: (player: number) => player % 13 === 4 };
        const blocks = conduct(protocol, plan, population(players, dimension), options);
        expect(blocks).toEqual(conduct(oneByOne, plan, population(players, dimension), options));
        expect(answers).toEqual([true, true, true, true, true]);
      }
    },
  );

  test('refuse a record outside the domain, without its values, and leave alone what is not theirs', () => {
    const plan = gradientWavesPlan({ variant: 'hinge', dimension: 2, epsilon: 1 });
    const wave = gradientWaves.rounds.first(plan);
    const { player, server } = gradientWaves;
    const right = { features: [0.6, 0.8], label: 1 };
    const play = (record: LabelledRecord, change: object = {}) => {
      const block = { from: 0, to: 3, datum: () => record, player, add: server.add, ...change };
      return simulateRound!(wave, server.empty(wave), block, seededRandom(1));
    };
    expect(play(right)).toBe(true);
    for (const wrong of [
      { ...right, features: [0.6, 1.25] },
      { ...right, features: [Number.NaN, 0] },
      { ...right, label: 1.25 },
    ]) {
      expect(() => play(wrong)).toThrow(/expected/);
      expect(() => play(wrong)).not.toThrow(/1\.25|NaN/);
    }
    expect(play(right, { player: { ...player } })).toBe(false);
    expect(play(right, { add: () => undefined })).toBe(false);
    expect(play(right, { stream: () => 2 ** 32 })).toBe(false);
    const other = gradientWavesPlan({ variant: 'hinge', dimension: 2, epsilon: 2 });
    const tally = server.empty(gradientWaves.rounds.first(other));
    const block = { from: 0, to: 1, datum: () => right, player, add: server.add };
    expect(() => simulateRound!(wave, tally, block, seededRandom(1))).toThrow('"tally');
  });
});

import { type CentralRecord, descend, descent } from 'ldpkit/protocols/noisy-gradient-descent';
import type { NoisyAttack } from '../../noisy-fit/privacy.ts';
import { sandwichAttacks } from '../../noisy-fit/sandwich-attack.ts';
import { algorithm } from './algorithm.ts';

const { sqrt, SQRT2 } = Math;

const RECORDS = 3;
const STEPS = 20;
/** 2B = 2·√2·c, written out. */
const APART = 2 * SQRT2 * 1.345;
/** η = 1/B̄ for σ = 1. */
const STEP = 0.5;

/**
 * One feature, no intercept. All records but one have the feature 0 and no score; the one has √2 and a response so far away that its
 * score is −B or B in every step: θ⁽ᴷ⁾ is normal with means 2Bη·K/n apart and standard deviation η·σ·√K, σ = 2B√K/(nμ), so that it is
 * exactly as hard to tell the two apart as μ says, and the last iterate alone gives everything away.
 */
const lastIterate: NoisyAttack = {
  key: 'iterate',
  what: 'the last iterate',
  mus: [1, 2, 4],
  runs: 10_000,
  share: 1,
  close: 0.75,
  control: { label: 'noise without √K', divisor: sqrt(STEPS) },
  statistic(mu, divisor, random) {
    const made = descent({
      mu,
      records: RECORDS,
      model: { kind: 'huber', features: 1, intercept: false },
      steps: STEPS,
      regions: false,
      force: true,
    });
    const plan = { ...made, noise: made.noise / divisor };
    const [high, low] = [1e9, -1e9].map((response) =>
      Array.from(
        { length: RECORDS },
        (_, i): CentralRecord => ({ features: [i === 0 ? SQRT2 : 0], response: i === 0 ? response : 0 }),
      ),
    );
    const deviation = STEP * ((APART * sqrt(STEPS)) / (RECORDS * mu)) * sqrt(STEPS);
    return (first) => descend(plan, first ? high : low, random).theta[0] / deviation;
  },
};

/** Attacks on every kind of release. */
export const attacks: readonly NoisyAttack[] = [
  lastIterate,
  ...sandwichAttacks(algorithm, (plan) => ({ ...plan, noise: 0 })),
];

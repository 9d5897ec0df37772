// What is computed from the reports of a stream is no less private than they are: an attacker who sees the average, the last iterate
// or an interval alone, and knows all records but one, proves no more than the μ of one report. Proposition 2 of both online papers and
// theorem 2 of the non-asymptotic one; the printed noise of its example 3, which is too little, is the control.

import { describe, expect, test } from '@jest/globals';
import type { OnlineEstimate, OnlinePlan } from '../../protocols/online-sgd/index.ts';
import { gdp, printedGdp } from '../../protocols/online-sgd/parameters.ts';
import { player } from '../../protocols/online-sgd/player.ts';
import { server } from '../../protocols/online-sgd/server.ts';
import { probabilityAbove } from '../../src/audit/attack.ts';
import { normalQuantile } from '../../src/numeric/normal.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import type { OnlineDatum } from '../../src/risk/regression/record.ts';

const MODEL = { kind: 'huber', features: 1 } as const;
const RUNS = 20_000;
const PILOTS = 1000;
/** Two bounds a proof: a proof is too high with a probability of at most 2e-5. */
const FAILURE = 1e-5;

/** x = (1, 1): the longest gradients, one the opposite of the other. */
const FIRST: OnlineDatum = { features: [1], response: 1e6 };
const SECOND: OnlineDatum = { features: [1], response: -1e6 };
const OTHER: OnlineDatum = { features: [0.3], response: 0.7 };

type Look = (estimate: OnlineEstimate) => number;
const average: Look = ({ theta }) => theta[0] + theta[1];
const last: Look = ({ last: theta }) => theta[0] + theta[1];
const length: Look = ({ intervals: [[low, high]] }) => Math.log(high - low);

interface Attack {
  readonly plan: OnlinePlan;
  readonly players: number;
  /** Who has the record that is attacked, from 1. */
  readonly place: number;
  readonly look: Look;
}

/** Φ⁻¹(1 − α) − Φ⁻¹(β) from upper bounds of both errors of the best of two thresholds that pilots chose. */
function provenMu({ plan, players, place, look }: Attack): number {
  const random = seededRandom(`post-processing ${players} ${place} ${look.name} ${plan.variant}`);
  const method = look === length ? 'random scaling' : 'none';
  const run = (datum: OnlineDatum): number => {
    const state = server.start(plan);
    for (let i = 1; i <= players; i++) {
      server.accept(plan, state, player.randomize(server.step(plan, state), i === place ? datum : OTHER, random));
    }
    return look(server.estimate(plan, state, { method }));
  };
  const sample = (datum: OnlineDatum, count: number): Float64Array =>
    Float64Array.from({ length: count }, () => run(datum)).sort();
  const pilots = [FIRST, SECOND].map((datum) => sample(datum, PILOTS)[PILOTS / 2]);
  const threshold = (pilots[0] + pilots[1]) / 2;
  const sign = pilots[0] >= pilots[1] ? 1 : -1;
  const wrong = [FIRST, SECOND].map((datum, side) => {
    const above = sample(datum, RUNS).filter((value) => sign * (value - threshold) > 0).length;
    return probabilityAbove(side === 0 ? RUNS - above : above, RUNS, FAILURE);
  });
  return normalQuantile(1 - wrong[1]) - normalQuantile(wrong[0]);
}

describe('what is computed from a stream is as private as its reports', () => {
  const plan = gdp({ model: MODEL, mu: 1, inference: [] });

  test('an attack on the average or the last iterate proves no more than μ, and nearly μ where nobody came after', () => {
    for (const look of [average, last]) {
      const proven = provenMu({ plan, players: 1, place: 1, look });
      expect(proven).toBeLessThanOrEqual(1);
      // Of 20,000 runs the bounds lie 4.3 standard errors of about .01 above: .1 in all.
      expect(proven).toBeGreaterThan(0.85);
    }
    for (const [players, place] of [
      [4, 1],
      [4, 4],
    ]) {
      expect(provenMu({ plan, players, place, look: average })).toBeLessThanOrEqual(1);
      expect(provenMu({ plan, players, place, look: last })).toBeLessThanOrEqual(1);
    }
  });

  test('so does one on the length of an interval', () => {
    expect(provenMu({ plan, players: 4, place: 1, look: length })).toBeLessThanOrEqual(1);
  });

  test('noise that is too little for its claim is found out behind the average too', () => {
    // Example 3 as printed at μ = ¼: the noise of μ = ½.
    const printed = printedGdp({ model: MODEL, mu: 0.25, inference: [] });
    const proven = provenMu({ plan: printed, players: 1, place: 1, look: average });
    expect(proven).toBeGreaterThan(0.25);
    expect(proven).toBeLessThanOrEqual(0.5);
  });
});

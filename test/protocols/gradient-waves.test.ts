import { describe, expect, test } from '@jest/globals';
import { gradientWaves, gradientWavesPlan } from '../../protocols/gradient-waves/index.ts';
import { type GradientWavesRequest, LOSS, LOSSES } from '../../protocols/gradient-waves/parameters.ts';
import { fillAnswer } from '../../protocols/gradient-waves/player.ts';
import { study } from '../../protocols/gradient-waves/protocol.ts';
import { coordinateNoise } from '../../protocols/gradient-waves/server.ts';
import { certify, verifyCertificate } from '../../src/core/certify.ts';
import { open } from '../../src/core/open.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { conduct } from '../../src/simulation/runner.ts';
import { checkContract, checkControls } from '../../src/testing/contract/laws.ts';
import { attackRound } from '../../src/testing/hostile.ts';
import { smallRequest, waveCase, waveOf } from './gradient-waves-cases.ts';
import { records } from './hinge-cases.ts';
import { roundProtocol } from './round-protocol.ts';

const { abs, hypot, max } = Math;

/** A plan of a request that is wrong in some field; the types would not let it through. */
function made(change: { readonly [field: string]: unknown }): () => unknown {
  return () => gradientWavesPlan({ ...smallRequest(), ...change } as GradientWavesRequest);
}

test('a field that no wave uses is refused by name', () => {
  expect(made({ delta: 1e-6 })).toThrow(
    '"request" expected no fields but variant, epsilon, dimension, radius, waves, riskShare, grade, got "delta"',
  );
});

describe.each([...LOSSES])('%s', (variant) => {
  const request = smallRequest({ variant });
  const deployed = smallRequest({ variant, grade: 'deployment' });

  test('keeps the contract in its first wave, in a later one, and in the last, in both grades', () => {
    const cases = [waveCase(request, 0), waveCase(request, 3), waveCase(request, 4), waveCase(deployed, 2)];
    expect(checkContract(roundProtocol(gradientWaves, gradientWavesPlan(request)), cases)).toEqual([]);
  });

  test('no answer is longer than 1, and the longest is at the bound', () => {
    const { lipschitz, largest, value } = LOSS[variant];
    const random = seededRandom(`lengths ${variant}`);
    let longest = 0;
    let worst = 0;
    const wave = waveOf(request, 3);
    for (const sign of [-1, 1]) {
      // The far end of the ball, where the slope of every loss is largest for one of the two labels.
      const far = { ...wave, w: wave.w.map((_, i) => (i === 0 ? sign * 2 : 0)) };
      const others = gradientWaves.auditing!.pairs(far, random).flatMap(({ first, second }) => [first, second]);
      for (const datum of [...others, ...records(50, 3, 'lengths')]) {
        const answer = new Float64Array(3);
        fillAnswer(far, datum, answer);
        longest = max(longest, hypot(...answer));
        worst = max(worst, value(far.w, datum));
      }
    }
    expect(longest).toBeLessThanOrEqual(1 + 1e-9);
    expect(longest).toBeGreaterThan(1 - 1e-6);
    expect(worst).toBeLessThanOrEqual(largest(2) * (1 + 1e-12));
    expect(worst).toBeGreaterThan(0.99 * largest(2));
    expect(lipschitz(2)).toBeLessThanOrEqual(1);
  });

  test('what is reported is the slope of the loss', () => {
    const wave = waveOf(request, 3);
    const w = Float64Array.of(0.7, -0.4, 0.9);
    for (const datum of records(30, 3, 'slopes')) {
      const answer = new Float64Array(3);
      fillAnswer({ ...wave, w }, datum, answer);
      for (let j = 0; j < 3; j++) {
        const at = (shift: number) =>
          LOSS[variant].value(
            w.map((x, i) => (i === j ? x + shift : x)),
            datum,
          );
        // No record of these seeds has its corner within 1e-6 of w.
        expect(LOSS[variant].lipschitz(2) * answer[j]).toBeCloseTo((at(1e-6) - at(-1e-6)) / 2e-6, 7);
      }
    }
  });
});

// The other losses are attacked in hostile.long.test.ts.
test('a device plays the wave that was agreed, or nothing, whatever the server says and whatever the datum is', () => {
  const deployed = smallRequest({ grade: 'deployment' });
  const plan = gradientWavesPlan(deployed);
  const { data, refused } = waveCase(deployed, 0);
  const strange = Object.values(refused).filter((_, i) => i % 8 === 0);
  for (const round of [1, 4]) {
    expect(attackRound(gradientWaves, plan, waveOf(deployed, round), [data[0], data[1], ...strange])).toEqual([]);
  }
});

test('the laws notice a protocol that is broken on purpose', () => {
  const request = smallRequest();
  const cases = [waveCase(request, 1), waveCase({ ...request, grade: 'deployment' }, 1)];
  expect(checkControls(roundProtocol(gradientWaves, gradientWavesPlan(request)), cases)).toEqual([]);
});

describe('the plan', () => {
  test.each([0, -1, NaN, Infinity, '1', undefined, 1n, 501])('refuses ε = %p by name', (epsilon) => {
    expect(made({ epsilon })).toThrow(/^"epsilon" expected /);
  });

  test('refuses other fields by name', () => {
    for (const value of [0, -3, 1.5, NaN, '3', Infinity]) expect(made({ dimension: value })).toThrow(/^"dimension" ex/);
    for (const value of [1, 51, 2.5, NaN, '3']) expect(made({ waves: value })).toThrow(/^"waves" expected a whole/);
    for (const value of [0, -1, NaN, '1', 1e-7, 1e7]) expect(made({ radius: value })).toThrow(/^"radius" expected /);
    for (const value of [-0.1, 0.51, NaN, '0']) expect(made({ riskShare: value })).toThrow(/^"riskShare" expected /);
    expect(made({ variant: 'squared' })).toThrow(/^"variant" expected one of hinge, logistic, absolute, median/);
  });

  test('binds reports to every number of the request', () => {
    const { digest } = gradientWavesPlan(smallRequest());
    const changes: readonly Partial<GradientWavesRequest>[] = [
      { epsilon: 3 },
      { dimension: 4 },
      { radius: 1 },
      { waves: 5 },
      { riskShare: 0.1 },
      { variant: 'median' },
      { grade: 'deployment' },
    ];
    const digests = changes.map((change) => gradientWavesPlan(smallRequest(change)).digest);
    expect(new Set([digest, ...digests]).size).toBe(changes.length + 1);
  });

  test('is pure ε for every number of waves, in a certificate that anybody can compute again', () => {
    for (const waves of [2, 20, 50]) {
      const plan = gradientWavesPlan(smallRequest({ waves }));
      expect(gradientWaves.theory.guarantee(plan)).toEqual({ kind: 'pure', epsilon: 2 });
      expect(gradientWaves.rounds.answers(plan)).toBe(1);
      expect(abs(plan.shares.reduce((sum, share) => sum + share, 0) - 1)).toBeLessThan(1e-12);
      const document = certify(gradientWaves, plan);
      expect(document.releases.map(({ count }) => count)).toEqual([1]);
      expect(verifyCertificate(gradientWaves, JSON.parse(JSON.stringify(document))).verified).toBe(true);
    }
  });
});

test('a forecast is refused where its population would not fit into memory', () => {
  const plan = gradientWavesPlan(smallRequest({ dimension: 1001 }));
  expect(() => gradientWaves.theory.forecast?.(plan, { players: 1000 })).toThrow(
    /^"dimension" expected a whole number/,
  );
  expect(() => gradientWaves.theory.forecast?.(plan, { players: 0.5 })).toThrow(/^"players" expected a whole number/);
});

describe('a device', () => {
  const plan = gradientWavesPlan(smallRequest());
  test('refuses a point beyond the ball, without a datum', () => {
    const wave = waveOf(smallRequest(), 2);
    for (const w of [[3, 0, 0], [NaN, 0, 0], [0, Infinity, 0], [0, 0], 'text', null]) {
      expect(() => gradientWaves.rounds.remake(plan, { ...wave, w })).toThrow(/^"round\.w/);
    }
    expect(() => gradientWaves.rounds.remake(plan, { ...wave, round: 5 })).toThrow(/^"round\.round" expected/);
    expect(gradientWaves.rounds.remake(plan, structuredClone(wave))).toEqual(wave);
  });

  test('answers one wave of a survey, once', () => {
    const survey = open(gradientWaves, { variant: 'logistic', epsilon: 1, dimension: 3, waves: 2 });
    const collector = survey.collector();
    const data = records(20, 3, 'survey');
    for (let round = collector.round; round !== undefined; round = collector.round) {
      data.forEach((datum, i) => {
        const device = survey.device();
        const bytes = device.report(round!, datum);
        expect(() => device.report(round!, datum)).toThrow(/^"report" expected to be asked for once/);
        expect(collector.receive(bytes, `${round!.round} ${i}`)).toEqual({ outcome: 'counted' });
      });
      collector.close();
    }
    const { players, w } = collector.estimate();
    expect(players).toBe(40);
    expect(hypot(...w)).toBeLessThanOrEqual(1 + 1e-12);
    expect(survey.certificate().claimed).toEqual({ kind: 'pure', epsilon: 1 });
  });
});

describe('waves', () => {
  const request = smallRequest({ epsilon: 4, waves: 8 });
  const plan = gradientWavesPlan(request);
  const data = records(4000, 3, 'waves').map(({ features }) => ({
    features,
    label: features[0] > 0.2 * features[1] ? 1 : -1,
  }));
  const population = { players: data.length, datum: (i: number) => data[i] };
  const { finished, estimate } = conduct(gradientWaves, plan, population, { seed: 1 });

  test('are asked at points in the ball, each with its own share of the players', () => {
    expect(finished.map(({ tally }) => tally.players)).toEqual([...new Array(8).fill(400), 800]);
    expect(estimate.points.length).toBe(8);
    expect(max(...estimate.points.map((w) => hypot(...w)))).toBeLessThanOrEqual(2 * (1 + 1e-12));
    // Everybody is asked about the model in the end.
    expect(finished[8].round.asks).toBe('risk');
    expect(finished[8].round.w).toEqual(estimate.w);
  });

  test('say the same when reports travel as bytes', () => {
    expect(conduct(gradientWaves, plan, population, { seed: 1, wire: true }).estimate).toEqual(estimate);
  });

  test('find a model whose risk is near the least one, and know that risk', () => {
    const riskOf = (w: ArrayLike<number>) =>
      data.reduce((sum, datum) => sum + LOSS.hinge.value(w, datum), 0) / data.length;
    // ½ at the start, .13 at the least; the rest is the noise of 3,200 players.
    expect(riskOf(estimate.w)).toBeLessThan(0.2);
    const { value, standardError } = estimate.risk!;
    // Of a normal error, more than 4 standard errors off with probability 6.3e-5.
    expect(abs(value - riskOf(estimate.w))).toBeLessThan(4 * standardError);
    expect(standardError).toBeLessThan(0.1);
  });

  test('count in the error of the gain who is in the last wave, where there is little noise', () => {
    const quiet = gradientWavesPlan(smallRequest({ epsilon: 200, waves: 8 }));
    const { finished: over, estimate: found } = conduct(gradientWaves, quiet, population, { seed: 1 });
    const { w } = over[7].round;
    const gradient = new Float64Array(3);
    const gains = data.map((datum) => {
      LOSS.hinge.fillGradient(w, datum, gradient);
      return -gradient.reduce((sum, entry, j) => sum + entry * w[j], 0);
    });
    const mean = gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
    const sampling = gains.reduce((sum, gain) => sum + (gain - mean) ** 2, 0) / gains.length / over[7].tally.players;
    const noise = (coordinateNoise(quiet) * hypot(...w) ** 2) / over[7].tally.players;
    const stated = found.gain.standardError ** 2;
    expect(stated).toBeGreaterThan(noise + sampling);
    // Numbers in [−2, ½] have no larger variance than (2 + ½)²/4.
    expect(stated).toBeLessThan(noise + 1.5625 / over[7].tally.players);
    // Control: the noise alone is not a half of it.
    expect(noise).toBeLessThan(0.5 * (noise + sampling));
  });

  test('refuse a wave that nobody answered, a forged one, and an estimate before the end', () => {
    const { next, estimate: end } = gradientWaves.rounds;
    const empty = [{ round: finished[0].round, tally: gradientWaves.server.empty(finished[0].round) }];
    expect(() => next(plan, empty)).toThrow(/^"finished\[0\].tally.players" expected at least 1 report in round 0/);
    const moved = gradientWaves.rounds.remake(plan, { ...finished[1].round, w: [0.1, 0.1, 0.1] });
    const forged = [finished[0], { round: moved, tally: { ...finished[1].tally, digest: moved.digest } }];
    expect(() => next(plan, forged)).toThrow(/^"finished\[1\].round.digest" expected/);
    expect(() => end(plan, finished.slice(0, 8))).toThrow(/^"finished" expected 9 rounds, got 8/);
  });
});

test('a gain beyond the largest risk is noise, from which no number of players is told', () => {
  const players = 400;
  const own = (index: number): number => index;
  const records = {
    ...{ players, dimension: 2, from: own, until: (index: number) => index + 1 },
    features: Float32Array.from({ length: 2 * players }, (_, i) => (i % 2 === 0 ? 0.8 : 0.5 * Math.sin(i))),
    responses: Float64Array.from({ length: players }, (_, i) => (Math.sin(2 * i) > 0 ? 1 : -1)),
  };
  const asked = (epsilon: number) => ({
    ...{ variant: 'hinge', epsilon, dimension: 2, players, samples: 1 },
    delta: 1e-6,
  });
  const fits = Array.from({ length: 40 }, (_, seed) => study.play.fit(asked(1e-6) as never, records, `gain ${seed}`));
  const uncertain = fits.map(({ uncertainty }) => uncertainty!);
  // So clear is a tenth by noise alone: none of 40 with probability .015.
  const clear = uncertain.filter(({ effect: [low, high] }) => (low + high) / 2 > 0.33 * (high - low));
  expect(clear.length).toBeGreaterThan(0);
  expect(uncertain.map(({ playersNeeded }) => playersNeeded)).toEqual(uncertain.map(() => null));
});

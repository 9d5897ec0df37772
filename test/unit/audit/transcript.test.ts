import { describe, expect, test } from '@jest/globals';
import { printed, study, twoRound, userLevelMean } from '../../../protocols/user-level-mean/index.ts';
import type { UserLevelMeanPlan } from '../../../protocols/user-level-mean/parameters.ts';
import { audit } from '../../../src/audit/audit.ts';
import { roundTarget, transcriptTarget } from '../../../src/audit/transcript.ts';
import { pure } from '../../../src/privacy/guarantee.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { conduct } from '../../../src/simulation/runner.ts';

const request = { epsilon: 1, delta: 1e-6, players: 2000, samples: 50, dimension: 1 };

/** The rounds of a plan, played by people who all say the same. */
function roundsOf(plan: UserLevelMeanPlan) {
  const samples = Float64Array.from({ length: plan.dimension }, () => 0.1);
  const population = { players: 2000, datum: () => ({ samples }) };
  return conduct(userLevelMean, plan, population, { seed: 1 }).finished.map(({ round }) => round);
}

const transcripts = (plan: UserLevelMeanPlan) => transcriptTarget(userLevelMean, plan, roundsOf(plan));
const options = (trials: number) => ({ trials, random: seededRandom('transcript'), lastBits: false });

describe('the transcript of fresh players', () => {
  const plan = study.plan({ ...request, variant: 'oneBit' });
  const rounds = roundsOf(plan);

  test('is one report in one round, as often as its share', () => {
    const { player } = transcripts(plan);
    const random = seededRandom(3);
    const counts = new Float64Array(rounds.length);
    let most = 0;
    for (let i = 0; i < 20_000; i++) {
      const { reports } = player.randomize(plan, { samples: [0.2] }, random);
      const answered = reports.flatMap((report, r) => (report === undefined ? [] : [r]));
      most = Math.max(most, answered.length);
      counts[answered[0]]++;
    }
    expect(most).toBe(1);
    // Six standard deviations: a false alarm once in 5e8 tests.
    counts.forEach((count, r) => {
      const { share } = rounds[r];
      expect(Math.abs(count - 20_000 * share)).toBeLessThan(6 * Math.sqrt(20_000 * share * (1 - share)));
    });
  });

  test('has a channel that adds up to 1 and spends the claimed ε exactly', () => {
    const target = transcripts(plan);
    const channel = target.auditing!.channel!(plan, { samples: [0.3] })!;
    expect(Float64Array.from(channel).reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12);
    const { verdict, lowerBound, method } = audit(target, options(0));
    expect({ verdict, method }).toEqual({ verdict: 'consistent', method: 'enumeration' });
    expect(lowerBound).toBeCloseTo(1, 9);
  });

  test('is refuted when the same players answer two rounds: each report spends the ε that is claimed of all (control)', () => {
    const again = rounds.slice(-2).map((round) => ({ ...round, share: 1, repeats: true as const }));
    const { verdict, lowerBound } = audit(transcriptTarget(userLevelMean, plan, again), options(0));
    expect(verdict).toBe('violation');
    expect(lowerBound).toBeCloseTo(2, 3);
  });

  test('of each round spends no more than the plan, and a smaller claim is refuted (control)', () => {
    for (const round of rounds) {
      const target = roundTarget(userLevelMean, plan, round);
      expect(audit(target, options(0)).verdict).toBe('consistent');
      expect(audit({ ...target, claimed: pure(0.9) }, options(0)).verdict).toBe('violation');
    }
  });
});

describe('the transcript of players who answer both rounds', () => {
  test('of the printed scheme holds by its likelihood ratio, and a tenth of what it spends is refuted (control)', () => {
    // ε = 400, so that both reports can be distinguished by few trials: μ of all is then about 20.
    const plan = printed({ ...request, epsilon: 400 });
    const target = transcripts(plan);
    const { reports } = target.player.randomize(plan, { samples: [0] }, seededRandom(1));
    expect(reports.every((report) => report !== undefined)).toBe(true);
    const { verdict, claims } = audit(target, options(8000));
    expect(verdict).toBe('consistent');
    expect(claims[0].lowerBound).toBeGreaterThan(0.5);
    const claimed = { ...claims[0].claimed, epsilon: claims[0].lowerBound / 10 } as (typeof claims)[0]['claimed'];
    expect(audit({ ...target, claimed }, options(8000)).verdict).toBe('violation');
  });

  test('of two pure halves is enumerated, and spends both', () => {
    const { delta: _, ...rest } = request;
    const plan = twoRound({ ...rest, samePlayers: true });
    const { verdict, lowerBound } = audit(transcripts(plan), options(0));
    expect(verdict).toBe('consistent');
    expect(lowerBound).toBeGreaterThan(0.95);
    expect(lowerBound).toBeLessThanOrEqual(1 + 1e-9);
  });
});

test('transcripts of vectors are seen as equally many numbers, whatever round was answered', () => {
  const plan = study.plan({ ...request, variant: 'vector', dimension: 3, players: 200_000, epsilon: 6 });
  const target = transcripts(plan);
  const random = seededRandom(5);
  const lengths = new Set<number>();
  for (let i = 0; i < 200; i++) {
    lengths.add(target.auditing!.view(plan, target.player.randomize(plan, { samples: [0, 0.1, 0.2] }, random)).length);
  }
  expect(lengths.size).toBe(1);
});

test('without rounds, or without anything an audit may use, there is no target', () => {
  const plan = study.plan({ ...request, variant: 'naive' });
  expect(() => transcriptTarget(userLevelMean, plan, [])).toThrow('"rounds" expected at least one round, got 0');
  const { auditing: _, ...silent } = userLevelMean;
  expect(() => transcriptTarget(silent, plan, roundsOf(plan))).toThrow(
    '"protocol" expected one that says how to audit it',
  );
});

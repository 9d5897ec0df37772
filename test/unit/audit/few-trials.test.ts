import { expect, test } from '@jest/globals';
import { userLevelMean, userLevelMeanPlan } from '../../../protocols/user-level-mean/index.ts';
import type { UserLevelMeanRound } from '../../../protocols/user-level-mean/parameters.ts';
import { auditing } from '../../../protocols/user-level-mean/protocol.ts';
import { audit } from '../../../src/audit/audit.ts';
import { planAudit } from '../../../src/audit/plan.ts';
import type { ValuesReport } from '../../../src/core/frame.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

// Subset selection of 9 of 32 bins of one of 8 coordinates: too many reports for a channel, but a likelihood ratio.
const plan = userLevelMeanPlan({ variant: 'twoRound', epsilon: 1, players: 20_000, samples: 50, dimension: 8 });
const target = {
  player: userLevelMean.player,
  parameters: userLevelMean.rounds.first(plan),
  claimed: userLevelMean.theory.guarantee(plan),
  auditing,
};

test('2,000 reports of round 1 of twoRound at d = 8 are scored by their likelihood ratio, and say something of ε', () => {
  // A report has the first bin and not the second with probability a = .38 and b = .14. Of 505 reports under either datum their
  // shares vary by .022 and .015; bounds at .0025 are 2.8 of these off, so that log a/b = 1 is proved as far as .5, with a deviation
  // of .12: below .05 with probability 1e-4 a seed.
  const bounds = Array.from({ length: 8 }, (_, seed) => {
    const { claims, verdict } = audit(target, { trials: 2000, random: seededRandom(`few ${seed}`), lastBits: false });
    expect(verdict).toBe('consistent');
    expect(claims[0].evidence).toBe('likelihood ratio');
    return claims[0].lowerBound;
  });
  expect(Math.min(...bounds)).toBeGreaterThan(0.05);
});

test('where the pilot is sure of an event, what is only likely is not counted', () => {
  const { alone } = planAudit(target, { trials: 60_000, random: seededRandom('many'), lastBits: false });
  expect(alone.events).toHaveLength(1);
  expect(alone.strengths[0]).toBeGreaterThan(0.5);
});

test('reports that say nothing have no event (control)', () => {
  const silent = {
    ...target,
    player: {
      randomize(
        round: UserLevelMeanRound,
        _: unknown,
        random: Parameters<typeof userLevelMean.player.randomize>[2],
      ): ValuesReport {
        return userLevelMean.player.randomize(round, { samples: new Float64Array(8) }, random) as ValuesReport;
      },
    },
    auditing: { ...auditing, logLikelihoodRatio: () => () => 0 },
  };
  const { alone } = planAudit(silent, { trials: 2000, random: seededRandom('none'), lastBits: false });
  expect(alone.events).toEqual([]);
});

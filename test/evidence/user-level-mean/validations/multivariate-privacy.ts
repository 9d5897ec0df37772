import { digestOf, seededRandom } from 'ldpkit';
import { randomizePrivUnitG } from 'ldpkit/mechanism';
import { isVector, type UserLevelMeanRequest, userLevelMeanPlan } from 'ldpkit/protocols/user-level-mean';
import { DEVIATIONS, type Measured, plusMinus, toleranceOf } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import {
  type AuditedLine,
  type AuditedPart,
  type AuditedSetting,
  type AuditedShares,
  auditedCells,
  auditedChunk,
  auditedLine,
  auditedReport,
  auditedSmallRun,
} from './audited.ts';

const { abs, log, max, sqrt } = Math;

const EPSILONS = [0.5, 1, 2, 4];
const BASE = { players: 2000, samples: 25, domain: 'ball' } as const;

const LINES: readonly AuditedLine[] = [
  {
    ...{ key: 'rotated', label: 'one rotated coordinate, d = 16', trials: 0 },
    request: { ...BASE, variant: 'vector', dimension: 16, form: 'sign' },
  },
  {
    ...{ key: 'unit', label: 'residual as a unit vector, d = 4', trials: 8000 },
    request: { ...BASE, variant: 'vector', dimension: 4, form: 'unit', rounds: 3 },
  },
  {
    ...{ key: 'split', label: 'all coordinates, split budget, d = 3', trials: 0 },
    request: { ...BASE, variant: 'coordinates', dimension: 3, rounds: 3 },
  },
];

const TITLE = {
  name: 'user-level-multivariate-privacy',
  title: 'Privacy of one player over all rounds, in several dimensions',
  notes: ['Enumerated transcripts are exact; an attack on unit vectors finds what its score has learned.'],
} as const;

const SHARES: Readonly<Record<string, AuditedShares>> = {
  rotated: { certified: 0.999, found: 0.999 },
  // Measured .5 to .8 from ε = 1 on: the score is learned anew each time.
  unit: { certified: 0.99, found: [0, 0.2, 0.5, 0.5] },
  split: { certified: 0.999, found: 0.999 },
};

/** Reports of each of two opposite residuals that are counted. */
const REPORTS = 40_000;

/**
 * How often reports of a residual u and of −u lie in the cap of u, as the logarithm of their ratio: their densities differ by e^ε there,
 * so that it is ε.
 */
function capOdds({ request }: AuditedSetting, seed: string): Measured {
  const plan = userLevelMeanPlan(request as unknown as UserLevelMeanRequest);
  const mechanism = isVector(plan) && plan.variant === 'vector' ? plan.residual?.mechanism : undefined;
  if (mechanism?.name !== 'PrivUnitG') throw new RangeError('"request" expected residuals as unit vectors');
  const random = seededRandom(seed);
  const target = new Float64Array(mechanism.dimension);
  const [inside, opposite] = [1, -1].map((sign) => {
    const unit = new Float64Array(mechanism.dimension);
    unit[0] = sign;
    let count = 0;
    for (let i = 0; i < REPORTS; i++) {
      randomizePrivUnitG(mechanism, unit, target, random);
      if (target[0] > mechanism.threshold * mechanism.scale) count++;
    }
    return count;
  });
  return { mean: log(inside / opposite), error: sqrt(1 / inside + 1 / opposite) };
}

function chunk(setting: AuditedSetting, index: number, seed: string): AuditedPart {
  const audited = auditedChunk(setting, index, seed);
  if (setting.request.form !== 'unit') return audited;
  const { mean, error } = capOdds(setting, `${seed} cap ${digestOf(setting)}`);
  return { ...audited, odds: mean, oddsError: error };
}

function report(results: readonly CellResult<AuditedSetting, AuditedPart>[]): ExperimentReport {
  const units = auditedLine(LINES[1], results);
  const shown = auditedReport(TITLE, LINES, SHARES, results);
  const odds = units.map((unit) => ({ mean: Number(unit.odds), error: Number(unit.oddsError) }));
  return {
    ...shown,
    claims: [
      ...shown.claims,
      {
        // Logarithms of counts of hundreds are nearly normal: four of them are beyond 4.5 deviations with probability 3e-5.
        asked: `residual as a unit vector: reports of opposite residuals in the cap of one differ in number by e^ε, to ${DEVIATIONS} standard errors of the logarithm and at most a tenth of ε, or .07`,
        measured: odds.map(({ mean, error }, i) => `${plusMinus(mean, error)} at ε = ${units[i].claimed}`).join(', '),
        met: odds.every(({ mean, error }, i) => {
          const tolerance = toleranceOf(error);
          return abs(mean - units[i].claimed) <= tolerance && tolerance <= max(0.07, units[i].claimed / 10);
        }),
      },
    ],
  };
}

/** One player of the rotated estimator keeps ε, and spends all of it. */
export const multivariatePrivacyValidation: TheoremValidation<AuditedSetting, AuditedPart> = {
  name: 'user-level-multivariate-privacy',
  title: 'Privacy of the user-level mean in several dimensions',
  paper: 'slides',
  theorems: ['Theorem, multivariate case, privacy'],
  source:
    'Avella-Medina 2023 (slides), theorem of the multivariate case: the rotated estimator is user-level (ε, δ)-LDP',
  summary:
    'Whole transcripts of one player, enumerated where they are bits, for opposite data in the ball; residuals by an attack that learns its ' +
    'score, and by counts in the cap where their densities differ most. All three schemes are pure: δ = 0. The slides’ own coordinate-wise two rounds are not offered in several dimensions.',
  version: 2,
  cells: (scale) => auditedCells(LINES, EPSILONS, scale === 'full' ? 30 : 1),
  smallRun: auditedSmallRun,
  chunk,
  report,
};

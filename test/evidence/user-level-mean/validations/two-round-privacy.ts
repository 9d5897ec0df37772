import { digestOf, seededRandom } from 'ldpkit';
import { type UserLevelMeanRequest, userLevelMean, userLevelMeanPlan } from 'ldpkit/protocols/user-level-mean';
import { conduct } from 'ldpkit/simulate';
import { digits } from 'ldpkit/testing';
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

const { abs, max, min, sqrt } = Math;

const DELTA = 0.01;
const EPSILONS = [1, 2, 4];
const BASE = { players: 2000, samples: 100 } as const;

const TITLE = {
  name: 'user-level-two-round-privacy',
  title: `Privacy of one player over both rounds, δ = ${DELTA}`,
  notes: [
    'Of two releases one attack sees both. The certificate is the least total of all accountings; the schemes without δ are pure.',
  ],
} as const;

const SHARES: Readonly<Record<string, AuditedShares>> = {
  gaussian: { certified: 0.85, found: 0.3 },
  pure: { certified: 0.999, found: 0.999 },
  'one-bit': { certified: 0.999, found: 0.999 },
};

const LINES: readonly AuditedLine[] = [
  {
    ...{ key: 'printed', label: 'as printed', trials: 80_000 },
    request: { ...BASE, variant: 'printed', delta: DELTA },
  },
  {
    ...{ key: 'gaussian', label: 'pair of bins, one budget for the same players', trials: 80_000 },
    request: { ...BASE, variant: 'twoRound', delta: DELTA, samePlayers: true },
  },
  {
    ...{ key: 'pure', label: 'pair of bins and one bit, same players, pure', trials: 0 },
    request: { ...BASE, samples: 20, variant: 'twoRound', samePlayers: true },
  },
  { key: 'one-bit', label: 'one bit, fresh players', trials: 0, request: { ...BASE, variant: 'oneBit' } },
];

/**
 * What certificates say of the printed rounds at ε = 1, 2 and 4, by hand: with ε′ = ε/(4√ln 300) and μ = ε′/√(2·ln 600), the ε at
 * which p·δ(ε − ε′) + (1 − p)·δ(ε + ε′) is .01, δ(·) the curve of μ-Gaussian privacy and p = e^ε′/(1 + e^ε′).
 */
const BY_HAND = [0.09195, 0.22095, 0.50413];

/** ε√(8·ln 600)/ε′: the deviation of a printed report of round 2 at ε = 1, in units of half the interval. */
const DEVIATION = 68.34;

/** Reports of round 2 whose noise is measured: to .5 %. */
const REPORTS = 20_000;

/** Reports of the last of two rounds, less what they are of: their root mean square, in units of half the interval. */
function deviationOf({ request }: AuditedSetting, seed: string): number {
  const plan = userLevelMeanPlan({ ...(request as unknown as UserLevelMeanRequest), players: 50 });
  const datum = { samples: Float64Array.of(0.1) };
  const { finished } = conduct(userLevelMean, plan, { players: 50, datum: () => datum }, { seed });
  const { round } = finished[1];
  if (!('question' in round)) throw new RangeError('"request" expected a variant in one dimension');
  const { lower, upper } = round.question;
  const projected = max(-1, min(1, (2 * datum.samples[0] - lower - upper) / (upper - lower)));
  const random = seededRandom(`${seed} reports`);
  let squared = 0;
  for (let i = 0; i < REPORTS; i++) {
    const { values } = userLevelMean.player.randomize(round, datum, random);
    squared += (values[0] - projected) ** 2;
  }
  return sqrt(squared / REPORTS);
}

function chunk(setting: AuditedSetting, index: number, seed: string): AuditedPart {
  const audited = auditedChunk(setting, index, seed);
  if (setting.request.variant !== 'printed') return audited;
  return { ...audited, deviation: deviationOf(setting, `${seed} deviation ${digestOf(setting)}`) };
}

function report(results: readonly CellResult<AuditedSetting, AuditedPart>[]): ExperimentReport {
  const printed = auditedLine(LINES[0], results);
  const deviations = printed.map(({ deviation, claimed }) => Number(deviation) * claimed);
  const last = printed[printed.length - 1];
  const shown = auditedReport(TITLE, LINES, SHARES, results);
  return {
    ...shown,
    claims: [
      ...shown.claims,
      {
        // Computed on both sides, by numeric composition and by hand: no chance is in it.
        asked: `as printed: both rounds spend ${BY_HAND.map((value, i) => `${digits(value / EPSILONS[i])}·ε at ε = ${EPSILONS[i]}`).join(', ')}, to 2 %: the theorem holds with much to spare`,
        measured: printed.map(({ certified, claimed }) => `${digits(certified / claimed)}·ε`).join(', '),
        met: printed.every(({ certified }, i) => abs(certified / BY_HAND[i] - 1) <= 0.02),
      },
      {
        // Root mean squares of 20,000 normal numbers are .5 % off: 4.5 standard errors are 2.3 %.
        asked: `as printed: reports of round 2 deviate by √(8·ln(6/δ))/ε′ = ${DEVIATION}/ε halves of the interval, to 2.5 %`,
        measured: `${deviations.map((value) => digits(value, 4)).join(', ')} over ε`,
        met: deviations.every((value) => abs(value / DEVIATION - 1) <= 0.025),
      },
      {
        asked: `as printed: at ε = 4 an attack finds at least .3 of what is certified`,
        measured: `${digits(last.found / last.certified)} of it`,
        met: last.found >= 0.3 * last.certified,
      },
    ],
  };
}

/** Two rounds together keep (ε, δ), the printed ones with most of it unspent. */
export const twoRoundPrivacyValidation: TheoremValidation<AuditedSetting, AuditedPart> = {
  name: 'user-level-two-round-privacy',
  title: 'Privacy of the two-round user-level estimator',
  paper: 'slides',
  theorems: [
    'Theorem, two-round estimator, privacy',
    'Algorithm, round 2, noise',
    'User-level privacy, user-level LDP',
  ],
  source: 'Avella-Medina 2023 (slides), theorem on the two-round estimator: it is user-level (ε, δ)-LDP',
  summary:
    'Whole transcripts of one player over both rounds, attacked by the exact likelihood ratio of the worst of several pairs of data, and ' +
    `enumerated where they are finite; beside them what certificates say, and the noise of the printed reports. δ = ${DELTA} for the ` +
    'schemes that have one, where attacks see something.',
  version: 2,
  cells: (scale) => auditedCells(LINES, EPSILONS, scale === 'full' ? 30 : 1),
  smallRun: auditedSmallRun,
  chunk,
  report,
};

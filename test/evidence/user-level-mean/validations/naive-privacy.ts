import { gdpDelta, gdpEpsilon } from 'ldpkit/privacy';
import { printedNaive } from 'ldpkit/protocols/user-level-mean';
import { digits } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import { claimedCurve, logFigure } from '../../experiment/figure.ts';
import {
  AUDITED_COLUMNS,
  type AuditedLine,
  type AuditedPart,
  type AuditedSetting,
  auditedCells,
  auditedChunk,
  auditedLine,
  auditedRows,
  auditedSmallRun,
} from './audited.ts';

const { min } = Math;

const DELTA = 0.01;
const EPSILONS = [1, 2, 4];

/** Where the printed noise is compared by its exact curve: δ that a deployment would choose. */
const SMALL_DELTA = 1e-6;
const ALL_EPSILONS = [0.125, 0.25, 0.5, 1, 2, 4];

/** An attack proves so much of the truth at least: measured .65 to .87, with deviations of .03. */
const FOUND = 0.5;

const PRINTED: AuditedLine = {
  key: 'printed',
  label: 'as printed',
  request: { variant: 'printedNaive', delta: DELTA, players: 400, samples: 20 },
  trials: 250_000,
};
const CORRECTED: AuditedLine = {
  key: 'corrected',
  label: 'calibrated exactly for 2B',
  request: { variant: 'naive', delta: DELTA, players: 400, samples: 20 },
  trials: 250_000,
};

/** σ of the printed noise, on local means in [−1, 1]. */
const printedSigma = (epsilon: number, delta: number): number =>
  printedNaive({ epsilon, delta, players: 1, samples: 1 }).question.sigma;

/** The ε of the printed noise at δ: it is 2/σ-Gaussian. */
const printedEpsilonAt = (epsilon: number, delta: number = DELTA): number =>
  gdpEpsilon(2 / printedSigma(epsilon, delta), delta);

function report(results: readonly CellResult<AuditedSetting, AuditedPart>[]): ExperimentReport {
  const printed = auditedLine(PRINTED, results);
  const corrected = auditedLine(CORRECTED, results);
  const excess = ALL_EPSILONS.map((epsilon) => {
    const delta = SMALL_DELTA;
    return gdpDelta(2 / printedSigma(epsilon, delta), epsilon) / delta;
  });
  const over = printed.map(({ found, claimed }) => found / claimed);
  return {
    // Bounds of attacks are above the truth with probability 1e-5 each; the exact curve cannot be a false alarm.
    claims: [
      {
        asked: `as printed, refuted: noise of variance 2B²·ln(2/δ)/ε² is (ε, δ) at δ = ${DELTA}; attacks prove more than ε at 2 and 4`,
        measured: `the attack proves ${EPSILONS.map((epsilon, i) => `${digits(over[i])}·ε at ε = ${epsilon}`).join(', ')}`,
        met: over[1] > 1 && over[2] > 1,
      },
      {
        asked: `as printed, refuted: at δ = ${SMALL_DELTA} its δ at ε is more than twenty times the one claimed, exactly, for ε up to 4`,
        measured: ALL_EPSILONS.map((epsilon, i) => `${digits(excess[i])} times at ε = ${epsilon}`).join(', '),
        met: min(...excess) > 20,
      },
      {
        asked: `what an attack proves of the printed noise is at most its exact ε at δ, and at least ${FOUND} of it`,
        measured: printed
          .map(({ found }, i) => `${digits(found)} of ${digits(printedEpsilonAt(EPSILONS[i]))}`)
          .join(', '),
        met: printed.every(({ found }, i) => {
          const exact = printedEpsilonAt(EPSILONS[i]);
          return found <= exact && found >= FOUND * exact;
        }),
      },
      {
        asked: `noise for the sensitivity 2B is (ε, δ): no attack proves more, and one proves ${FOUND}·ε`,
        measured: corrected.map(({ found, claimed }) => `${digits(found)} of ${claimed}`).join(', '),
        met: corrected.every(({ found, claimed }) => found <= claimed && found >= FOUND * claimed),
      },
    ],
    tables: [
      {
        title: `Privacy of noisy local means at δ = ${DELTA}`,
        columns: AUDITED_COLUMNS,
        rows: [...auditedRows(PRINTED, printed), ...auditedRows(CORRECTED, corrected)],
        notes: ['An attack holds with confidence 99.999 %; the certificate is exact for normal noise.'],
      },
    ],
    figures: [
      logFigure({
        name: 'user-level-naive-privacy',
        title: `Naive estimator, what is claimed and what an attack proves, δ = ${DELTA}`,
        x: 'ε claimed',
        y: 'ε',
        curves: [
          curve('attack on the printed noise', 0, printed),
          curve('attack on the corrected noise', 1, corrected),
          claimedCurve('claimed', 2, EPSILONS, (epsilon) => epsilon),
          claimedCurve('printed noise, exact', 0, EPSILONS, printedEpsilonAt),
        ],
      }),
      logFigure({
        name: 'user-level-naive-privacy-small-delta',
        title: `Naive estimator, exact ε of the printed noise, δ = ${SMALL_DELTA}`,
        x: 'ε claimed',
        y: `ε at δ = ${SMALL_DELTA}`,
        curves: [
          {
            ...claimedCurve('printed noise, exact', 0, ALL_EPSILONS, (epsilon) =>
              printedEpsilonAt(epsilon, SMALL_DELTA),
            ),
            dashed: false,
          },
          claimedCurve('claimed', 2, ALL_EPSILONS, (epsilon) => epsilon),
        ],
      }),
    ],
    data: { epsilons: EPSILONS, printed, corrected },
  };
}

function curve(name: string, style: number, chunks: readonly AuditedPart[]) {
  return { name, style, dashed: false, points: chunks.map(({ claimed, found }) => ({ x: claimed, y: found })) };
}

/** The printed noise of the naive estimator is a quarter of what its privacy needs. */
export const naivePrivacyValidation: TheoremValidation<AuditedSetting, AuditedPart> = {
  name: 'user-level-naive-privacy',
  title: 'Privacy of the naive user-level estimator',
  paper: 'slides',
  theorems: ['A naive estimator, noise and privacy'],
  source: 'Avella-Medina 2023 (slides), a naive estimator: noise N(0, 2B²·ln(2/δ)/ε²) is user-level (ε, δ)-LDP',
  summary:
    'Players at the two ends of [−B, B] are distinguished by the likelihood ratio of their reports, for the printed noise and for noise ' +
    `calibrated exactly for the sensitivity 2B, at δ = ${DELTA}, where attacks see the curve. ` +
    'At that δ the printed noise happens to be enough up to ε = ½; at δ = 1e-6 it never is, by its exact curve.',
  version: 1,
  cells: (scale) => auditedCells([PRINTED, CORRECTED], EPSILONS, scale === 'full' ? 25 : 1),
  smallRun: auditedSmallRun,
  chunk: auditedChunk,
  report,
};

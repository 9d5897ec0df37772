import {
  atMostClaim,
  type CellResult,
  digits,
  type ExperimentReport,
  plainPoints,
  type TheoremValidation,
} from 'ldpkit/testing';
import { type ShapePart, type ShapeSetting, shapePart } from './hinge-shape.ts';
import { PAPER } from './paper.ts';

const { abs, max, min } = Math;

function report(results: readonly CellResult<ShapeSetting, ShapePart>[]): ExperimentReport {
  const betas = results.map(({ cell }) => cell.setting.beta);
  const found = results.map(({ parts: [measured] }) => measured);
  const gaps = found.map(({ gap }, i) => gap / (betas[i] / 2));
  const curvatures = found.map(({ curvature }, i) => curvature * 2 * betas[i]);
  const printed = found.map(({ curvature }, i) => 1 / betas[i] / curvature);
  const kinks = found.map(({ kinkGrowth }) => kinkGrowth);
  return {
    // Nothing is random. The slack of 1e-6 is rounding of second differences.
    claims: [
      atMostClaim(
        'item 1: on intervals of length 2β Chebyshev coefficients of f′_β fall like 2⁻ⁿ: |a_n|·2ⁿ ≤ 3, as for a function analytic to ½ ± iβ',
        found.map(({ growth }) => growth),
        3,
      ),
      {
        asked: 'control: those of the hinge loss at its kink do not: |a_n|·2ⁿ > 30β',
        measured: `smallest ${digits(min(...kinks))}`,
        met: min(...kinks) > 30,
      },
      atMostClaim('item 2: |f_β − f| over β/2 is at most 1, and reaches it', gaps, 1 + 1e-12, 1 - 1e-9),
      {
        asked: 'item 2: f_β lies above f',
        measured: `least f_β − f is ${digits(min(...found.map(({ above }) => above)))}`,
        met: found.every(({ above }) => above >= 0),
      },
      atMostClaim(
        'item 3: f_β is 1-Lipschitz, and not 0.95-Lipschitz',
        found.map(({ steepest }) => steepest),
        1 + 1e-11,
        0.95,
      ),
      {
        asked: 'item 4: f_β is convex',
        measured: `least second difference times β: ${digits(min(...found.map(({ flattest }, i) => flattest * betas[i])))}`,
        met: found.every(({ flattest }) => flattest > 0),
      },
      atMostClaim(
        'item 4: second differences times 2β are at most 1, and reach it: the smoothness is 1/(2β)',
        curvatures,
        1 + 1e-6,
        0.999,
      ),
      {
        asked: 'as printed, 1/β: a bound, but twice the smoothness (ratio 2 ± 0.01)',
        measured: `ratio ${digits(min(...printed), 4)} to ${digits(max(...printed), 4)}`,
        met: printed.every((ratio) => abs(ratio - 2) <= 0.01),
      },
    ],
    tables: [
      {
        title: 'The smoothed hinge against its lemma',
        columns: ['β', '|f_β − f|', 'β/2', 'Lipschitz', 'smoothness', '1/(2β)', 'printed 1/β'],
        rows: found.map(({ gap, steepest, curvature }, i) =>
          [betas[i], gap, betas[i] / 2, steepest, curvature, 1 / (2 * betas[i]), 1 / betas[i]].map((v) => digits(v, 4)),
        ),
        notes: ['Smoothness: largest second difference at steps of β/100 over 10β on both sides of the kink.'],
      },
    ],
    figures: [
      {
        kind: 'curves',
        name: 'lemma-9-distance',
        title: 'Distance of the smoothed hinge from the hinge',
        x: { label: 'β', logarithmic: true },
        y: { label: 'max |f_β − f|', logarithmic: true },
        curves: [
          {
            name: 'measured',
            style: 0,
            dashed: false,
            points: plainPoints(
              betas,
              found.map(({ gap }) => gap),
            ),
          },
          {
            name: 'β/2',
            style: 1,
            dashed: true,
            points: plainPoints(
              betas,
              betas.map((beta) => beta / 2),
            ),
          },
        ],
        levels: [],
      },
      {
        kind: 'curves',
        name: 'lemma-9-smoothness',
        title: 'Smoothness of the smoothed hinge',
        x: { label: 'β', logarithmic: true },
        y: { label: 'largest curvature', logarithmic: true },
        curves: [
          {
            name: 'measured',
            style: 0,
            dashed: false,
            points: plainPoints(
              betas,
              found.map(({ curvature }) => curvature),
            ),
          },
          {
            name: '1/(2β)',
            style: 1,
            dashed: true,
            points: plainPoints(
              betas,
              betas.map((beta) => 1 / (2 * beta)),
            ),
          },
          {
            name: 'as printed, 1/β',
            style: 2,
            dashed: true,
            points: plainPoints(
              betas,
              betas.map((beta) => 1 / beta),
            ),
          },
        ],
        levels: [],
      },
    ],
    data: found.map((measured, i) => ({ beta: betas[i], ...measured })),
  };
}

/** Lemma 9: what the smoothed hinge keeps of the hinge. */
export const lemma9: TheoremValidation<ShapeSetting, ShapePart> = {
  name: 'hinge-lemma-9',
  title: 'The smoothed hinge',
  paper: 'noninteractive',
  theorems: ['Lemma 9'],
  source: `${PAPER}, lemma 9`,
  summary:
    'Values of f_β and of the hinge loss f on a grid crowded around the kink: distance, steepest chord, second differences; and ' +
    'Chebyshev coefficients on short intervals, which show where a function is analytic. The β are chosen here. Nothing is random.',
  version: 1,
  cells: (scale) =>
    (scale === 'full' ? [1, 0.3, 0.1, 0.03, 0.01, 0.003] : [1, 0.3, 0.05, 0.01]).map((beta) => ({
      key: `beta-${String(beta).replace('.', '-')}`,
      label: `β = ${beta}`,
      setting: { beta, points: scale === 'full' ? 20_000 : 2000 },
      parts: 1,
    })),
  probe: (setting) => ({ ...setting, points: 10 }),
  part: shapePart,
  report,
};

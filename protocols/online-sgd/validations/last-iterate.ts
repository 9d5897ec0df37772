import type { Json } from '../../../src/protocol/digest.ts';
import type { CellResult, ExperimentReport } from '../../../src/simulation/paper-experiment.ts';
import type { TheoremValidation } from '../../../src/simulation/theorem-validation.ts';
import { digits, plusMinus } from '../reproductions/statistics.ts';
import { logarithmicGrid } from '../reproductions/trajectory.ts';
import { lastIterateBound, lastIterateRate, rateExponents } from '../theory.ts';
import { boundClaim, claimedCurve, decayName, measure, measuredCurve, slopeClaim } from './claims.ts';
import { boundFields, type ErrorPart, type ErrorSetting, errorPart, errorProbe, errorRows } from './errors.ts';
import { riskOf } from './risks.ts';

const DECAYS = [1 / 3, 1 / 2, 2 / 3];
const FIRST = 400;
const CHECKPOINTS = logarithmicGrid(FIRST, 16_000, 40);

/**
 * Slopes are taken over 40 checkpoints, at most of which the last iterate has forgotten the one before: 48 replications give them to
 * about .02. In n the exact error is η_i·c/(1 − α·n^(α − 1)/(2mη)): a slope is off by up to .02 at α = 2/3.
 */
const FINITE = 0.03;

function report(results: readonly CellResult<ErrorSetting, ErrorPart>[]): ExperimentReport {
  const { strongConvexity } = riskOf('square');
  const lines = results.map(({ cell: { setting }, parts }) => {
    const { decay, checkpoints } = setting;
    const { means, slope } = measure(checkpoints, errorRows(parts, 'last'), FIRST);
    const bound = (n: number): number => lastIterateBound(boundFields(setting, n), strongConvexity);
    const printed = (n: number): number => lastIterateRate(boundFields(setting, n), strongConvexity);
    return { decay, checkpoints, means, slope, bound, printed, exponent: rateExponents(decay).last };
  });
  const end = lines[0].checkpoints.length - 1;
  return {
    claims: lines.flatMap(({ decay, checkpoints, means, slope, bound, printed, exponent }) => [
      slopeClaim(`E‖θ_n − θ*‖² at ${decayName(decay)}`, -exponent, slope, FINITE),
      boundClaim(`the recursion behind the bound, at ${decayName(decay)},`, checkpoints, means, bound),
      boundClaim(`the printed leading term, at ${decayName(decay)},`, checkpoints, means, printed),
    ]),
    tables: [
      {
        title: `E‖θ_n − θ*‖² at n = ${lines[0].checkpoints[end].toLocaleString('en-US')}`,
        columns: ['α', 'slope', 'claimed', 'mean', 'recursion', 'printed term'],
        rows: lines.map(({ decay, checkpoints, means, slope, bound, printed, exponent }) => [
          decayName(decay).slice(4),
          plusMinus(slope.slope, slope.error),
          digits(-exponent),
          plusMinus(means[end].mean, means[end].error, 5),
          digits(bound(checkpoints[end])),
          digits(printed(checkpoints[end])),
        ]),
        notes: ['The recursion is that of the first lines of the proof; its limit is half the printed term.'],
      },
    ],
    figures: [
      {
        kind: 'curves',
        name: 'last-iterate',
        title: 'Squared error of the last iterate',
        x: { label: 'players n', logarithmic: true },
        y: { label: 'E‖θ_n − θ*‖²', logarithmic: true },
        curves: lines.flatMap(({ decay, checkpoints, means, bound }, style) => [
          measuredCurve(`measured, ${decayName(decay)}`, style, checkpoints, means),
          claimedCurve(`bound, ${decayName(decay)}`, style, checkpoints, bound),
        ]),
        levels: [],
      },
    ],
    data: lines.map(
      ({ decay, checkpoints, means, slope, bound }): Json => ({
        decay,
        slope: { ...slope },
        checkpoints: [...checkpoints],
        means: means.map((mean) => ({ ...mean })),
        bounds: checkpoints.map(bound),
      }),
    ),
  };
}

/** Theorem 3 of the non-asymptotic paper. */
export const lastIterate: TheoremValidation<ErrorSetting, ErrorPart> = {
  name: 'online-last-iterate',
  paper: 'online-rates',
  theorems: ['Theorem 3', 'Table 1'],
  title: 'The squared error of the last iterate falls like n^(−α), below its bound',
  source: 'Shi, Xie, Jiang, Kong, He, Non-asymptotic analysis of online local private learning with SGD, Theorem 3',
  summary:
    'Squared loss of y = 1 + x + u for x = ±√½ and u uniform on [−½, ½], clipped at C₀ = 4, which is hardly ever reached: a quadratic ' +
    'risk with m = ½ and M = 1. Gaussian gradients with μ = 4, η = 1, from a squared distance of 0.04. The remainder of the theorem ' +
    'is in an appendix that is not at hand; the bound drawn is the recursion that it sums up.',
  version: 1,
  cells: (scale) =>
    DECAYS.map((decay, index) => ({
      key: `decay-${['1-3', '1-2', '2-3'][index]}`,
      label: decayName(decay),
      setting: { kind: 'square', decay, checkpoints: CHECKPOINTS, size: 24 },
      parts: scale === 'full' ? 80 : 2,
    })),
  probe: errorProbe,
  part: errorPart,
  report,
};

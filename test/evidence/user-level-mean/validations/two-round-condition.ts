import { pairFailure } from 'ldpkit/protocols/user-level-mean';
import { DEVIATIONS, digits, otherSlopeClaim, plusMinus, powerLaw, rateFit, slopeClaim } from 'ldpkit/testing';
import {
  type CellResult,
  type ExperimentReport,
  sweepCells,
  sweepResults,
  type TheoremValidation,
} from '../../experiment/experiment.ts';
import { claimedCurve, linearFigure, logFigure, measuredCurve } from '../../experiment/figure.ts';
import {
  BINS,
  DELTA,
  EPSILONS,
  type PilotChunk,
  type PilotSetting,
  PRINTED,
  PRINTED_BINS,
  PRINTED_EPSILONS,
  pairPlan,
  pilotChunk,
  SWEEPS,
  UNITS,
} from './pilot-runs.ts';
import { halfWay, type SuccessCount } from './success-fit.ts';

const { log, max, min, sqrt } = Math;

type Result = CellResult<PilotSetting, PilotChunk>;

function countsOf(results: readonly Result[]): readonly SuccessCount[] {
  return results.map(({ cell, chunks }) => ({
    players: cell.setting.players,
    successes: chunks.reduce((sum, { found }) => sum + found, 0),
    trials: chunks.reduce((sum, { trials }) => sum + trials, 0),
  }));
}

const forecast = (epsilon: number, players: number): number =>
  min(1, pairFailure(pairPlan(epsilon, players).pilot.mechanism, players));

function report(results: readonly Result[]): ExperimentReport {
  const counts = SWEEPS.map((sweep) => countsOf(sweepResults(sweep, results)));
  const needed = counts.map((line, i) => halfWay(EPSILONS[i], line));
  const fit = rateFit(needed);
  const printedCounts = PRINTED.map((sweep) => countsOf(sweepResults(sweep, results)));
  const printed = printedCounts.map((line, i) => halfWay(PRINTED_EPSILONS[i], line));
  const printedFit = rateFit(printed);
  // Where the forecast says something: failures above it, in standard errors of what was forecast, and how loose it is.
  const forecasts = counts
    .flatMap((line, i) => line.map((count) => ({ ...count, p: forecast(EPSILONS[i], count.players) })))
    .filter(({ p }) => p < 1);
  const above = forecasts.map(
    ({ successes, trials, p }) => (1 - successes / trials - p) / sqrt((p * (1 - p) + 1 / trials) / trials),
  );
  const failures = forecasts.map(({ successes, trials, p }) => `${digits(1 - successes / trials)} of ${digits(p)}`);
  const best = counts.map((line) => line[line.length - 1]).map(({ successes, trials }) => successes / trials);
  return {
    claims: [
      otherSlopeClaim(
        'slope in ε, from 1 to 4, of the players for whom one half of the printed pilots is right',
        { printed: -1, apart: 0.5 },
        printedFit,
      ),
      // n·(e^ε′ − 1)²/((e^ε′ + 1)(e^ε′ + 3)), the square of a bin’s lead over its noise for k = 4, has the slope 2.04 in ε here.
      slopeClaim(
        { what: 'slope in ε of these players', expected: -2.04, slack: 0.1, largestTolerance: 0.5 },
        printedFit,
      ),
      // By e^ε the slope between .25 and 1 is −2.06; the standard error is that of logistic regression, nearly normal: 7e-6.
      slopeClaim(
        {
          what: 'slope in ε of the players for whom one half of the pilots with a pair of bins is right',
          ...{ expected: -2, slack: 0.1, largestTolerance: 0.5 },
        },
        fit,
      ),
      {
        asked: `pilots with a pair of bins fail at most as often as forecast where that is below 1, but for ${DEVIATIONS} standard errors; the forecast is a union bound, several times too large: not contradicted`,
        measured: `${failures.join(', ')}; at most ${digits(max(...above))} standard errors above`,
        met: forecasts.length >= 3 && max(...above) <= DEVIATIONS,
      },
      {
        asked: `${UNITS[UNITS.length - 1]}/(4·sinh²(ε/2)) players are enough: at least .95 of the pilots with a pair of bins are right, for every ε`,
        measured: best.map((rate, i) => `${digits(rate)} at ε = ${EPSILONS[i]}`).join(', '),
        met: min(...best) >= 0.95,
      },
    ],
    tables: [
      {
        title: 'How often the best pair of bins holds the mean',
        columns: ['ε', 'n', 'share right', 'forecast at least'],
        rows: counts.flatMap((line, i) =>
          line.map(({ players, successes, trials }) => [
            String(EPSILONS[i]),
            String(players),
            plusMinus(successes / trials, sqrt(max(1, successes * (1 - successes / trials))) / trials),
            digits(1 - forecast(EPSILONS[i], players)),
          ]),
        ),
        notes: [
          `${BINS} bins, local means deviate by a quarter of a bin around a mean that is uniform on [−.8B, .8B].`,
        ],
      },
      {
        title: 'How often the most popular of the printed bins holds the mean',
        columns: ['ε', 'ε′', 'n', 'share right'],
        rows: printedCounts.flatMap((line, i) =>
          line.map(({ players, successes, trials }) => [
            String(PRINTED_EPSILONS[i]),
            digits(PRINTED_EPSILONS[i] / (4 * sqrt(log(3 / DELTA)))),
            String(players),
            plusMinus(successes / trials, sqrt(max(1, successes * (1 - successes / trials))) / trials),
          ]),
        ),
        notes: [`${PRINTED_BINS} bins, δ = ${DELTA}; all local means are in the bin of the mean.`],
      },
    ],
    figures: [
      logFigure({
        name: 'user-level-two-round-condition-printed',
        title: 'Players that find the mean in every second pilot of the printed rounds',
        x: 'ε',
        y: 'players n',
        curves: [
          measuredCurve('measured', 0, printed),
          claimedCurve('1/ε²', 1, PRINTED_EPSILONS, powerLaw(printedFit, -2)),
          claimedCurve('1/ε, as printed', 2, PRINTED_EPSILONS, powerLaw(printedFit, -1)),
        ],
      }),
      logFigure({
        name: 'user-level-two-round-condition',
        title: 'Players that find the mean in every second pilot, a pair of bins',
        x: 'ε',
        y: 'players n',
        curves: [measuredCurve('measured', 0, needed), claimedCurve('1/ε²', 1, EPSILONS, powerLaw(fit, -2))],
      }),
      linearFigure({
        name: 'user-level-two-round-condition-success',
        title: 'How often a pilot fails',
        x: 'players n',
        y: 'share of pilots that fail',
        logarithmic: 'x',
        curves: EPSILONS.flatMap((epsilon, i) => [
          {
            ...{ name: `ε = ${epsilon}`, style: i, dashed: false },
            points: counts[i].map(({ players, successes, trials }) => ({ x: players, y: 1 - successes / trials })),
          },
          claimedCurve(`ε = ${epsilon}, forecast at most`, i, SWEEPS[i].xs, (n) => forecast(epsilon, n)),
        ]),
        levels: [{ name: 'one half', value: 0.5 }],
      }),
    ],
    data: { printed, needed, counts: counts },
  };
}

/** Finding the mean takes about 1/ε² players, not 1/ε. */
export const twoRoundConditionValidation: TheoremValidation<PilotSetting, PilotChunk> = {
  name: 'user-level-two-round-condition',
  title: 'Players that the first round needs',
  paper: 'slides',
  theorems: ['Theorem, two-round estimator, condition'],
  source:
    'Avella-Medina 2023 (slides), theorem on the two-round estimator: provided n = Ω̃(1/ε); Kent, Berrett, Yu 2024: 1/min(ε, ε²)',
  summary:
    'The first round alone. As printed: four bins, k-ary randomized response at ε′, δ = .01, the most popular bin, local means all in one ' +
    'bin. Corrected: 16 bins, reports by the mechanism of least error, the best pair of adjacent bins, right where the mean is at most a ' +
    'bin away from their common edge. Rates of success against n give the players for one half, by logistic regression.',
  version: 2,
  cells: (scale) => sweepCells([...PRINTED, ...SWEEPS], scale, scale === 'full' ? 3 : 1),
  smallRun: (setting) => ({ ...setting, trials: 2 }),
  chunk: pilotChunk,
  report,
};

import type { Json } from '../../../src/protocol/digest.ts';
import { createValues } from '../../../src/protocol/frame.ts';
import { randomizeAnswer } from '../../../src/protocol/user-level/answer.ts';
import { pairEdge } from '../../../src/protocol/user-level/interval.ts';
import { addAnswer, binQuestion, shapeOf, sumsOf } from '../../../src/protocol/user-level/question.ts';
import { pairFailure } from '../../../src/protocol/user-level/two-round.ts';
import { normal } from '../../../src/random/normal.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { uniform } from '../../../src/random/uniform.ts';
import type { CellResult, ExperimentReport } from '../../../src/simulation/paper-experiment.ts';
import {
  claimedCurve,
  DEVIATIONS,
  digits,
  measuredCurve,
  otherSlopeClaim,
  plusMinus,
  powerLaw,
  rateFit,
  slopeClaim,
} from '../../../src/simulation/rate-fit.ts';
import { type Sweep, sweepCells, sweepResults } from '../../../src/simulation/sweep.ts';
import type { TheoremValidation } from '../../../src/simulation/theorem-validation.ts';
import { halfWay, type SuccessCount } from './success-fit.ts';

const { abs, max, min, round, sinh, sqrt } = Math;

interface PilotSetting {
  readonly [name: string]: Json;
  readonly epsilon: number;
  readonly players: number;
  readonly trials: number;
}

interface PilotPart {
  readonly [name: string]: Json;
  readonly found: number;
  readonly trials: number;
}

const BINS = 16;
const WIDTH = 2 / BINS;
/** Local means deviate by so much of a bin. */
const DEVIATION = 0.25;
const EPSILONS = [0.25, 0.5, 1];
/** Players in units of 1/(4·sinh²(ε/2)), what randomized response of two values makes of a player: about 1/ε². */
const UNITS = [16, 32, 64, 128];
const TRIALS = 600;

const playersAt = (epsilon: number, units: number): number => round(units / (4 * sinh(epsilon / 2) ** 2));

const SWEEPS: readonly Sweep<PilotSetting>[] = EPSILONS.map((epsilon) => ({
  key: `epsilon-${epsilon * 100}`,
  variable: 'players n',
  xs: UNITS.map((units) => playersAt(epsilon, units)),
  setting: (players, _, scale) => ({ epsilon, players, trials: TRIALS * (scale === 'full' ? 10 : 1) }),
}));

/** How often the best pair of bins touches the mean, which is anywhere. */
function part({ epsilon, players, trials }: PilotSetting, index: number, seed: string): PilotPart {
  const question = binQuestion(1, BINS, epsilon);
  const values = createValues(shapeOf(question).precision, shapeOf(question).length);
  const random = seededRandom(`${seed} pilot ${epsilon} ${players}`);
  const sums = new Float64Array(sumsOf(question));
  let found = 0;
  for (let trial = 0; trial < trials; trial++) {
    random.seek(index * trials + trial);
    const mean = 1.6 * (uniform(random) - 0.5);
    sums.fill(0);
    for (let i = 0; i < players; i++) {
      randomizeAnswer(question, max(-1, min(1, mean + DEVIATION * WIDTH * normal(random))), values, random);
      addAnswer(question, sums, values);
    }
    if (abs(pairEdge(question, { digest: '', players, sums }) - mean) <= WIDTH) found++;
  }
  return { found, trials };
}

type Result = CellResult<PilotSetting, PilotPart>;

function countsOf(results: readonly Result[]): readonly SuccessCount[] {
  return results.map(({ cell, parts }) => ({
    players: cell.setting.players,
    successes: parts.reduce((sum, { found }) => sum + found, 0),
    trials: parts.reduce((sum, { trials }) => sum + trials, 0),
  }));
}

const forecast = (epsilon: number, players: number): number =>
  min(1, pairFailure(binQuestion(1, BINS, epsilon).mechanism, players));

function report(results: readonly Result[]): ExperimentReport {
  const counts = SWEEPS.map((sweep) => countsOf(sweepResults(sweep, results)));
  const needed = counts.map((line, i) => halfWay(EPSILONS[i], line));
  const fit = rateFit(needed);
  // Failures above their forecast, in standard errors of what was forecast.
  const above = counts.flatMap((line, i) =>
    line.map(({ players, successes, trials }) => {
      const p = forecast(EPSILONS[i], players);
      return (1 - successes / trials - p) / sqrt((p * (1 - p) + 1 / trials) / trials);
    }),
  );
  const best = counts.map((line) => line[line.length - 1]).map(({ successes, trials }) => successes / trials);
  return {
    claims: [
      // By e^ε the slope between .25 and 1 is −2.06; the standard error is that of logistic regression, nearly normal: 6e-5.
      slopeClaim(
        { what: 'slope in ε of the players for whom one half of the pilots is right', expected: -2, slack: 0.1 },
        fit,
      ),
      otherSlopeClaim('slope in ε of the players that are needed', { printed: -1, apart: 0.5 }, fit),
      {
        asked: `pilots fail at most as often as forecast, but for ${DEVIATIONS} standard errors`,
        measured: `at most ${digits(max(...above))} standard errors above`,
        met: max(...above) <= DEVIATIONS,
      },
      {
        asked: `${UNITS[UNITS.length - 1]}/(4·sinh²(ε/2)) players are enough: at least .95 of the pilots are right, for every ε`,
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
    ],
    figures: [
      {
        kind: 'curves',
        name: 'user-level-two-round-condition',
        title: 'Players that find the mean in every second pilot',
        x: { label: 'ε', logarithmic: true },
        y: { label: 'players n', logarithmic: true },
        curves: [
          measuredCurve('measured', 0, needed),
          claimedCurve('1/ε²', 1, EPSILONS, powerLaw(fit, -2)),
          claimedCurve('1/ε, as printed', 2, EPSILONS, powerLaw(fit, -1)),
        ],
        levels: [],
      },
      {
        kind: 'curves',
        name: 'user-level-two-round-condition-success',
        title: 'How often a pilot fails',
        x: { label: 'players n', logarithmic: true },
        y: { label: 'share of pilots that fail', logarithmic: false },
        curves: EPSILONS.flatMap((epsilon, i) => [
          {
            ...{ name: `ε = ${epsilon}`, style: i, dashed: false },
            points: counts[i].map(({ players, successes, trials }) => ({ x: players, y: 1 - successes / trials })),
          },
          claimedCurve(`ε = ${epsilon}, forecast at most`, i, SWEEPS[i].xs, (n) => forecast(epsilon, n)),
        ]),
        levels: [{ name: 'one half', value: 0.5 }],
      },
    ],
    data: {
      needed: needed.map((point) => ({ ...point })),
      counts: counts.map((line) => line.map((count) => ({ ...count }))),
    },
  };
}

/** Finding the mean takes about 1/ε² players, not 1/ε. */
export const twoRoundConditionValidation: TheoremValidation<PilotSetting, PilotPart> = {
  name: 'user-level-two-round-condition',
  title: 'Players that the first round needs',
  paper: 'slides',
  theorems: ['Theorem, two-round estimator, condition'],
  source:
    'Avella-Medina 2023 (slides), theorem on the two-round estimator: provided n = Ω̃(1/ε); Kent, Berrett, Yu 2024: 1/min(ε, ε²)',
  summary:
    'The first round alone: 16 bins, reports by the mechanism of least error, the best pair of adjacent bins. It is right where the mean ' +
    'is at most a bin away from their common edge. Rates of success against n give the players for one half, by logistic regression.',
  version: 1,
  cells: (scale) => sweepCells(SWEEPS, scale, scale === 'full' ? 3 : 1),
  probe: (setting) => ({ ...setting, trials: 2 }),
  part,
  report,
};

import { DEVIATIONS, digits, type Measured, measuredMean, plusMinus } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, PaperExperiment, Reproduction } from '../../experiment/experiment.ts';
import { PAPER } from '../../shared/paper.ts';
import { OTHERS, OURS } from '../methods.ts';
import { drawPeople, excessOf, LOSSES } from '../population.ts';

const { hypot, max } = Math;

/** Collections by one method, with each of its tunings. */
export type Setting = {
  readonly method: string;
  readonly loss: keyof typeof LOSSES;
  readonly epsilon: number;
  readonly dimension: number;
  readonly players: number;
  /** Collections of a chunk. */
  readonly runs: number;
};

/** Excess risk by tuning and collection. */
export type Chunk = readonly (readonly number[])[];

const METHODS = { ...OURS, ...OTHERS };

function chunk({ method, loss, epsilon, dimension, players, runs }: Setting, index: number, seed: string): Chunk {
  const tunings = METHODS[method][1](dimension);
  const excess: number[][] = tunings.map(() => []);
  for (let run = index * runs; run < (index + 1) * runs; run++) {
    // All methods meet the same people.
    const people = drawPeople(dimension, players, `${seed}/people/${dimension}/${players}/${run}`);
    tunings.forEach(({ label, model }, i) => {
      const own = `${seed}/coins/${method}/${label}/${loss}/${epsilon}/${dimension}/${players}/${run}`;
      excess[i].push(excessOf(loss, model({ people, loss: LOSSES[loss], epsilon, seed: own }), people.direction));
    });
  }
  return excess;
}

/** A method at one setting, with the tuning of least mean. */
interface Line extends Measured {
  readonly setting: Setting;
  readonly title: string;
  readonly tuning: string;
}

function lineOf({ cell: { setting }, chunks }: CellResult<Setting, Chunk>): Line {
  const { method, loss, epsilon, dimension, players } = setting;
  const title = `excess risk, ${LOSSES[loss].name}, ε = ${epsilon}, n = ${players.toLocaleString('en-US')}`;
  const tried = METHODS[method][1](dimension).map(({ label }, i) => ({
    ...measuredMean(chunks.flatMap((excess) => excess[i])),
    setting,
    title,
    tuning: label,
  }));
  return tried.reduce((best, next) => (next.mean < best.mean ? next : best));
}

function tableOf(title: string, lines: readonly Line[]): Reproduction {
  const own = lines.filter((line) => line.title === title);
  const dimensions = [...new Set(own.map(({ setting }) => setting.dimension))];
  const zeros = dimensions.map((p) => excessOf(own[0].setting.loss, new Float64Array(p), new Float64Array(p)));
  return {
    title,
    columns: ['method', ...dimensions.map((p) => `p = ${p}`)],
    rows: [
      ...[...new Set(own.map(({ setting }) => setting.method))].map((method) => [
        METHODS[method][0],
        ...own
          .filter(({ setting }) => setting.method === method)
          .map(({ mean, error, tuning }) => `${plusMinus(mean, error, 4)} (${tuning})`),
      ]),
      ['w = 0, nobody is asked', ...zeros.map((zero) => zero.toFixed(4))],
    ],
    notes: [
      'Means ± standard errors over collections, each with its own direction and people, the same for all methods. In brackets the',
      'tuning of least mean, chosen in hindsight for every method: more than anybody could know before.',
    ],
  };
}

function report(results: readonly CellResult<Setting, Chunk>[]): ExperimentReport {
  const lines = results.map(lineOf);
  const titles = [...new Set(lines.map(({ title }) => title))];
  /** By how many standard errors lifted reports have more excess risk than another method. */
  const behind = (other: Line): number => {
    const own = lines.filter(
      ({ setting, title }) =>
        setting.method === 'lifted' && title === other.title && setting.dimension === other.setting.dimension,
    );
    return max(...own.map(({ mean, error }) => (mean - other.mean) / hypot(error, other.error)));
  };
  const others = lines.filter(({ setting }) => Object.hasOwn(OTHERS, setting.method));
  const most = max(...others.filter(({ setting }) => setting.dimension > 1).map(behind));
  const straight = others.filter(
    ({ setting: { method, dimension, loss, players } }) =>
      method === 'lines' && dimension === 1 && loss === 'hinge' && players >= 100_000,
  );
  return {
    claims: [
      {
        asked: `p = 2, 3: no method of others has less excess risk than lifted by more than ${DEVIATIONS} standard errors`,
        measured: `${digits(most, 2)} standard errors where it is most`,
        met: most <= DEVIATIONS,
      },
      ...straight.map((line) => ({
        asked: `p = 1, a bend, n = 100,000: a line, without a polynomial, has less than lifted by more than ${DEVIATIONS} standard errors`,
        measured: `${digits(behind(line), 2)} standard errors less`,
        met: behind(line) > DEVIATIONS,
      })),
    ],
    tables: titles.map((title) => tableOf(title, lines)),
    figures: [],
    data: lines.map(({ setting, tuning, mean, error }) => ({ ...setting, tuning, mean, error })),
  };
}

/** The rows of others in table 1 of Wang, Smith, Xu 2020, run where they are feasible at all. */
export const comparators: PaperExperiment<Setting, Chunk> = {
  name: 'comparators',
  title: 'The other methods of table 1, beside ours',
  source: `${PAPER}, table 1`,
  summary:
    'One report of each player at equal ε, p = 1, 2, 3: nets and lines (Smith, Thakurta, Upadhyay 2017), Bernstein polynomials ' +
    '(Wang, Gaboardi, Xu 2018) and Chebyshev series with noisy copies (Zheng, Mou, Wang 2017), beside lifted reports, copies and ' +
    'algorithm 2 as printed. Records uniform on the sphere, one label in four wrong, ‖w‖ ≤ 1; the logistic loss, and the hinge ' +
    'smoothed with β = 0.2. What the papers leave open, such as sizes of grids, is the best of a few in hindsight.',
  version: 1,
  cells: (scale) => {
    const collections = [
      { epsilon: 1, players: 10_000, runs: 12, chunks: scale === 'full' ? 2 : 1 },
      { epsilon: 4, players: 10_000, runs: 12, chunks: scale === 'full' ? 2 : 0 },
      { epsilon: 1, players: 100_000, runs: 3, chunks: scale === 'full' ? 4 : 0 },
    ].filter(({ chunks }) => chunks > 0);
    return collections.flatMap(({ epsilon, players, runs, chunks }) =>
      (['logistic', 'hinge'] as const).flatMap((loss) =>
        [1, 2, 3].flatMap((dimension) =>
          Object.entries(METHODS).map(([method, [name]]) => ({
            key: `${loss}-${epsilon}-${players}-${dimension}-${method}`,
            label: `${name}, ${loss}, ε = ${epsilon}, n = ${players.toLocaleString('en-US')}, p = ${dimension}`,
            setting: { method, loss, epsilon, dimension, players, runs },
            chunks,
          })),
        ),
      ),
    );
  },
  smallRun: (setting) => ({ ...setting, players: 400, runs: 1 }),
  chunk,
  report,
};

import { digits, type ExperimentClaim, type Measured, measuredMean, plusMinus, toleranceOf } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, PaperExperiment, Reproduction } from '../../experiment/experiment.ts';
import { PAPER } from '../../shared/paper.ts';
import { METHODS } from '../methods.ts';
import { drawPeople, excessOf, LOSSES } from '../population.ts';

const { exp, hypot, log, max, min } = Math;

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

/** Excess risk by tuning and collection, and that of w = 0. */
export type Chunk = { readonly excess: readonly (readonly number[])[]; readonly origin: number };

function chunk({ method, loss, epsilon, dimension, players, runs }: Setting, index: number, seed: string): Chunk {
  const tunings = METHODS[method].tunings(dimension);
  const excess: number[][] = tunings.map(() => []);
  for (let run = index * runs; run < (index + 1) * runs; run++) {
    // All methods meet the same people.
    const people = drawPeople(dimension, players, `${seed}/people/${dimension}/${players}/${run}`);
    tunings.forEach(({ label, model }, i) => {
      const own = `${seed}/coins/${method}/${label}/${loss}/${epsilon}/${dimension}/${players}/${run}`;
      excess[i].push(excessOf(loss, model({ people, loss: LOSSES[loss], epsilon, seed: own }), people.direction));
    });
  }
  const zero = new Float64Array(dimension);
  return { excess, origin: excessOf(loss, zero, zero) };
}

/** A method at one setting, with the tuning of least mean. */
interface Line {
  readonly setting: Setting;
  readonly label: string;
  readonly best: Measured;
  readonly origin: number;
}

function lineOf({ cell: { setting }, chunks }: CellResult<Setting, Chunk>): Line {
  const tried = METHODS[setting.method].tunings(setting.dimension).map(({ label }, i) => {
    const best = measuredMean(chunks.flatMap(({ excess }) => excess[i]));
    return { setting, label, best, origin: chunks[0].origin };
  });
  return tried.reduce((best, next) => (next.best.mean < best.best.mean ? next : best));
}

function report(results: readonly CellResult<Setting, Chunk>[]): ExperimentReport {
  const lines = results.map(lineOf);
  const titles = [...new Set(lines.map(titleOf))];
  return {
    claims: claimsOf(lines),
    tables: titles.map((title) => tableOf(title, lines)),
    figures: [],
    data: lines.map(({ setting, label, best }) => ({ ...setting, tuning: label, ...best })),
  };
}

const titleOf = ({ setting: { loss, epsilon, players } }: Line): string =>
  `excess risk, ${LOSSES[loss].name}, ε = ${epsilon}, n = ${players.toLocaleString('en-US')}`;

function tableOf(title: string, all: readonly Line[]): Reproduction {
  const lines = all.filter((line) => titleOf(line) === title);
  const dimensions = [...new Set(lines.map(({ setting }) => setting.dimension))];
  const cells = (some: readonly Line[], text: (line: Line) => string): readonly string[] =>
    dimensions.map((p) => some.filter(({ setting }) => setting.dimension === p).map(text)[0] ?? 'not run');
  const methods = [...new Set(lines.map(({ setting }) => setting.method))];
  return {
    title,
    columns: ['method', 'guarantee', ...dimensions.map((p) => `p = ${p}`)],
    rows: [
      ...methods.map((method) => [
        METHODS[method].name,
        METHODS[method].guarantee,
        ...cells(
          lines.filter(({ setting }) => setting.method === method),
          ({ best, label }) => `${plusMinus(best.mean, best.error, 4)} (${label})`,
        ),
      ]),
      ['w = 0', 'nobody is asked', ...cells(lines, ({ origin }) => origin.toFixed(4))],
    ],
    notes: [
      'Means ± standard errors over collections, each with its own direction and people, the same for all methods. In brackets the',
      'tuning of least mean, chosen in hindsight for every method: more than anybody could know before.',
    ],
  };
}

function claimsOf(lines: readonly Line[]): readonly ExperimentClaim[] {
  const pairs = lines.flatMap((other) => {
    if (METHODS[other.setting.method].ours) return [];
    const same = (line: Line): boolean => titleOf(line) === titleOf(other);
    const own = lines.find((line) => line.setting.method === 'lifted' && same(line) && sameDimension(line, other));
    return own === undefined ? [] : [{ own, other, error: hypot(own.best.error, other.best.error) }];
  });
  const of = (dimension: number) => pairs.filter(({ own }) => own.setting.dimension === dimension);
  const behind = [...of(2), ...of(3)].map(({ own, other, error }) => (own.best.mean - other.best.mean) / error);
  const titles = [...new Set(lines.map(titleOf))];
  const ratios = titles.map((title) =>
    min(...of(3).map(({ own, other }) => (titleOf(own) === title ? other.best.mean / own.best.mean : Infinity))),
  );
  const mean = exp(measuredMean(ratios.map((ratio) => log(ratio))).mean);
  const bent = of(1).filter(
    ({ other: { setting } }) => setting.method === 'lines' && setting.loss === 'hinge' && setting.players >= 100_000,
  );
  return [
    {
      asked: 'p = 2, 3: no method of others has less excess risk than lifted by more than 4.5 standard errors',
      measured: `at most ${digits(max(...behind), 2)} standard errors less`,
      met: max(...behind) <= toleranceOf(1),
    },
    {
      asked: 'p = 3: the best method of others has at least 1.2 times the excess risk of lifted, geometric mean',
      measured: `${digits(mean)} times; ${ratios.map((ratio) => digits(ratio)).join(', ')}`,
      met: mean >= 1.2,
    },
    ...bent.map(({ own, other, error }) => ({
      asked:
        'p = 1, a loss with a bend, n = 100,000: a line, which has no polynomial, has less excess risk than lifted',
      measured: `${digits(other.best.mean)} against ${digits(own.best.mean)}`,
      met: other.best.mean + toleranceOf(error) < own.best.mean,
    })),
  ];
}

const sameDimension = (a: Line, b: Line): boolean => a.setting.dimension === b.setting.dimension;

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
          Object.entries(METHODS).map(([method, { name }]) => ({
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

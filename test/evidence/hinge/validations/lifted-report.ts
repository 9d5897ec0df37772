import { seededRandom } from 'ldpkit';
import { hinge, lifted } from 'ldpkit/protocols/hinge';
import { digits, meanClaim, meansClaim, plusMinus } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import { claimedCurve, linearFigure, meanCurve } from '../../experiment/figure.ts';
import { chunksMean, column, summed } from '../../experiment/statistics.ts';
import { COORDINATE_VARIANCE } from '../../shared/coordinate-variance.ts';
import { PAPER } from '../../shared/paper.ts';

const { player } = hinge;

const { log, sqrt } = Math;

type Setting = {
  readonly epsilon: number;
  readonly degree: number;
  /** Reports of a chunk, of each of the two records. */
  readonly reports: number;
};

/** Sums over the reports z of v = 1 and of v = −1, u the unit vector of the record and u′ that of the other. */
type Chunk = {
  /** Reports nearer to their own record: ⟨z, u⟩ ≥ 1 > ⟨z, u′⟩. */
  readonly own: number;
  /** Reports nearer to the other one: ⟨z, u′⟩ ≥ 1 > ⟨z, u⟩. */
  readonly other: number;
  /** Of ⟨z, u⟩ and of its square. */
  readonly along: number;
  readonly alongSquares: number;
  /** Of ‖z − u‖²/(number of entries) and of its square. */
  readonly squared: number;
  readonly squares: number;
};

/** The unit vector of v = ±1 under equal shares: (v, v², …, v^{d+1})/√(d + 1), and a 0 that fills the length up. */
const unitOf = (label: number, degree: number): readonly number[] => [
  ...Array.from({ length: degree + 1 }, (_, j) => label ** (j + 1) / sqrt(degree + 1)),
  0,
];

function chunk({ epsilon, degree, reports }: Setting, index: number, seed: string): Chunk {
  const shares = Array.from({ length: degree + 1 }, () => 1);
  const parameters = lifted({ epsilon, degree, dimension: 1, shares });
  const random = seededRandom(`${seed}/lifted/${epsilon}/${degree}/${index}`);
  let [own, other, along, alongSquares, squared, squares] = [0, 0, 0, 0, 0, 0];
  for (const label of [1, -1]) {
    const record = { features: [1], label };
    const [unit, opposite] = [unitOf(label, degree), unitOf(-label, degree)];
    const report = player.randomize(parameters, record, random);
    for (let k = 0; k < reports; k++) {
      player.randomizeInto(parameters, record, random, report);
      const { values } = report;
      let [here, there, distance] = [0, 0, 0];
      for (let i = 0; i < unit.length; i++) {
        here += values[i] * unit[i];
        there += values[i] * opposite[i];
        distance += (values[i] - unit[i]) ** 2;
      }
      if (here >= 1 && there < 1) own++;
      if (there >= 1 && here < 1) other++;
      const square = distance / unit.length;
      along += here;
      alongSquares += here * here;
      squared += square;
      squares += square * square;
    }
  }
  return { own, other, along, alongSquares, squared, squares };
}

function report(results: readonly CellResult<Setting, Chunk>[]): ExperimentReport {
  const lines = results.map(({ cell: { setting }, chunks }) => {
    const count = 2 * chunks.length * setting.reports;
    const [own, other] = [summed(chunks, (one) => one.own), summed(chunks, (one) => one.other)];
    return {
      ...setting,
      count,
      // Two counts of one multinomial, each with at most the variance of a Poisson one.
      ratio: { mean: log(own / other), error: sqrt(1 / own + 1 / other) },
      along: chunksMean(
        count,
        chunks.map(({ along: sum, alongSquares: squares }) => ({ sum, squares })),
      ),
      variance: chunksMean(
        count,
        chunks.map(({ squared: sum, squares }) => ({ sum, squares })),
      ),
    };
  });
  const degrees = [...new Set(lines.map(({ degree }) => degree))];
  const epsilons = [...new Set(lines.map(({ epsilon }) => epsilon))];
  const expected = lines.map(({ epsilon }) => COORDINATE_VARIANCE[epsilon]);
  return {
    claims: [
      // Thousands of reports in each count: nearly normal, 7e-6 for each claim. At the best threshold E⟨z, u⟩ = 1 is where the density of a
      // report changes, so that the event has the largest ratio there is, without any constant of the mechanism.
      ...lines.map(({ epsilon, degree, ratio }) =>
        meanClaim(
          {
            what: `log of the ratio of densities of two records, lifted reports, ε = ${epsilon}, degree ${degree}`,
            expected: epsilon,
            largestTolerance: 0.15 * epsilon,
          },
          ratio,
        ),
      ),
      meansClaim(
        'the variance of a coordinate is c_ε: 6.33, 1.62, .435 at ε = 1, 2, 4, as solved by other means',
        column(lines, 'variance'),
        expected,
      ),
      meansClaim(
        'a report is unbiased along its record: E⟨z, u⟩ = 1',
        column(lines, 'along'),
        lines.map(() => 1),
      ),
    ],
    tables: [
      {
        title: 'Lifted reports of the records (1, 1) and (1, −1)',
        columns: ['ε', 'degree', 'reports', 'log-ratio', 'E⟨z, u⟩', 'variance of a coordinate', 'c_ε'],
        rows: lines.map(({ epsilon, degree, count, ratio, along, variance }, i) => [
          String(epsilon),
          String(degree),
          count.toLocaleString('en-US'),
          ...[ratio, along, variance].map(({ mean, error }) => plusMinus(mean, error)),
          digits(expected[i]),
        ]),
        notes: ['The log-ratio is that of the counts of ⟨z, u⟩ ≥ 1 > ⟨z, u′⟩ under u and under u′.'],
      },
    ],
    figures: [
      linearFigure({
        name: 'theorem-11-lifted',
        title: 'What lifted reports tell of two records',
        x: 'ε',
        y: 'log of the ratio of probabilities',
        curves: [
          ...degrees.map((degree, style) =>
            meanCurve(
              `measured, degree ${degree}`,
              style,
              epsilons,
              lines.filter((line) => line.degree === degree).map(({ ratio }) => ratio),
            ),
          ),
          claimedCurve('claimed: ε', degrees.length, epsilons, (epsilon) => epsilon),
        ],
      }),
    ],
    data: lines.map(({ ratio, along, variance, ...line }) => ({ ...line, ratio, along, variance })),
  };
}

/** Theorem 11, first claim, for what the toolkit recommends: privacy and noise of lifted reports. */
export const liftedReport: TheoremValidation<Setting, Chunk> = {
  name: 'hinge-theorem-11-lifted',
  title: 'Privacy and noise of lifted reports',
  paper: 'noninteractive',
  theorems: ['Theorem 11', 'Definition 2'],
  source: `${PAPER}, definition 2 and theorem 11`,
  summary:
    'Reports of two records, p = 1, counted on the two sides where their densities differ most, against e^ε; and the variance of a ' +
    'coordinate against c_ε. These are the reports that the rates are measured with, not those of algorithm 1. ε and degrees are chosen here.',
  version: 1,
  cells: (scale) =>
    [1, 2, 4].flatMap((epsilon) =>
      (scale === 'full' ? [0, 1, 2] : [0, 1]).map((degree) => ({
        key: `epsilon-${epsilon}-degree-${degree}`,
        label: `ε = ${epsilon}, degree ${degree}`,
        setting: { epsilon, degree, reports: scale === 'full' ? 200_000 : 40_000 },
        chunks: scale === 'full' ? 5 : 1,
      })),
    ),
  smallRun: (setting) => ({ ...setting, reports: 5 }),
  chunk,
  report,
};

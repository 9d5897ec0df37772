import { seededRandom } from 'ldpkit';
import { convexMixture, lossByName, reconstructedValue, sampleConvexMixture } from 'ldpkit/optimize';
import { atMostClaim, DEVIATIONS, digits } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, TheoremValidation } from '../../experiment/experiment.ts';
import { claimedCurve, type FigureCurve, linearFigure, meanCurve } from '../../experiment/figure.ts';
import { chunksMean } from '../../experiment/statistics.ts';
import { PAPER } from '../../shared/paper.ts';

const { abs, max } = Math;

type Setting = {
  readonly loss: string;
  readonly radius: number;
  /** Draws of s in a chunk. */
  readonly draws: number;
};

/** Sums over draws of |θ − s| and of its square at every θ. */
type Chunk = { readonly sums: readonly number[]; readonly squares: readonly number[] };

/** θ/R where the mixture is looked at. */
const PLACES = [-0.95, -0.7, -0.4, -0.1, 0.1, 0.4, 0.7, 0.95];

function chunk({ loss, radius, draws }: Setting, index: number, seed: string): Chunk {
  const mixture = convexMixture(lossByName(loss), { radius });
  const random = seededRandom(`${seed}/mixture/${loss}/${radius}/${index}`);
  const sums = PLACES.map(() => 0);
  const squares = PLACES.map(() => 0);
  for (let k = 0; k < draws; k++) {
    const s = sampleConvexMixture(mixture, random);
    for (let i = 0; i < PLACES.length; i++) {
      const distance = abs(radius * PLACES[i] - s);
      sums[i] += distance;
      squares[i] += distance * distance;
    }
  }
  return { sums, squares };
}

/** The largest difference between a loss and its mixture by quadrature on 401 points. */
function gapOf({ loss, radius }: Setting): number {
  const mixture = convexMixture(lossByName(loss), { radius });
  let largest = 0;
  for (let i = 0; i <= 400; i++) {
    const theta = radius * (i / 200 - 1);
    largest = max(largest, abs(reconstructedValue(mixture, theta) - mixture.loss.value(theta)));
  }
  return largest;
}

function report(results: readonly CellResult<Setting, Chunk>[]): ExperimentReport {
  const lines = results.map(({ cell: { setting }, chunks }) => {
    const mixture = convexMixture(lossByName(setting.loss), { radius: setting.radius });
    const { scale, slope, constant, loss } = mixture;
    const count = chunks.length * setting.draws;
    const thetas = PLACES.map((place) => setting.radius * place);
    // f by the mixture of draws: scale·mean|θ − s| + slope·θ + c.
    const values = thetas.map((theta, i) => {
      const { mean, error } = chunksMean(
        count,
        chunks.map(({ sums, squares }) => ({ sum: sums[i], squares: squares[i] })),
      );
      return { mean: scale * mean + slope * theta + constant, error: scale * error };
    });
    return {
      setting,
      thetas,
      values,
      single: mixture.nodes.length === 1,
      exact: thetas.map((theta) => loss.value(theta)),
      gap: gapOf(setting),
    };
  });
  const random = lines.filter(({ single }) => !single);
  const scores = random.flatMap(({ values, exact }) =>
    values.map(({ mean, error }, i) => abs(mean - exact[i]) / error),
  );
  const still = lines.filter(({ single }) => single);
  return {
    claims: [
      // Deterministic.
      atMostClaim(
        'f(θ) = scale·E|θ − s| + slope·θ + c by quadrature: largest difference on [−R, R] at most 1e-5·max(1, R²)',
        lines.map(({ setting, gap }) => gap / max(1, setting.radius ** 2)),
        1e-5,
      ),
      // Means of thousands of numbers of one size, 7e-6 for each of the points. The hinge has one s and no error at all. Ratios would say
      // nothing where f is near 0.
      atMostClaim(
        `the same with the mean over draws of s by the algorithm of the lemma: off by at most ${DEVIATIONS} standard errors`,
        scores,
        DEVIATIONS,
      ),
      atMostClaim(
        'and by at most 0.04·max(1, R²) in numbers',
        random.flatMap(({ setting, values, exact }) =>
          values.map(({ mean }, i) => abs(mean - exact[i]) / max(1, setting.radius ** 2)),
        ),
        0.04,
      ),
      {
        asked: 'losses with a single kink: one s, and f to rounding',
        measured: `${still.length} of them`,
        met: still.every(({ values, exact }) => values.every(({ mean }, i) => abs(mean - exact[i]) < 1e-9)),
      },
    ],
    tables: [
      {
        title: 'Losses and their mixtures',
        columns: ['loss', 'R', 'largest difference, quadrature', 'largest difference, draws', 'its standard error'],
        rows: lines.map(({ setting, values, exact, gap }) => {
          const apart = values.map(({ mean }, i) => abs(mean - exact[i]));
          const worst = apart.indexOf(max(...apart));
          return [
            setting.loss,
            String(setting.radius),
            digits(gap, 2),
            digits(apart[worst], 2),
            digits(values[worst].error, 2),
          ];
        }),
        notes: ['Draws: u uniform on [f′(−R), f′(R)], s the largest point that has u among its subgradients.'],
      },
    ],
    figures: [
      linearFigure({
        name: 'lemma-13',
        title: 'Losses, and what the mean over draws of s makes of them',
        x: 'θ',
        y: 'f(θ)',
        curves: lines
          .filter(({ setting }) => setting.radius === 1)
          .flatMap(({ setting, thetas, values }, style): FigureCurve[] => {
            const loss = lossByName(setting.loss);
            const fine = Array.from({ length: 41 }, (_, i) => i / 20 - 1);
            return [
              meanCurve(`${setting.loss}, mixture`, style, thetas, values),
              claimedCurve(setting.loss, style, fine, (t) => loss.value(t)),
            ];
          }),
      }),
    ],
    data: lines.map(({ setting, values, exact, gap }) => ({ ...setting, values, exact, gap })),
  };
}

/** Lemma 13: a convex function is a mixture of absolute values and a line. */
export const lemma13: TheoremValidation<Setting, Chunk> = {
  name: 'generalized-linear-lemma-13',
  title: 'Convex losses as mixtures of absolute values',
  paper: 'noninteractive',
  theorems: ['Lemma 13'],
  source: `${PAPER}, lemma 13`,
  summary:
    'The mixture of a loss by a quadrature rule and by draws of s, against the loss itself. Losses and radii are chosen here; the lemma ' +
    'has R = 1 and leaves c open, which is here (f(R) + f(−R))/2 − R(f′(R) − f′(−R))/2.',
  version: 1,
  cells: (scale) => {
    const names = ['logistic', 'squared', 'exponential', 'squared-hinge', 'hinge', 'absolute'];
    return names.flatMap((loss) =>
      (scale === 'full' ? [0.5, 1, 3] : [1]).map((radius) => ({
        key: `${loss}-${String(radius).replace('.', '-')}`,
        label: `${loss}, R = ${radius}`,
        setting: { loss, radius, draws: scale === 'full' ? 100_000 : 20_000 },
        chunks: scale === 'full' ? 10 : 1,
      })),
    );
  },
  smallRun: (setting) => ({ ...setting, draws: 5 }),
  chunk,
  report,
};

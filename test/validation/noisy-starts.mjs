// Coverage of private 95 % intervals and the error of noisy gradient descent, noisy Newton and noisy Newton with weights, by how many
// deviations of the noise the coefficients are, and how often each says that its steps had not come to an end. Huber regression
// with σ = 1 and Mallows weights on four normal features and an intercept, all from a start of zeros; residuals are normal, of
// Student's law with 2 degrees, or normal with ten times the deviation for a tenth of the records. And logistic regression, whose
// labels have these coefficients as their log odds. A few minutes, not part of the tests.
//
//   node test/validation/noisy-starts.mjs [--runs 200] [--sizes 0.5,1,3,6] [--records 500,2000] [--mu 0.25,1] [--laws normal,labels] [--seed TEXT]
import { seededRandom } from 'ldpkit';
import { bernoulli, normal } from 'ldpkit/mechanism';
import { descend, descent, fitIntervals } from 'ldpkit/protocols/noisy-gradient-descent';
import { newton, reweight, reweighted, solve } from 'ldpkit/protocols/noisy-newton';
import { aligned, numbers, optionsOf } from './kit.mjs';

const options = optionsOf(
  'runs=200 sizes=0.5,1,3,6 records=500,2000 mu=0.25,1 laws=normal,student,dirty,labels seed=starts',
);
const runs = Number(options.runs);
const linear = { kind: 'huber', features: 4 };
const logistic = { kind: 'logistic', features: 4 };
const responses = {
  normal: (inner, random) => inner + normal(random),
  student: (inner, random) => inner + normal(random) / Math.hypot(normal(random), normal(random)) / Math.SQRT1_2,
  dirty: (inner, random) => inner + (normal(random) > 1.2815515655446004 ? 10 : 1) * normal(random),
  labels: (inner, random) => Number(bernoulli(1 / (1 + Math.exp(-inner)), random)),
};
const algorithms = [
  ['descent', descent, descend],
  ['newton', newton, solve],
  ['reweighted', reweighted, reweight],
];

const rows = [['residuals', 'size', 'n', 'μ', ...algorithms.flatMap(([name]) => [name, 'error', 'unfinished'])]];
for (const law of options.laws.split(',')) {
  const model = law === 'labels' ? logistic : linear;
  for (const size of numbers(options.sizes)) {
    const theta = [size, -size, size / 2, 0, size / 3];
    for (const records of numbers(options.records)) {
      for (const mu of numbers(options.mu)) {
        const draws = seededRandom(`${options.seed}/${law}/${size}/${records}/${mu}`);
        const cells = algorithms.map(() => ({ held: 0, squared: 0, unfinished: 0 }));
        for (let r = 0; r < runs; r++) {
          const list = Array.from({ length: records }, () => {
            const features = Float64Array.from({ length: 4 }, () => normal(draws));
            const inner = features.reduce((sum, x, j) => sum + theta[j + 1] * x, theta[0]);
            return { features, response: responses[law](inner, draws) };
          });
          for (const [k, [, make, run]] of algorithms.entries()) {
            const fit = run(make({ mu, records, model, force: true }), list, draws);
            if (!fit.region.finished) cells[k].unfinished++;
            fitIntervals(fit, { level: 0.95 }).forEach(({ low, high }, j) => {
              cells[k].squared += (fit.theta[j] - theta[j]) ** 2;
              if (low <= theta[j] && theta[j] <= high) cells[k].held++;
            });
          }
        }
        const share = (count) => (count / runs).toFixed(3);
        rows.push([
          ...[law, size, records, mu].map(String),
          ...cells.flatMap(({ held, squared, unfinished }) => [
            share(held / 5),
            Math.sqrt(squared / runs).toFixed(3),
            share(unfinished),
          ]),
        ]);
      }
    }
  }
}
console.log(
  `Coverage of 95 % intervals, √E‖θ − θ₀‖² and the share of fits that are seen not to have finished; ${runs} runs`,
);
console.log(aligned(rows));

// Coverage of the private 95 % intervals of noisy gradient descent and noisy Newton, and that of the authors' code for the same
// setting: mu = 1, Huber regression with sigma = 2 known and Mallows weights, four coefficients that are all 1, features
// N(0, [1 .5 0; .5 2 0; 0 0 2]) and an intercept. A minute or two, not part of the tests.
//
//   node test/validation/noisy-coverage.mjs [--runs 2000] [--sizes 500,1000,2000,4000] [--seed TEXT]
import { seededRandom } from 'ldpkit';
import { ellipsoidDistance } from 'ldpkit/inference';
import { normal } from 'ldpkit/mechanism';
import { descend, descent, fitEllipsoid, fitIntervals } from 'ldpkit/protocols/noisy-gradient-descent';
import { newton, solve } from 'ldpkit/protocols/noisy-newton';
import { numbers, optionsOf } from './kit.mjs';

const options = optionsOf('runs=2000 sizes=500,1000,2000,4000 seed=coverage');
const runs = Number(options.runs);
const { sqrt, SQRT2 } = Math;
const AUTHORS = { 500: 0.923, 1000: 0.925, 2000: 0.939, 4000: 0.943 };
const model = { kind: 'huber', features: 3, scale: 2 };

function drawRecords(records, random) {
  for (const record of records) {
    const { features } = record;
    features[0] = normal(random);
    features[1] = 0.5 * features[0] + sqrt(1.75) * normal(random);
    features[2] = SQRT2 * normal(random);
    record.response = 1 + features[0] + features[1] + features[2] + 2 * normal(random);
  }
}

const algorithms = {
  'gradient descent': { make: descent, run: descend, extra: {} },
  Newton: { make: newton, run: solve, extra: {} },
  'Newton, printed matrix noise': { make: newton, run: solve, extra: { matrixCalibration: 'printed' } },
};
console.log(
  `95 % intervals, mu = 1, ${runs} runs; the standard error of a mean coverage is at most ${(sqrt(0.0475 / runs)).toFixed(4)}`,
);
for (const n of numbers(options.sizes)) {
  const records = Array.from({ length: n }, () => ({ features: new Float64Array(3), response: 0 }));
  for (const [name, { make, run, extra }] of Object.entries(algorithms)) {
    const plan = make({ mu: 1, records: n, model, ...extra });
    const draws = seededRandom(`${options.seed}/${n}`);
    const covered = new Float64Array(4);
    const uncorrected = new Float64Array(4);
    let joint = 0;
    let length = 0;
    let squared = 0;
    let raised = 0;
    for (let r = 0; r < runs; r++) {
      draws.seek(r);
      drawRecords(records, draws);
      const fit = run(plan, records, draws);
      const { sampling, raisedHessian } = fit.region;
      fitIntervals(fit, { level: 0.95 }).forEach(({ low, high }, j) => {
        if (low <= 1 && 1 <= high) covered[j]++;
        if (Math.abs(fit.theta[j] - 1) <= 1.959964 * sqrt(sampling[5 * j])) uncorrected[j]++;
        length += (high - low) / (4 * runs);
        squared += (fit.theta[j] - 1) ** 2 / runs;
      });
      if (ellipsoidDistance(fitEllipsoid(fit, { level: 0.95 }), [1, 1, 1, 1]) <= 1) joint++;
      if (raisedHessian > 0) raised++;
    }
    const share = (count) => (count / runs).toFixed(3);
    const mean = (counts) => counts.reduce((sum, count) => sum + count, 0) / 4;
    console.log(
      [
        `n = ${n}`,
        name,
        `K = ${plan.steps}`,
        `coverage ${share(mean(covered))} (${Array.from(covered, share).join(' ')})`,
        `authors ${AUTHORS[n] ?? '-'}`,
        `without the correction ${share(mean(uncorrected))}`,
        `ellipsoid ${share(joint)}`,
        `length ${length.toFixed(3)}`,
        `error ${sqrt(squared).toFixed(3)}`,
        `raised ${share(raised)}`,
      ].join('; '),
    );
  }
}

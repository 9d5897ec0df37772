// The Euclidean median of the flights' destinations, with and without a share of the players moved to the far corner of the map:
// root mean squared distance in km from the true (uncontaminated) median, over repeated runs with their own coins, of the private
// median, the private mean from the same reports, a private mean collected alone (degree 0), and, without privacy, Weiszfeld and
// the mean of the contaminated points. Minutes, not part of the tests.
//
//   node test/validation/euclidean-median.mjs [--runs 10] [--players 1e5,1e6] [--epsilon 1,2,4] [--moved 0,0.2]
//        [--variant lifted,gaussian] [--degree 2] [--share 0.2] [--seed TEXT]
import { weiszfeld } from 'ldpkit/optimize';
import { study } from 'ldpkit/protocols/euclidean-median';
import { simulate } from 'ldpkit/simulate';
import { discMap, loadDestinations, moveDestinations } from '../../dist/src/node/flights.js';
import { aligned, numbers, optionsOf } from './kit.mjs';

const options = optionsOf(
  'runs=10 players=1e5,1e6 epsilon=1,2,4 moved=0,0.2 variant=lifted,gaussian degree=2 share=0.2 seed=validation',
);
const runs = Number(options.runs);
const map = discMap();
const destinations = await loadDestinations(map);
const { server } = study.protocol;

const rows = [
  ['moved', 'players', 'variant', 'ε', 'median', 'worst run', 'mean', 'mean alone', 'Weiszfeld', 'plain mean'],
];
for (const share of numbers(options.moved)) {
  for (const players of numbers(options.players)) {
    const { population, points, counts, trueCounts } = moveDestinations(destinations, {
      players,
      share,
      to: map.farCorner,
    });
    const truth = weiszfeld({ dimension: 2, points, weights: trueCounts }).point;
    const kilometres = (w) => map.kilometres * Math.hypot(w[0] - truth[0], w[1] - truth[1]);
    const plain = [0, 1].map((j) => counts.reduce((sum, count, i) => sum + count * points[2 * i + j], 0) / players);
    const references = [weiszfeld({ dimension: 2, points, weights: counts }).point, plain].map(kilometres);
    for (const variant of options.variant.split(',')) {
      for (const epsilon of numbers(options.epsilon)) {
        const estimateOf = (degree, seed, query) => {
          const parameters = study.parameters({ variant, epsilon, delta: 1e-6, degree, dimension: 2 });
          const tally = simulate(study.protocol, parameters, population, { seed });
          return server.estimate(parameters, tally, query);
        };
        const squares = [0, 0, 0];
        let worst = 0;
        for (let run = 0; run < runs; run++) {
          const seed = `${options.seed} ${variant} ${epsilon} ${players} ${share} ${run}`;
          const { w, mean } = estimateOf(Number(options.degree), seed, { share: Number(options.share) });
          const alone = estimateOf(0, `${seed} alone`, {}).mean;
          [w, mean, alone].forEach((at, k) => {
            squares[k] += kilometres(at) ** 2 / runs;
          });
          worst = Math.max(worst, kilometres(w));
        }
        const [median, mean, alone] = squares.map(Math.sqrt);
        const figures = [median, worst, mean, alone, ...references].map((value) => value.toFixed(0));
        rows.push([`${share}`, `${players}`, variant, `${epsilon}`, ...figures]);
      }
    }
  }
}
process.stdout.write(`${runs} runs, degree ${options.degree}; km from the true median\n\n${aligned(rows)}\n`);

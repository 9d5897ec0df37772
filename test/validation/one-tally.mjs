// One stored tally of lifted reports, many losses: three million flights report once, and the same tally then answers for
// each loss. Risk and area under the curve on all records, beside the non-private optimum of each loss. About a minute.
//
//   node test/validation/one-tally.mjs [--epsilon 1] [--degree 1] [--radius 1] [--seed TEXT] [--losses logistic,hinge,squared]
import { generalizedLinear, lifted, studyOf } from 'ldpkit/protocols/generalized-linear';
import { datasetPopulation, scoreMetrics, simulate } from 'ldpkit/simulate';
import { optionsOf, recordsOf } from './kit.mjs';

const options = optionsOf('epsilon=1 degree=1 radius=1 seed=validation losses=logistic,hinge,squared');
const radius = Number(options.radius);
const { dataset } = await recordsOf({});
const { dimension } = dataset;
const parameters = lifted({ epsilon: Number(options.epsilon), degree: Number(options.degree), dimension });
const tally = simulate(generalizedLinear, parameters, datasetPopulation(dataset), { seed: options.seed });
process.stdout.write(`${dataset.players} players, ${dimension} features, epsilon ${options.epsilon}, R = ${radius}\n`);
process.stdout.write('loss           risk     AUC      non-private risk  AUC\n');
for (const loss of options.losses.split(',')) {
  const study = studyOf(loss);
  const { w } = generalizedLinear.server.estimate(parameters, tally, { loss, radius });
  const best = study.optimum(dataset, radius).w;
  const [own, other] = scoreMetrics(dataset, [w, best], undefined, study.loss);
  const [a, b, c, d] = [own.risk, own.auc, other.risk, other.auc].map((value) => value.toFixed(4));
  process.stdout.write(`${loss.padEnd(15)}${a}   ${b}   ${c}            ${d}\n`);
}

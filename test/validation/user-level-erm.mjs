// Root mean square of the distance of the last iterate to the minimiser over all records, with gradients of two rounds and by signs, on
// the same records: least squares of d = 3 features with E xxᵀ = I at epsilon = 2. A minute, not part of the tests.
//
//   npm run build && node test/validation/user-level-erm.mjs [--runs 10]

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { descent, userLevelErm } from 'ldpkit/protocols/user-level-erm';
import { conduct } from 'ldpkit/simulate';
import { translated } from '../evidence/translate.mjs';
import { optionsOf } from './kit.mjs';

const recordsFile = join(await translated(), 'user-level-erm/validations/records.js');
const { distance, drawRecords, minimiser, populationOf } = await import(pathToFileURL(recordsFile).href);

const options = optionsOf('runs=10');
const runs = Number(options.runs);
const SETTINGS = [
  { players: 24000, samples: 8, iterations: 12, spread: 0.3 },
  { players: 72000, samples: 8, iterations: 12, spread: 0.3 },
  { players: 216000, samples: 8, iterations: 12, spread: 0.3 },
  { players: 120000, samples: 20, iterations: 12, spread: 0.3 },
  { players: 120000, samples: 20, iterations: 36, spread: 0.3 },
  { players: 120000, samples: 20, iterations: 108, spread: 0.3 },
  { players: 72000, samples: 9, iterations: 12, spread: 0.15 },
  { players: 72000, samples: 9, iterations: 12, spread: 0.6 },
  { players: 72000, samples: 9, iterations: 12, spread: 1 },
];
const SQUARES = { epsilon: 2, loss: 'squared', dimension: 3, featureBound: Math.sqrt(5), radius: 0.5, force: true };

for (const setting of SETTINGS) {
  const { players, samples } = setting;
  const records = drawRecords(players * samples, [0.2, -0.15, 0.1], `validation ${samples}`);
  const population = populationOf(records, players);
  const errors = ['two-round', 'signs'].map((gradients) => {
    const plan = descent({ ...SQUARES, ...setting, gradients, strongConvexity: 0.8, smoothness: 1.2 });
    const best = minimiser(plan.objective, records);
    let sum = 0;
    for (let run = 0; run < runs; run++) {
      sum += distance(conduct(userLevelErm, plan, population, { seed: `run ${run}` }).estimate.theta, best) ** 2;
    }
    return Math.sqrt(sum / runs).toFixed(4);
  });
  console.log(JSON.stringify(setting), errors.join(' '));
}

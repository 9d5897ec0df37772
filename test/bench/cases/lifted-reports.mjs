import { lifted } from '../../../dist/protocols/hinge/parameters.js';
import { hinge } from '../../../dist/protocols/hinge/protocol.js';
import { seededRandom } from '../../../dist/src/random/seeded.js';
import { fillSphere } from '../../../dist/src/random/sphere.js';
import { simulate } from '../../../dist/src/simulation/runner.js';
import { fillRate } from '../rate.mjs';

// What the peer does: p = 10, degree 1, so lift and padding are 66 numbers; ε = 1; every report is made by the player from
// coins of its own and tallied by the server.
const dimension = 10;
const players = 1 << 16;
const parameters = lifted({ epsilon: 1, degree: 1, dimension });
const records = Array.from({ length: 4096 }, (_, i) => {
  const features = new Float64Array(dimension);
  fillSphere(features, seededRandom(`record ${i}`));
  return { features, label: i % 2 === 0 ? 1 : -1 };
});
const population = { players, datum: (i) => records[i & 4095] };

export default {
  name: 'lifted reports of 66 numbers, made and tallied, per second',
  peer: 'lifted.py',
  peerField: 'reportsPerSecond',
  floor: 0.8,
  run: () => fillRate(players, () => simulate(hinge, parameters, population, { seed: 'bench' })),
};

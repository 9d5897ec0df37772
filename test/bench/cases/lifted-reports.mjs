import { seededRandom } from 'ldpkit';
import { fillSphere } from 'ldpkit/mechanism';
import { hinge, lifted } from 'ldpkit/protocols/hinge';
import { datasetPopulation, simulate } from 'ldpkit/simulate';
import { fillRate } from '../rate.mjs';

// What the peer does: p = 10, degree 1, so lift and padding are 66 numbers; ε = 1; every report is made by the player from
// coins of its own and tallied by the server. Records lie in one array, as the peer's do.
const dimension = 10;
const players = 1 << 16;
const parameters = lifted({ epsilon: 1, degree: 1, dimension });
const features = new Float32Array(players * dimension);
const labels = new Int8Array(players);
const record = new Float64Array(dimension);
const random = seededRandom('records');
for (let i = 0; i < players; i++) {
  fillSphere(record, random);
  // A little inside the sphere, so that rounding to single precision does not leave the ball.
  for (let j = 0; j < dimension; j++) features[i * dimension + j] = record[j] * (1 - 2 ** -22);
  labels[i] = i % 2 === 0 ? 1 : -1;
}
const names = Array.from({ length: dimension }, (_, j) => `feature ${j}`);
const population = datasetPopulation({ players, dimension, names, features, labels });

export default {
  name: 'lifted reports of 66 numbers, made and tallied, per second',
  peer: 'lifted.py',
  peerField: 'reportsPerSecond',
  floor: 0.8,
  run: () => fillRate(players, () => simulate(hinge, parameters, population, { seed: 'bench' })),
};

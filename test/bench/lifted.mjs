import { seededRandom } from 'ldpkit';
import { fillSphere } from 'ldpkit/mechanism';
import { hinge, lifted } from 'ldpkit/protocols/hinge';
import { datasetPopulation, simulate } from 'ldpkit/simulate';
import { fillRate } from './rate.mjs';

/** Players whose records lie in one array, as the peers' do, and the parameters of their lifted reports at ε = 1. */
export function liftedPopulation({ dimension, degree, players }) {
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
  return { population, parameters: lifted({ epsilon: 1, degree, dimension }) };
}

/** Reports a second: every one is made from coins of its own and tallied. */
export function simulatedRate({ population, parameters }, protocol = hinge) {
  return fillRate(population.players, () => simulate(protocol, parameters, population, { seed: 'bench' }));
}

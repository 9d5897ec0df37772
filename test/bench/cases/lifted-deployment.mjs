import { secureRandom, seededRandom } from 'ldpkit';
import { fillSphere } from 'ldpkit/mechanism';
import { hinge, lifted } from 'ldpkit/protocols/hinge';
import { fillRate } from '../rate.mjs';

// What devices and a collector do for p = 10, degree 1, ε = 1: k-closest encoding of 66 numbers (eight public directions for a
// player, one for the collector), drawn exactly with secure coins, and tallied. The peer simulates PrivUnitG in floating point:
// nothing that is installed makes exact reports.
const dimension = 10;
const players = 1 << 14;
const parameters = lifted({ epsilon: 1, degree: 1, dimension, grade: 'deployment' });
const random = seededRandom('records');
const data = Array.from({ length: players }, (_, i) => {
  const features = new Float64Array(dimension);
  fillSphere(features, random);
  // A little inside the sphere, so that rounding does not leave the ball.
  for (let j = 0; j < dimension; j++) features[j] *= 1 - 2 ** -22;
  return { features, label: i % 2 === 0 ? 1 : -1 };
});
const { player, server } = hinge;
const coins = secureRandom();
const report = player.randomize(parameters, data[0], coins);
const tally = server.empty(parameters);

export default {
  name: 'exact lifted reports of 66 numbers, per second',
  peer: 'lifted.py',
  peerField: 'reportsPerSecond',
  floor: 0.2,
  run: () =>
    fillRate(players, () => {
      for (let i = 0; i < players; i++) {
        player.randomizeInto(parameters, data[i], coins, report);
        server.add(parameters, tally, report);
      }
    }),
};

import { liftedPopulation, simulatedRate } from '../lifted.mjs';

// What the peer does: p = 10, degree 1, so lift and padding are 66 numbers; ε = 1.
const population = liftedPopulation({ dimension: 10, degree: 1, players: 1 << 16 });

export default {
  name: 'lifted reports of 66 numbers, made and tallied, per second',
  peer: 'lifted.py',
  peerField: 'reportsPerSecond',
  floor: 1.7,
  run: () => simulatedRate(population),
};

import { liftedPopulation, simulatedRate } from '../lifted.mjs';

// Degree 2 of 15 features: three powers, 815 numbers and the padding; ε = 1.
const population = liftedPopulation({ dimension: 15, degree: 2, players: 1 << 13 });

export default {
  name: 'lifted reports of 815 numbers, made and tallied, per second',
  peer: 'lifted-wide.py',
  peerField: 'reportsPerSecond',
  floor: 1.5,
  run: () => simulatedRate(population),
};

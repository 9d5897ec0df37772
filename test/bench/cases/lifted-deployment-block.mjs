import { hinge, lifted } from 'ldpkit/protocols/hinge';
import { liftedPopulation, simulatedRate } from '../lifted.mjs';

// The same reports as in lifted-deployment.mjs, played in blocks: eight public directions of 66 numbers for a player, and the
// reported one of them once more for the tally, which the kernel has already.
const { population } = liftedPopulation({ dimension: 10, degree: 1, players: 1 << 16 });
const parameters = lifted({ epsilon: 1, degree: 1, dimension: 10, grade: 'deployment' });

export default {
  name: 'exact lifted reports of 66 numbers in blocks, per second',
  peer: 'lifted.py',
  peerField: 'reportsPerSecond',
  floor: 0.35,
  run: () => simulatedRate({ population, parameters }, hinge),
};

import { hinge } from 'ldpkit/protocols/hinge';
import { liftedPopulation, simulatedRate } from '../lifted.mjs';

// The same reports without the kernel: what is left where there is no WebAssembly. It has no floor.
const population = liftedPopulation({ dimension: 10, degree: 1, players: 1 << 14 });
const { simulate: _, ...oneByOne } = hinge;

export default {
  name: 'the same 66 numbers, one player after the other',
  run: () => simulatedRate(population, oneByOne),
};

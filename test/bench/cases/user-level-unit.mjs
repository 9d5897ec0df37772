import { seededRandom } from 'ldpkit';
import { uniform } from 'ldpkit/mechanism';
import { userLevelMean, vector } from 'ldpkit/protocols/user-level-mean';
import { fillRate } from '../rate.mjs';

// A million players with 50 samples in 64 dimensions: the round in which each sends the residual of its local mean as a unit vector.
// Reports are made from coins of their own and tallied, in blocks as a simulation plays them. Samples lie in one buffer that all share: windows of it are the
// players' data, so that memory does not grow with the players.
const dimension = 64;
const samples = 50;
const players = 1_000_000;
const batch = 20_000;
const { player, rounds, server, simulateRound } = userLevelMean;
const plan = vector({ epsilon: 1, players, samples, dimension, form: 'unit' });
const buffer = new Float64Array(64 * samples * dimension);
const random = seededRandom('samples');
for (let i = 0; i < buffer.length; i++) buffer[i] = 2 * uniform(random) - 1;
const data = Array.from({ length: 64 }, (_, i) => ({
  samples: buffer.subarray(i * samples * dimension, (i + 1) * samples * dimension),
}));

// A few thousand players answer the rounds before.
const finished = [];
let round = rounds.first(plan);
while (round.kind !== 'residual') {
  const tally = server.empty(round);
  for (let i = 0; i < 5000; i++) server.add(round, tally, player.randomize(round, data[i % 64], random));
  finished.push({ round, tally });
  round = rounds.next(plan, finished);
}
const block = { datum: (index) => data[index % 64], player, add: server.add };
let next = 0;

export default {
  name: 'residuals of 64 dimensions as unit vectors, simulated, per second',
  run: () =>
    fillRate(batch, () => {
      const tally = server.empty(round);
      if (!simulateRound(round, tally, { ...block, from: next, to: next + batch }, random))
        throw new Error('no kernel');
      next = (next + batch) % players;
    }),
};

import { fillNormal } from 'ldpkit/mechanism';
import { onlineSgdPlan, streamReplication } from 'ldpkit/protocols/online-sgd';

// The same work as the peer: linear Huber regression with three features and an intercept, μ = 1, data drawn, random scaling.
const model = { kind: 'huber', features: 3 };
const plan = onlineSgdPlan({ variant: 'gdp', model, mu: 1, rate: 0.5, decay: 0.51, inference: [] });
// Normals in bulk, as the peer has them: those of 256 players at a time.
const drawn = new Float64Array(1024);
let at = drawn.length;
const population = {
  create: () => ({ features: new Float64Array(3), response: 0 }),
  draw(datum, random) {
    if (at === drawn.length) {
      fillNormal(drawn, random);
      at = 0;
    }
    const { features } = datum;
    const first = drawn[at];
    const second = drawn[at + 1];
    const third = drawn[at + 2];
    features[0] = first;
    features[1] = second;
    features[2] = third;
    datum.response = 1 + first + second + third + 0.5 * drawn[at + 3];
    at += 4;
  },
};

const PLAYERS = 200_000;
const REPLICATIONS = 10;
let seed = 0;

/** Steps a second of replications one after the other, each with new data and coins. */
export function stepRate(protocol) {
  const begin = performance.now();
  for (let replication = 0; replication < REPLICATIONS; replication++) {
    at = drawn.length;
    streamReplication(protocol, { plan, population, players: PLAYERS, seed: seed++ });
  }
  return (REPLICATIONS * PLAYERS * 1000) / (performance.now() - begin);
}

import { seededRandom } from 'ldpkit';
import { fillSphere } from 'ldpkit/mechanism';
import { hinge, lifted, marginSums } from 'ldpkit/protocols/hinge';
import { dataMoments, datasetPopulation, simulate, simulateSum } from 'ldpkit/simulate';

/** p, the features of a record: those of the flights. */
export const DIMENSION = 14;

/** The records that players hold. Where there are more players, several hold the same, and each draws for itself. */
export const RECORDS = 100_000;

const parameters = lifted({ epsilon: 1, degree: 1, dimension: DIMENSION });

/** So many records on the sphere, with fair labels; the same for everybody. */
function recordsOf(count: number) {
  const random = seededRandom('scale records');
  const features = new Float32Array(count * DIMENSION);
  const labels = new Int8Array(count);
  const record = new Float64Array(DIMENSION);
  for (let i = 0; i < count; i++) {
    fillSphere(record, random);
    // A little inside the sphere, so that rounding to single precision does not leave the ball.
    for (let j = 0; j < DIMENSION; j++) features[i * DIMENSION + j] = record[j] * (1 - 2 ** -22);
    labels[i] = i % 2 === 0 ? 1 : -1;
  }
  const names = Array.from({ length: DIMENSION }, (_, j) => `feature ${j}`);
  return datasetPopulation({ players: count, dimension: DIMENSION, names, features, labels });
}

/** A way in which the tally of players comes about: it is prepared, and then played for a range of the players. */
type Way = (players: number) => (from: number, to: number) => number;

/**
 * The ways, by name; each returns for how many players it made a tally.
 *
 * `reports`: every player makes a report, which the server adds. `sums`: the law of sums, for all players at once.
 */
export const WAYS: { readonly [name in 'reports' | 'sums']: Way } = {
  reports(players) {
    const records = recordsOf(RECORDS);
    const population = { players, datum: (index: number) => records.datum(index % RECORDS) };
    return (from, to) => simulate(hinge, parameters, population, { seed: 'scale', from, to }).players;
  },
  sums(players) {
    const population = recordsOf(Math.min(players, RECORDS));
    const moments = dataMoments(marginSums, parameters, population);
    const copies = players / population.players;
    return () => simulateSum(marginSums, parameters, { population, moments }, { seed: 'scale', copies }).tally.players;
  },
};

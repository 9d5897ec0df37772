import { checkInteger, RefusedKind, RefusedValue } from '../check/refusal.ts';
import type { Protocol, PublicParameters } from '../core/contract.ts';
import type {
  FinishedRound,
  RoundParameters,
  RoundsProtocol,
  SequentialPlayer,
  SequentialServer,
  SequentialSimulation,
  SequentialStep,
} from '../core/interactive.ts';
import { permutation, type Random } from '../random/random.ts';
import { seededRandom } from '../random/seeded.ts';

/**
 * Labelled records held in memory, the data of the players in a simulation. Nothing that leaves a player's device ever
 * has this form.
 */
export interface Dataset {
  /** Number of records n. */
  readonly players: number;
  /** Number of coordinates p of a record. */
  readonly dimension: number;
  /** A name for each coordinate. */
  readonly names: readonly string[];
  /** Record i is `features[i·p] … features[i·p + p − 1]`; its ℓ₂ norm is at most 1. Length n·p. */
  readonly features: Float32Array;
  /** +1 or −1 for each record. Length n. */
  readonly labels: Int8Array;
}

/** How to split: `train` is a fraction strictly between 0 and 1, or a whole number of records. */
interface SplitOptions {
  /** 5/6 by default. */
  readonly train?: number;
  readonly seed: string | number;
}

/** Two sets of rows without a row in common, each in random order. */
interface Split {
  readonly train: Uint32Array;
  readonly test: Uint32Array;
}

/**
 * Splits rows 0 … players − 1 into training and test rows by a seeded permutation: the first rows of it are for
 * training.
 *
 * Law: every order of all rows is equally likely (as far as the seeded source goes).
 * @throws TypeError or RangeError for a share that would leave either side without a row.
 */
export function splitRows(players: number, { train = 5 / 6, seed }: SplitOptions): Split {
  checkInteger('players', players, 2, 2 ** 32 - 1);
  const count = train > 0 && train < 1 ? Math.round(players * train) : train;
  if (!(Number.isInteger(count) && count >= 1 && count < players)) {
    const expected = `a fraction or a whole number that leaves rows on both sides of ${players}`;
    throw new (typeof train === 'number' ? RefusedValue : RefusedKind)('train', expected, train);
  }
  const order = permutation(players, seededRandom(seed));
  return { train: order.slice(0, count), test: order.slice(count) };
}

/** The players of a simulation, numbered from 0, and the datum that each of them holds. */
export interface Population<Datum> {
  readonly players: number;
  /** The datum of one player. The object may be the same for every call: it is valid until the next call. */
  datum(index: number): Datum;
}

/** What one player of a classification problem holds. */
export interface LabelledRecord {
  /** x: p numbers with an ℓ₂ norm of at most 1. */
  readonly features: ArrayLike<number>;
  /** y in [−1, 1], usually −1 or 1. */
  readonly label: number;
}

/**
 * The records of a dataset as players, or only the given rows, in that order. Each call fills the same datum object
 * again, so a million players cost no allocation.
 * @throws RangeError for a row that the dataset does not have.
 */
export function datasetPopulation(dataset: Dataset, rows?: Uint32Array): Population<LabelledRecord> {
  const { dimension, features, labels } = dataset;
  checkRows(dataset, rows);
  const record = { features: new Float64Array(dimension), label: 0 };
  const target = record.features;
  return {
    players: rows === undefined ? dataset.players : rows.length,
    datum(index) {
      const row = rows === undefined ? index : rows[index];
      for (let j = 0, from = row * dimension; j < dimension; j++) target[j] = features[from + j];
      record.label = labels[row];
      return record;
    },
  };
}

/** Checks that a dataset has these rows; undefined means all rows and needs no check. */
export function checkRows({ players }: Pick<Dataset, 'players'>, rows: Uint32Array | undefined): void {
  if (rows === undefined) return;
  for (let i = 0; i < rows.length; i++) {
    if (rows[i] >= players) throw new RefusedValue(`rows[${i}]`, `a row below ${players}`, rows[i]);
  }
}

/** Players are simulated in blocks of this many, merged in order: the result does not depend on the number of threads. */
export const BLOCK: number = 1 << 16;

/** What a simulation receives besides the protocol. */
export interface SimulationOptions {
  /** Seed of all players' coins; player i draws from stream i. Seeded coins protect nobody: this is a simulation. */
  readonly seed: string | number;
  readonly from?: number;
  /** One past the last player, default all of the population. */
  readonly to?: number;
  /** Called after every block with the number of players done so far. */
  readonly onProgress?: (players: number) => void;
}

/**
 * Simulates the players `from` to `to − 1` of a population and returns the tally of their reports. Every player draws
 * from its own stream of coins, so the report of player i is the same in every simulation with this seed.
 * @throws RangeError for a range outside the population, and whatever the player refuses.
 *
 * @example
 * ```ts
 * import { simulate } from 'ldpkit/simulate';
 * import { hinge, lifted } from 'ldpkit/protocols/hinge';
 * const parameters = lifted({ epsilon: 4, degree: 1, dimension: 2 });
 * const datum = { features: [0.6, 0.8], label: 1 };
 * const tally = simulate(hinge, parameters, { players: 1000, datum: () => datum }, { seed: 'a study' });
 * console.log(hinge.server.estimate(parameters, tally, { radius: 1 }).players); // 1000
 * ```
 */
export function simulate<Parameters extends PublicParameters, Datum, Report, Tally, Estimate, Query>(
  protocol: Protocol<Parameters, Datum, Report, Tally, Estimate, Query>,
  parameters: Parameters,
  population: Population<Datum>,
  options: SimulationOptions,
): Tally {
  const { player, server } = protocol;
  const from = checkInteger('from', options.from ?? 0, 0, population.players);
  const to = checkInteger('to', options.to ?? population.players, from, population.players);
  const random = seededRandom(options.seed);
  const total = server.empty(parameters);
  let report: Report | undefined;
  // The first block may be short, so block boundaries are the same however the players are divided.
  for (let start = from; start < to; ) {
    const end = Math.min(to, (Math.floor(start / BLOCK) + 1) * BLOCK);
    const tally = server.empty(parameters);
    const datum = (index: number): Datum => population.datum(index);
    const block = { from: start, to: end, datum, player, add: server.add };
    if (protocol.simulate?.(parameters, tally, block, random) !== true) {
      for (let i = start; i < end; i++) {
        random.seek(i);
        if (report === undefined) report = player.randomize(parameters, population.datum(i), random);
        else player.randomizeInto(parameters, population.datum(i), random, report);
        server.add(parameters, tally, report);
      }
    }
    server.merge(parameters, total, tally);
    start = end;
    options.onProgress?.(end - from);
  }
  return total;
}

/** What a simulation of rounds receives besides the protocol. */
export interface ConductOptions {
  /** Seed of the order of players and of all players' coins. Seeded coins protect nobody: this is a simulation. */
  readonly seed: string | number;
  /** Whether a player of this round vanishes before answering; nobody by default. */
  readonly vanishes?: (player: number, round: number) => boolean;
  /** Whether reports travel as bytes, which changes only the time it takes. */
  readonly wire?: boolean;
}

/** The result of a simulation of rounds. */
export interface Conducted<Round, Tally, Estimate> {
  readonly finished: readonly FinishedRound<Round, Tally>[];
  /** The estimate after the last. */
  readonly estimate: Estimate;
}

/**
 * Plays a protocol in rounds on a population: every player gets a place in a random order, and each round takes the
 * next share of it. So nobody answers twice unless a round repeats. Player i draws from its own stream of coins, and
 * from another one in a round that repeats.
 * @throws RangeError for too few players to have one in every round, when the shares of the rounds add up to more than all players, and
 * for whatever the protocol refuses.
 */
export function conduct<
  Plan extends PublicParameters,
  Round extends RoundParameters,
  Datum,
  Report,
  Tally,
  Estimate,
  Query,
>(
  protocol: RoundsProtocol<Plan, Round, Datum, Report, Tally, Estimate, Query>,
  plan: Plan,
  population: Population<Datum>,
  options: ConductOptions,
  query?: Query,
): Conducted<Round, Tally, Estimate> {
  const { player, report: wire, server, rounds } = protocol;
  const players = checkInteger('players', population.players, 1);
  const random = seededRandom(options.seed);
  const order = permutation(players, seededRandom(`${options.seed} order`));
  const finished: FinishedRound<Round, Tally>[] = [];
  let answered = 0;
  let share = 0;
  for (let round: Round | undefined = rounds.first(plan); round !== undefined; round = rounds.next(plan, finished)) {
    // The players of the earlier rounds, from the first on: the plan's privacy budget covers that.
    if (round.repeats) {
      share = 0;
      answered = 0;
    }
    share += round.share;
    // Rounding of a sum of shares must not invent a player.
    if (share > 1 + 1e-9) throw new RefusedValue('share', 'rounds whose shares add up to at most 1', share);
    const until = Math.min(players, Math.round(share * players));
    const tally = server.empty(round);
    const number = round.round;
    const answering = order.subarray(answered, until).filter((index) => options.vanishes?.(index, number) !== true);
    if (round.share > 0 && until === answered) {
      const least = Math.ceil(1 / round.share);
      throw new RefusedValue('players', `at least ${least}, so that somebody answers in every round`, players);
    }
    answered = until;
    const first = round.repeats ? players * number : 0;
    const datum = (i: number): Datum => population.datum(answering[i]);
    const stream = (i: number): number => first + answering[i];
    const block = { from: 0, to: answering.length, datum, stream, player, add: server.add };
    if (options.wire || protocol.simulateRound?.(round, tally, block, random) !== true) {
      // One report object per round: the form of a report differs from round to round.
      let report: Report | undefined;
      for (let i = 0; i < answering.length; i++) {
        random.seek(stream(i));
        if (report === undefined) report = player.randomize(round, datum(i), random);
        else player.randomizeInto(round, datum(i), random, report);
        server.add(round, tally, options.wire ? wire.decode(round, wire.encode(round, report)) : report);
      }
    }
    finished.push({ round, tally });
  }
  return { finished, estimate: rounds.estimate(plan, finished, query) };
}

/** The largest number of players that answer for {@link referenceRounds}. */
const REFERENCE_PLAYERS = 20_000;

/**
 * The rounds of a plan that is attacked. The public parameters of later rounds come from the answers of others: here of
 * an artificial population with fixed coins, at most 20,000 players. `draw` makes a datum from the player's own stream;
 * it may return the same object every time.
 */
export function referenceRounds<
  Plan extends PublicParameters,
  Round extends RoundParameters,
  Datum,
  Report,
  Tally,
  Estimate,
  Query,
>(
  protocol: RoundsProtocol<Plan, Round, Datum, Report, Tally, Estimate, Query>,
  plan: Plan,
  players: number,
  draw: (random: Random) => Datum,
): readonly Round[] {
  const random = seededRandom('reference');
  const population: Population<Datum> = {
    players: Math.min(players, REFERENCE_PLAYERS),
    datum(index) {
      random.seek(index);
      return draw(random);
    },
  };
  return conduct(protocol, plan, population, { seed: 'reference' }).finished.map(({ round }) => round);
}

/** The two sides of a sequential protocol, as far as a stream needs them to go on. */
export interface StreamSides<Plan extends PublicParameters, Step extends SequentialStep<Plan>, Datum, Report, State> {
  readonly player: Pick<SequentialPlayer<Step, Datum, Report>, 'randomize' | 'randomizeInto'>;
  readonly server: Pick<SequentialServer<Plan, Step, Report, State, unknown, never>, 'step' | 'accept'>;
}

/**
 * The simulation that every sequential protocol has: player after player answers by `randomizeInto`, always into the same
 * report, and the server accepts it. Before a refusal, those before have been played.
 */
export function stepByStep<Plan extends PublicParameters, Step extends SequentialStep<Plan>, Datum, Report, State>({
  player,
  server,
}: StreamSides<Plan, Step, Datum, Report, State>): SequentialSimulation<Plan, Datum, State> {
  const { randomize, randomizeInto } = player;
  const { step, accept } = server;
  let report: Report | undefined;
  let planOf: Plan | undefined;
  return (plan: Plan, state: State, count: number, next: () => Datum, random: Random): void => {
    checkInteger('count', count, 0);
    let i = 0;
    // All later reports of a plan are written over the first one.
    if (planOf !== plan && count > 0) {
      report = randomize(step(plan, state), next(), random);
      planOf = plan;
      accept(plan, state, report);
      i++;
    }
    const written = report as Report;
    for (; i < count; i++) {
      randomizeInto(step(plan, state), next(), random, written);
      accept(plan, state, written);
    }
  };
}

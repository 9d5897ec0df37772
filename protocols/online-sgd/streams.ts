import { checkInteger, RefusedValue } from '../../src/check/refusal.ts';
import type { PublicParameters } from '../../src/core/contract.ts';
import type { SequentialProtocol, SequentialServer, SequentialStep } from '../../src/core/interactive.ts';
import type { Random } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { type Population, type StreamSides, stepByStep } from '../../src/simulation/runner.ts';

/** The source of the data of a simulated stream. */
export interface StreamPopulation<Datum> {
  /** One datum, made once and overwritten for every player. */
  create(): Datum;
  /** Draws the next player's datum into `datum`. */
  draw(datum: Datum, random: Random): void;
}

/** The parts of a sequential protocol that a simulation needs. */
export type Streamable<
  Plan extends PublicParameters,
  Step extends SequentialStep<Plan>,
  Datum,
  Report,
  State,
> = StreamSides<Plan, Step, Datum, Report, State> &
  Pick<SequentialProtocol<Plan, Step, Datum, Report, State, unknown, never>, 'simulate'> & {
    readonly server: Pick<SequentialServer<Plan, Step, Report, State, unknown, never>, 'start'>;
  };

/** Where a simulation looks at a stream. */
interface Looking<State> {
  /** Numbers of players of the whole stream after which to look, ascending. */
  readonly checkpoints?: readonly number[];
  /** Looks at the state, and must neither change nor keep it. */
  readonly look?: (players: number, state: State) => void;
}

/** One replication of a stream. Without checkpoints it is looked at only after the last player. */
export interface StreamRun<Plan, Datum, State> extends Looking<State> {
  readonly plan: Plan;
  readonly population: StreamPopulation<Datum>;
  /** n, the number of players who answer. */
  readonly players: number;
  /** Seed of data and coins, two independent sources. */
  readonly seed: string | number;
}

/**
 * Runs a stream from its start: by the protocol's own simulation if it has one, otherwise player after player as in a
 * deployment. Both give the same states, bit for bit. Returns the state after the last player.
 *
 * The data of player i do not depend on the plan: streams with one seed and different plans see the same people.
 * @throws TypeError or RangeError for a number of players below 1, or checkpoints that do not ascend up to it.
 */
export function streamReplication<
  Plan extends PublicParameters,
  Step extends SequentialStep<Plan>,
  Datum,
  Report,
  State,
>(protocol: Streamable<Plan, Step, Datum, Report, State>, run: StreamRun<Plan, Datum, State>): State {
  const { plan, population, look } = run;
  const players = checkInteger('players', run.players, 1);
  const checkpoints = checkCheckpoints(run.checkpoints ?? [players], players);
  const source = seededRandom(run.seed);
  const data = source.stream(0);
  const coins = source.stream(1);
  const simulate = protocol.simulate ?? stepByStep(protocol);
  const state = protocol.server.start(plan);
  const datum = population.create();
  const next = (): Datum => {
    population.draw(datum, data);
    return datum;
  };
  let done = 0;
  for (const checkpoint of checkpoints) {
    simulate(plan, state, checkpoint - done, next, coins);
    done = checkpoint;
    look?.(done, state);
  }
  simulate(plan, state, players - done, next, coins);
  return state;
}

function checkCheckpoints(checkpoints: readonly number[], players: number): readonly number[] {
  let last = 0;
  checkpoints.forEach((checkpoint, i) => {
    checkInteger(`checkpoints[${i}]`, checkpoint, 1, players);
    if (checkpoint <= last) throw new RefusedValue(`checkpoints[${i}]`, `a number > ${last}`, checkpoint);
    last = checkpoint;
  });
  return checkpoints;
}

/** A segment of a stream whose players are given. Checkpoints beyond it are ignored. */
interface StreamSegment<Plan, Datum, State> extends Looking<State> {
  readonly plan: Plan;
  /** Its players, in the order in which they come. */
  readonly population: Population<Datum>;
  /** Seed of the players' coins; player i draws from stream i, wherever a segment begins. They protect nobody. */
  readonly seed: string | number;
  /** The state before player `from`, which this call changes; the state of an empty stream by default. */
  readonly state?: State | undefined;
  /** The first player, default 0. */
  readonly from?: number;
}

/**
 * Plays given players one after the other, up to the last of the population. Returns the state after them: the same, bit for bit, after two
 * consecutive segments as after one.
 */
export function playStream<Plan extends PublicParameters, Step extends SequentialStep<Plan>, Datum, Report, State>(
  protocol: Streamable<Plan, Step, Datum, Report, State>,
  segment: StreamSegment<Plan, Datum, State>,
): State {
  const { plan, population, look } = segment;
  const { players } = population;
  const from = checkInteger('from', segment.from ?? 0, 0, players);
  const state = segment.state ?? protocol.server.start(plan);
  const random = seededRandom(segment.seed);
  const ends = [...(segment.checkpoints ?? []).filter((place) => place > from && place < players), players];
  // The protocol's own simulation may draw coins ahead, and every player has its own stream of coins.
  const play = stepByStep(protocol);
  let index = from;
  const next = (): Datum => {
    random.seek(index);
    return population.datum(index++);
  };
  for (const end of ends) {
    play(plan, state, end - index, next, random);
    if (index > from) look?.(index, state);
  }
  return state;
}

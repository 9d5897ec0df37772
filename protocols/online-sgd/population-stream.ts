import { checkInteger, refusal } from '../../src/check/number.ts';
import type { PublicParameters } from '../../src/core/contract.ts';
import type { SequentialProtocol, SequentialServer, SequentialStep } from '../../src/core/sequential.ts';
import { type StreamSides, stepByStep } from '../../src/core/sequential.ts';
import type { Random } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';

/** Where the data of a simulated stream come from. */
export interface StreamPopulation<Datum> {
  /** One datum, made once and written over for every player. */
  create(): Datum;
  /** Draws the next player's datum into it. */
  draw(datum: Datum, random: Random): void;
}

/** What of a sequential protocol a simulation needs. */
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

/** One replication of a stream. */
export interface StreamRun<Plan, Datum, State> {
  readonly plan: Plan;
  readonly population: StreamPopulation<Datum>;
  /** n, how many players answer. */
  readonly players: number;
  /** Seed of data and coins, two independent sources. */
  readonly seed: string | number;
  /** After how many players to look, ascending; after the last one only by default. */
  readonly checkpoints?: readonly number[];
  /** Looks at the state, which must not be changed or kept. */
  readonly look?: (players: number, state: State) => void;
}

/**
 * Runs a stream from its start, by the protocol's own simulation where it has one, and else player after player as in a
 * deployment: the same states, bit for bit. Returns the state after the last player.
 *
 * The data of player i do not depend on the plan: streams with one seed and different plans see the same people.
 *
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
    if (checkpoint <= last) throw new RangeError(refusal(`checkpoints[${i}]`, `a number > ${last}`, checkpoint));
    last = checkpoint;
  });
  return checkpoints;
}

import { checkInteger } from '../../src/check/number.ts';
import type { PublicParameters } from '../../src/core/contract.ts';
import type { SequentialStep } from '../../src/core/sequential.ts';
import { stepByStep } from '../../src/core/sequential.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import type { Population } from '../../src/simulation/population.ts';
import type { Streamable } from './population-stream.ts';

/** A segment of a stream whose players are given. */
export interface StreamSegment<Plan, Datum, State> {
  readonly plan: Plan;
  /** Its players, in the order in which they come. */
  readonly population: Population<Datum>;
  /** Seed of the players' coins; player i draws from stream i, wherever a segment begins. Seeded coins protect nobody. */
  readonly seed: string | number;
  /** The state before player `from`; it is moved. That of an empty stream where it is left out. */
  readonly state?: State | undefined;
  /** The first player, default 0. */
  readonly from?: number;
  /** After how many players of the whole stream to look, ascending; beyond the segment nobody looks. */
  readonly checkpoints?: readonly number[];
  /** Looks at the state, which must not be changed or kept. */
  readonly look?: (players: number, state: State) => void;
}

/**
 * Plays given players one after the other, to the last of the population. Returns the state after them.
 *
 * Law: two segments one after the other, the second from the state of the first, end in the same state as one, bit for bit.
 *
 * @throws TypeError or RangeError for a first player outside the population, and whatever player and server refuse.
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
  // Not by the protocol's own simulation, which may draw coins ahead: every player has a stream of its own.
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

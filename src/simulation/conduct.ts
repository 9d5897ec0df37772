import { checkInteger, refusal } from '../check/number.ts';
import { RefusedValue } from '../check/refusal.ts';
import type { PublicParameters } from '../core/contract.ts';
import type { FinishedRound, RoundParameters, RoundsProtocol } from '../core/rounds.ts';
import type { Random } from '../random/random.ts';
import { seededRandom } from '../random/seeded.ts';
import { permutation } from '../random/uniform.ts';
import type { Population } from './population.ts';

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
  /** The rounds, in order. */
  readonly finished: readonly FinishedRound<Round, Tally>[];
  /** The estimate after the last. */
  readonly estimate: Estimate;
}

/**
 * Plays a protocol in rounds on a population: every player gets a place in a random order, and each round takes the
 * next share of it. So nobody answers twice unless a round repeats. Player i draws from its own stream of coins, and
 * from another one in a round that repeats.
 *
 * @throws RangeError when the shares of the rounds add up to more than all players, and whatever the protocol refuses.
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
    if (share > 1 + 1e-9) throw new RefusedValue(refusal('share', 'rounds whose shares add up to at most 1', share));
    const until = Math.min(players, Math.round(share * players));
    const tally = server.empty(round);
    // One report object per round: the form of a report differs from round to round.
    let report: Report | undefined;
    for (; answered < until; answered++) {
      const index = order[answered];
      if (options.vanishes?.(index, round.round)) continue;
      random.seek(round.repeats ? index + players * round.round : index);
      if (report === undefined) report = player.randomize(round, population.datum(index), random);
      else player.randomizeInto(round, population.datum(index), random, report);
      server.add(round, tally, options.wire ? wire.decode(round, wire.encode(round, report)) : report);
    }
    finished.push({ round, tally });
  }
  return { finished, estimate: rounds.estimate(plan, finished, query) };
}

/** The largest number of players that answer for {@link referenceRounds}. */
const REFERENCE_PLAYERS = 20_000;

/**
 * The rounds of a plan that is attacked. The public parameters of later rounds come from the answers of others: here of
 * an artificial population with fixed coins, at most 20,000 players. `draw` makes the datum of a player from its own
 * stream of coins; it may return the same object every time.
 *
 * @throws as {@link conduct}.
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

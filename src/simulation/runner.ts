import { checkInteger } from '../check/number.ts';
import type { Protocol, PublicParameters } from '../core/contract.ts';
import { seededRandom } from '../random/seeded.ts';
import type { Population } from './population.ts';

/**
 * Players are simulated in blocks of this many, each with its own tally. The blocks are merged in order, so the result
 * does not depend on the number of threads.
 */
export const BLOCK: number = 1 << 16;

/** What a simulation receives besides the protocol. */
export interface SimulationOptions {
  /** Seed of all players' coins; player i draws from stream i. Seeded coins protect nobody: this is a simulation. */
  readonly seed: string | number;
  /** First player, default 0. */
  readonly from?: number;
  /** One past the last player, default all of the population. */
  readonly to?: number;
  /** Called after every block with the number of players done so far. */
  readonly onProgress?: (players: number) => void;
}

/**
 * Simulates the players `from` to `to − 1` of a population and returns the tally of their reports. Every player draws
 * from its own stream of coins, so the report of player i is the same in every simulation with this seed.
 *
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

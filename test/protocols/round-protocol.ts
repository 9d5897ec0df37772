import type { Protocol, PublicParameters } from '../../src/core/contract.ts';
import type { FinishedRound, RoundParameters, RoundsProtocol } from '../../src/core/interactive.ts';
import { seededRandom } from '../../src/random/seeded.ts';

/** What a round says by itself in the laws of the contract: the sums of its tally. */
export interface RoundContent {
  readonly numbers: readonly number[];
}

/**
 * One round of a protocol in rounds as the one-shot protocol that it is, so that the laws of the contract can be tried on it.
 * In the place of the estimate, which needs all rounds, stands what the tally holds.
 */
export function roundProtocol<
  Plan extends PublicParameters,
  Round extends RoundParameters,
  Datum,
  Report,
  Tally extends { readonly digest: string; readonly players: number; readonly sums: Float64Array },
  Estimate,
  Query,
>(
  protocol: RoundsProtocol<Plan, Round, Datum, Report, Tally, Estimate, Query>,
  plan: Plan,
): Protocol<Round, Datum, Report, Tally, RoundContent> {
  const { name, player, report, server, theory } = protocol;
  return {
    name,
    player,
    report,
    server: {
      ...server,
      estimate(round, { digest, players, sums }) {
        if (digest !== round.digest || players === 0) throw new RangeError('"tally" expected reports of this round');
        return { numbers: [players, ...sums] };
      },
    },
    theory: {
      guarantee: () => theory.guarantee(plan),
      certificate: () => theory.certificate(plan),
      neighbourDistance: () => theory.neighbourDistance(plan),
    },
  };
}

/** The rounds of a plan up to one of them, all answered by the given data over and over; the tally of the last is filled too. */
export function playRounds<
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
  options: { readonly data: readonly Datum[]; readonly reports: number; readonly until?: number },
): FinishedRound<Round, Tally>[] {
  const { player, server, rounds } = protocol;
  const finished: FinishedRound<Round, Tally>[] = [];
  const random = seededRandom('rounds');
  for (let round: Round | undefined = rounds.first(plan); round !== undefined; round = rounds.next(plan, finished)) {
    const tally = server.empty(round);
    for (let i = 0; i < options.reports; i++) {
      server.add(round, tally, player.randomize(round, options.data[i % options.data.length], random));
    }
    finished.push({ round, tally });
    if (round.round === options.until) break;
  }
  return finished;
}

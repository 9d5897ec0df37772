import type { Protocol, PublicParameters } from '../../../src/core/contract.ts';
import type { SequentialProtocol, SequentialStep } from '../../../src/core/interactive.ts';

/**
 * A sequential protocol as a protocol of one shot: everybody answers its first step. What holds of every player, wire and claim
 * holds of it too; a merge it has not.
 */
export function firstStep<
  Plan extends PublicParameters,
  Step extends SequentialStep<Plan>,
  Datum,
  Report,
  State,
  Estimate,
  Query,
>(
  sequential: SequentialProtocol<Plan, Step, Datum, Report, State, Estimate, Query>,
  query: Query,
): Protocol<Plan, Datum, Report, State, Estimate, Query> {
  const { name, player, report, server, theory } = sequential;
  const first = (plan: Plan): Step => server.step(plan, server.start(plan));
  return {
    name,
    report,
    theory,
    player: {
      randomize: (plan, datum, random) => player.randomize(first(plan), datum, random),
      randomizeInto: (plan, datum, random, target) => player.randomizeInto(first(plan), datum, random, target),
      clip: (plan, datum) => player.clip(first(plan), datum),
    },
    server: {
      empty: server.start,
      add: (plan, state, each) => {
        server.accept(plan, state, each);
      },
      merge: () => {
        throw new Error('a stream has no merge');
      },
      estimate: (plan, state) => server.estimate(plan, state, query),
    },
  };
}

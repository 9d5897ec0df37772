import { checkInteger } from '../check/number.ts';
import type { Random } from '../random/random.ts';
import type { PublicParameters } from './contract.ts';
import type { SequentialPlayer, SequentialServer, SequentialSimulation, SequentialStep } from './sequential.ts';

/** The two sides of a sequential protocol, as far as a stream needs them to go on. */
export interface StreamSides<Plan extends PublicParameters, Step extends SequentialStep<Plan>, Datum, Report, State> {
  readonly player: Pick<SequentialPlayer<Step, Datum, Report>, 'randomize' | 'randomizeInto'>;
  readonly server: Pick<SequentialServer<Plan, Step, Report, State, unknown, never>, 'step' | 'accept'>;
}

/**
 * The simulation that every sequential protocol has: player after player answers by `randomizeInto`, over one report, and the
 * server accepts.
 *
 * @throws TypeError or RangeError for a count that is not a whole number ≥ 0, and whatever player and server refuse; those
 * before have been played.
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
    // The first report of a plan is the one that all others are written over.
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

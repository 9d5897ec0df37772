import { checkInteger, refusal } from '../check/number.ts';
import type { PlainRequest, PublicParameters, Wire } from './contract.ts';
import { deployedPlayer } from './deployment.ts';
import type { SequentialPlayer, SequentialStep } from './sequential.ts';

/** What has to be known of a sequential protocol to play it: its name, its player, and the form of its reports. */
export interface SequentialPlayable<Plan extends PublicParameters, Step extends SequentialStep<Plan>, Datum, Report> {
  /** The protocol's folder name. */
  readonly name: string;
  /** The randomizer; only `randomize` is used. */
  readonly player: Pick<SequentialPlayer<Step, Datum, Report>, 'randomize'>;
  /** The wire format; only `encode` is used. */
  readonly report: Pick<Wire<Plan, Report>, 'encode'>;
  /** Makes plans; where it is there, a plan is made again from its request. */
  make?(request: PlainRequest): Plan;
}

/** A player of a stream that answers one step, once. */
export interface DeployedSequentialPlayer<Step, Datum> {
  /**
   * The bytes of the one report of this player. A step or a datum that is refused is not reported, and spends nothing.
   *
   * @throws RangeError when the player has answered already, for a step of another plan, or for a datum that the protocol
   * refuses; the message never contains anything of the datum.
   */
  report(step: Step, datum: Datum): Uint8Array;
}

/**
 * A player of a stream on real data: integers on the wire, coins from the secure source and nowhere else, one answer. Of a step
 * only number, place and iterate are believed, and they are copied before the datum is read: the noise is that of the plan given
 * here, made again from its request as `deployedPlayer` does.
 *
 * Guarantee: that of the plan, for the bytes returned, as long as one data set is given to one such player only. A report that
 * the server refuses as stale has been seen and is spent: see `createSequentialCollector`.
 *
 * @throws RangeError for a plan of another protocol, or of a grade other than `deployment`, or with a digest that is not that of
 * its request; Error without Web Crypto.
 */
export function deployedSequentialPlayer<
  Plan extends PublicParameters,
  Step extends SequentialStep<Plan>,
  Datum,
  Report,
>(protocol: SequentialPlayable<Plan, Step, Datum, Report>, plan: Plan): DeployedSequentialPlayer<Step, Datum> {
  const { name, report } = protocol;
  const make = protocol.make?.bind(protocol);
  const once = deployedPlayer<Plan, { readonly step: Step; readonly datum: Datum }, Report>(
    {
      name,
      player: {
        randomize: (played, { step, datum }, random) =>
          protocol.player.randomize({ ...step, plan: played }, datum, random),
      },
      report,
      ...(make === undefined ? {} : { make }),
    },
    plan,
  );
  // Kept apart from the plan, which its owner may change later.
  const { digest } = plan;
  return Object.freeze({
    report: (step: Step, datum: Datum): Uint8Array => once.report({ step: checkedStep(name, digest, step), datum }),
  });
}

/** A copy of the step, which nothing that reads the datum can change. */
function checkedStep<Plan extends PublicParameters, Step extends SequentialStep<Plan>>(
  name: string,
  digest: string,
  step: Step,
): Step {
  if (step === null || typeof step !== 'object') throw new TypeError(refusal('step', 'a step of a stream', step));
  const copy = { ...step };
  const { protocol, digest: theirs } = copy.plan;
  if (protocol !== name || theirs !== digest) {
    throw new RangeError(refusal('step', `one of the plan of ${name} with digest ${digest}`, theirs));
  }
  checkInteger('step.index', copy.index, 1);
  const iterate = Float64Array.from(copy.iterate);
  if (!iterate.every((entry) => Number.isFinite(entry))) {
    throw new RangeError(refusal('step.iterate', 'finite numbers only', 'others'));
  }
  return { ...copy, iterate };
}

import type { Random } from 'ldpkit';
import type {
  boundedModel,
  CentralRecord,
  descend,
  NoisyFitRequest,
  theory,
} from 'ldpkit/protocols/noisy-gradient-descent';

/** What validations read of a plan. */
export interface CentralPlan {
  readonly mu: number;
  readonly records: number;
  readonly model: ReturnType<typeof boundedModel>;
  /** K. */
  readonly steps: number;
}

/** An algorithm of a curator with what is claimed of it, as validations of its theorem need it. */
export interface CentralAlgorithm<Plan extends CentralPlan> {
  /** In texts: `noisy Newton`. */
  readonly name: string;
  /** In names: `noisy-newton`. */
  readonly key: string;
  /** Whether the noise of a gradient is divided by the whole curvature, as by Newton, and not by its root. */
  readonly steep: boolean;
  plan(request: NoisyFitRequest): Plan;
  fit(plan: Plan, records: readonly CentralRecord[], random: Random): ReturnType<typeof descend>;
  /** √E‖θ⁽ᴷ⁾ − θ̂‖² from the eigenvalues of the Hessian at θ̂. */
  privacyError(plan: Plan, curvatures: ArrayLike<number>): number;
  /** By hand, so that nothing in it comes from a plan: E‖θ⁽ᴷ⁾ − θ̂‖² over the square of the noise on a gradient. */
  spread(curvatures: ArrayLike<number>, step: number, steps: number): number;
  /** The share of μ² that the gradients of the K steps have by default, without regions. */
  readonly gradientShare: number;
  /** How many normals a step draws, in order, for p parameters. */
  normals(dimension: number): readonly number[];
  certificate(plan: Plan): ReturnType<typeof theory.certificate>;
}

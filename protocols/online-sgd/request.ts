import type { Grade } from '../../src/core/grade.ts';
import type { ModelRequest } from '../../src/risk/regression/model.ts';
import type { BudgetRequest } from './budgets.ts';

/** What a server may keep for intervals besides random scaling, which it always keeps: see `OnlineState`. */
export const INFERENCES = ['batch means', 'disjoint batch means', 'plug-in'] as const;

/** One of {@link INFERENCES}. */
export type Inference = (typeof INFERENCES)[number];

/** What a server does with a report of an earlier step: there is no default behaviour that nobody asked for. */
export const STALE_POLICIES = ['refuse', 'accept late'] as const;

/** One of {@link STALE_POLICIES}. */
export type StalePolicy = (typeof STALE_POLICIES)[number];

/** What every variant of plans is asked for, as plain data. */
export interface StreamRequest {
  /** What is fitted, and how gradients are bounded. */
  readonly model: ModelRequest;
  /** γ > 0 of the step size γ·i^(−α); 0.5 by default. */
  readonly rate?: number;
  /** α in (0, 1]; 0.51 by default. At 1 there is no limit theorem for averages, and no batch means. */
  readonly decay?: number;
  /** θ₀; zeros by default, and 1 for the scale of a joint model. */
  readonly start?: readonly number[];
  /** How many first steps the average and the intervals leave out; 0 by default. */
  readonly burnIn?: number;
  /** How many players answer each step; 1 by default. */
  readonly batch?: number;
  /** What becomes of reports of an earlier step; `refuse` by default. */
  readonly stale?: StalePolicy;
  /** What is kept for intervals besides random scaling; batch means and plug-in by default. */
  readonly inference?: readonly Inference[];
  /** c of the batches of batch means; 1 by default. */
  readonly batchScale?: number;
  /** What the noise is made of; `simulation` by default. */
  readonly grade?: Grade;
}

/** Asks for pure ε. */
export interface PureRequest extends StreamRequest {
  readonly epsilon: number;
}

/** Asks for (ε, δ). */
export interface ApproximateRequest extends StreamRequest {
  readonly epsilon: number;
  readonly delta: number;
}

/** Asks for μ-Gaussian differential privacy, the same for all players or by a public rule. */
export interface GdpRequest extends StreamRequest {
  readonly mu?: number;
  readonly budgets?: BudgetRequest;
  /** μ_A of a second release of every player, its Hessian, for plug-in intervals; √(μ² + μ_A²) in all. Absent: none. */
  readonly hessianMu?: number;
}

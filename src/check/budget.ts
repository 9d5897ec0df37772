import { checkOpenUnit, checkPositive } from './number.ts';

/** An (ε, δ) budget for one player's whole transcript. */
export interface Budget {
  /** ε > 0, in nats. */
  readonly epsilon: number;
  /** δ, strictly between 0 and 1. */
  readonly delta: number;
}

/**
 * A budget with ε > 0 and 0 < δ < 1.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function checkBudget(budget: Budget): Budget {
  return { epsilon: checkPositive('epsilon', budget.epsilon), delta: checkOpenUnit('delta', budget.delta) };
}

/**
 * Logistic regression by a curator with noise where influence is large; its published claim is refuted.
 *
 * | to | start from |
 * |---|---|
 * | make a plan, and play it | {@link printed}, {@link recalibrated}; {@link train} |
 *
 * @packageDocumentation
 */

export { choleskySolver, influence, optimum } from './contribution.ts';
export { train, trainBatches } from './curator.ts';
export { descendNoisily, gradientPerturbation, outputPerturbation, perturbOutput } from './gradient-perturbation.ts';
export {
  accuracy,
  type CentralRecords,
  empiricalHessian,
  empiricalRisk,
  fillMeanGradient,
  fillRecordGradient,
  logisticRegression,
  type Model,
} from './model.ts';
export { momentsSigma, printed, printedSigma, recalibrated, remainderBound, splitBudget } from './parameters.ts';
export { claimOf, exposedExample, exposedTarget, unboundedDelta } from './theory.ts';

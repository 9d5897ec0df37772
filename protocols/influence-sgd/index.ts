export { type ExposedExample, exposedExample, exposedTarget } from './auditing.ts';
export { influence } from './contribution.ts';
export { type InfluenceTraining, type TrainingOptions, train } from './curator.ts';
export { descendNoisily, type GradientPerturbation, gradientPerturbation } from './gradient-perturbation.ts';
export { LOGISTIC_THIRD, logisticRegression } from './logistic-regression.ts';
export { trainBatches } from './mini-batch.ts';
export {
  accuracy,
  empiricalHessian,
  empiricalRisk,
  fillMeanGradient,
  fillRecordGradient,
  type Model,
} from './model.ts';
export { momentsSigma } from './moments.ts';
export { optimum } from './optimum.ts';
export { outputPerturbation, perturbOutput } from './output-perturbation.ts';
export {
  type CurvatureRepair,
  type InfluenceMethod,
  type InfluenceParameters,
  type InfluenceRequest,
  PRINTED_CONSTANT,
  printed,
  printedSigma,
  recalibrated,
  splitBudget,
} from './parameters.ts';
export { perceptron, perceptronStart } from './perceptron.ts';
export { influenceSgd } from './protocol.ts';
export { type CentralRecords, clipRecords, selectRecords } from './records.ts';
export { remainderBound } from './remainder.ts';
export { excessRiskBound, generalizationBound, populationRiskBound, type StabilityNumbers } from './risk-bounds.ts';
export { choleskySolver, type Solver } from './solve.ts';
export { claimOf, drawnProbability, drawnRecordDelta, unboundedDelta } from './theory.ts';

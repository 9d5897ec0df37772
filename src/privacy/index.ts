/**
 * Guarantees, their accounting and their amplification.
 *
 * | to | start from |
 * |---|---|
 * | state a guarantee | {@link pure}, {@link approximate}, {@link gdp}, {@link zcdp} |
 * | find the noise of a budget | {@link analyticGaussianSigma} |
 * | read a guarantee in another currency | {@link toApproximate}, {@link deltaAt}, {@link gdpEpsilon} |
 * | add several releases up | {@link compose}, {@link composeNumeric}, {@link certificate} |
 * | say what a crowd adds | {@link shuffleEpsilon}, {@link cloneShuffleEpsilon} |
 *
 * @packageDocumentation
 */
export { certificate, formatCertificate } from './certificate.ts';
export { deltaAt, readAt, toApproximate } from './conversion.ts';
export { analyticGaussianSigma, gdpDelta, gdpEpsilon } from './gaussian.ts';
export { approximate, type Guarantee, gdp, pure, zcdp } from './guarantee.ts';
export { composeNumeric } from './numeric-composition.ts';
export { cloneShuffleEpsilon, shuffleEpsilon } from './shuffle.ts';
export { compose } from './totals.ts';

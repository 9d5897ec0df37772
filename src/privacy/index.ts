// Guarantees, accounting and amplification: ldpkit/privacy.

export { type Certificate, certificate } from './certificate.ts';
export { formatCertificate } from './certificate-text.ts';
export { compose } from './composition.ts';
export { deltaAt, toApproximate } from './conversion.ts';
export { analyticGaussianSigma, gdpEpsilon, gdpMu } from './gaussian.ts';
export { gdpDelta } from './gaussian-curve.ts';
export { approximate, describeGuarantee, type Guarantee, gdp, pure, zcdp } from './guarantee.ts';
export { readAt } from './implication.ts';
export { composeNumeric } from './numeric-composition.ts';
export { pureFromApproximate } from './pure-from-approximate.ts';
export { gaussianRelease, type Release } from './release.ts';
export { shuffleEpsilon } from './shuffle.ts';
export { cloneShuffleEpsilon } from './shuffle-clone.ts';

// Guarantees, accounting and amplification: ldpkit/privacy.

export { type Certificate, certificate, formatCertificate } from './certificate.ts';
export { compose } from './composition.ts';
export { deltaAt, readAt, toApproximate } from './conversion.ts';
export { analyticGaussianSigma, gdpDelta, gdpEpsilon, gdpMu } from './gaussian.ts';
export { approximate, type Guarantee, gdp, pure, zcdp } from './guarantee.ts';
export { composeNumeric } from './numeric-composition.ts';
export { shuffleEpsilon } from './shuffle.ts';
export { cloneShuffleEpsilon } from './shuffle-clone.ts';
export { gaussianRelease, type Release } from './totals.ts';

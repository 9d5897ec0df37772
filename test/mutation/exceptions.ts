/** Mutants that no test can or should kill, with the reason. Everything that is given has to match. */
export interface Exception {
  readonly file: string;
  /** The declaration. */
  readonly name?: string;
  /** A part of the line. */
  readonly line?: string;
  /** Of `original → replacement`. */
  readonly edit?: RegExp;
  readonly reason: string;
}

const SYMMETRIC = 'normal noise has the same law with either sign: an equivalent mutant';
const BRACKET = 'where a bracket of a root begins, or by what it grows: the root is the same';
const DEFAULT = 'a default that users may change, chosen and not derived: no theorem states it';
const SUBSTITUTION = 'the scale of a substitution in an integral, which any scale leaves as it is';
const ROUNDING = 'a margin for rounding, some units in the last place: a fifth of it is no claim';
const SQUARED = 'a sum of which only the square is used, or a matrix that is used twice: the sign goes out';
const FORMS = 'which of two forms of the same number is computed: they differ by less than the stated relative error';
const RESOLUTION = 'half of a cell of 2⁻³² of the range, of which no budget is claimed to be more exact';
const GUARD = 'for gradients beyond their bound by more than rounding, which no record leads to';
const LOOK =
  'decides only whether eigenvalues are looked at, which the curvature of the loss then passes: the result is the same';

/** Equivalent mutants (the value is the same, and why), and numbers that are choices of an algorithm and no claim. */
export const EXCEPTIONS: readonly Exception[] = [
  {
    file: 'src/privacy/gaussian.ts',
    name: 'tailIntegral',
    line: 'const scale = a > 0 ?',
    reason: SUBSTITUTION,
  },
  { file: 'src/privacy/gaussian.ts', name: 'RANGE', reason: 'more nodes than double precision needs' },
  {
    file: 'src/privacy/gaussian.ts',
    name: 'tailIntegral',
    line: 'if (gap * scale > 16',
    edit: /^(?:16 →|gap \* scale →)/,
    reason: FORMS,
  },
  {
    file: 'src/privacy/gaussian.ts',
    name: 'gdpLogDelta',
    line: 'if (a >= -0.5)',
    edit: /^0\.5 →/,
    reason: FORMS,
  },
  {
    file: 'src/privacy/gaussian.ts',
    name: 'threshold',
    line: 'if (square > 1e290',
    edit: /^(?:2 →|mu \/ 2 →)/,
    reason: 'at μ beyond 10¹⁴⁵ δ is 1, and at μ below 10⁻¹³⁵ this term is nothing beside the other',
  },
  {
    file: 'src/privacy/gaussian.ts',
    name: 'threshold',
    edit: /^134217729 →/,
    reason: 'any factor of that size splits a number into two halves of its digits',
  },
  { file: 'src/privacy/conversion.ts', line: 'SLACK', edit: /SLACK|^4?[128] →/, reason: ROUNDING },
  { file: 'src/privacy/rounding.ts', name: 'SLACK', reason: ROUNDING },
  { file: 'protocols/influence-sgd/parameters.ts', name: 'SLACK', reason: ROUNDING },
  { file: 'protocols/influence-sgd/parameters.ts', line: 'SLACK * (divergence', edit: /SLACK/, reason: ROUNDING },
  {
    file: 'protocols/influence-sgd/parameters.ts',
    name: 'sampledRenyi',
    line: 'const loss = whole > 30',
    edit: /^(?:30 →|1 - rate →)/,
    reason: 'e⁻³⁰ times the rate beside the rate: 10⁻¹³ of it, far below what the rule leaves out',
  },
  {
    file: 'src/audit/claim.ts',
    name: 'checkLaws',
    line: 'let least = 0',
    reason: 'where the least of numbers that are at most 1 begins; asked only whether it is below 0',
  },
  {
    file: 'protocols/online-sgd/noise.ts',
    name: 'muAt',
    edit: /^(?:0\.5 →|\(drawn\[0\] >>> 0\) \+)/,
    reason: RESOLUTION,
  },
  {
    file: 'protocols/online-sgd/noise.ts',
    name: 'largestSpent',
    edit: /^(?:33|2) →/,
    reason: 'where a range is so narrow that its largest draw rounds to its end: one place of a double more or less',
  },
  { file: 'protocols/generalized-linear/margin/walk-model.ts', name: 'BETAS', reason: DEFAULT },
  {
    file: 'protocols/user-level-erm/objective.ts',
    name: 'meanRequest',
    line: '(1 + 1e-9)',
    edit: /1 \+ 1e-9 →|\(1 \+ 1e-9\) →/,
    reason: ROUNDING,
  },
  {
    file: 'src/privacy/conversion.ts',
    name: 'pureWithinGdp',
    line: '(1 - 1e-9)',
    edit: /\(1 - 1e-9\) →|^1 - 1e-9 →/,
    reason: ROUNDING,
  },
  {
    file: 'protocols/influence-sgd/theory.ts',
    name: 'DAMPING',
    reason: 'a size of an example that an audit makes up: the threshold of the decision follows it',
  },
  { file: 'src/mechanism/unit-mechanism.ts', name: 'scaleToBall', line: '*= factor', reason: GUARD },
  { file: 'src/mechanism/unit-mechanism.ts', name: 'scaleToBall', edit: /^squared \+=/, reason: GUARD },
  {
    file: 'src/mechanism/discrete-gaussian.ts',
    name: 'randomizeDiscreteGaussian',
    edit: /^point\[i\] \+ noise\[i\] →/,
    reason: SYMMETRIC,
  },
  { file: 'src/privacy/gaussian.ts', name: 'safeLog', reason: ROUNDING },
  { file: 'src/privacy/rounding.ts', name: 'bracket', line: 'let accepted = 1', reason: BRACKET },
  { file: 'src/privacy/gaussian.ts', name: 'gdpMu', line: 'bracket(accepts, 0.5)', reason: BRACKET },
  { file: 'src/privacy/gaussian.ts', name: 'gdpEpsilon', line: 'bracket(accepts, 2)', reason: BRACKET },
  { file: 'protocols/influence-sgd/parameters.ts', name: 'RULE_ERROR', reason: ROUNDING },
  {
    file: 'protocols/influence-sgd/gradient-perturbation.ts',
    name: 'descendNoisily',
    line: 'sum[j] / batch + sigma * noise[j]',
    edit: /^sum\[j\] \/ batch \+ sigma/,
    reason: SYMMETRIC,
  },
  {
    file: 'protocols/influence-sgd/curator.ts',
    name: 'trainBatches',
    line: 'mean[j] += deviation * noise[j]',
    edit: /^mean\[j\] \+=/,
    reason: SYMMETRIC,
  },
  {
    file: 'protocols/influence-sgd/curator.ts',
    name: 'trainBatches',
    line: 'contributionSigma * noise[j]',
    edit: /^2 \* \(contribution\[j\] \+ remainder\) \+ contributionSigma/,
    reason: SYMMETRIC,
  },
  {
    file: 'protocols/noisy-gradient-descent/curator.ts',
    name: 'addNoise',
    line: 'vector[k] += sigma',
    edit: /^vector\[k\] \+=/,
    reason: SYMMETRIC,
  },
  {
    file: 'protocols/user-level-mean/scalar/noisy-means.ts',
    name: 'finalQuestion',
    line: 'const ends =',
    reason: 'the ends of the last question, which every round replaces by those of the interval that was found',
  },
  { file: 'protocols/online-sgd/estimate.ts', name: 'HESSIAN_FLOOR', reason: DEFAULT },
  { file: 'protocols/online-sgd/parameters.ts', name: 'planOf', line: 'const { rate = 0.5', reason: DEFAULT },
  {
    file: 'protocols/online-sgd/parameters.ts',
    name: 'startOf',
    line: '+ 0',
    edit: /\+ 0 →/,
    reason: 'makes +0 of −0, so that equal starts have equal digests; the number is the same',
  },
  {
    file: 'protocols/generalized-linear/margin/channels.ts',
    name: 'productSecondMoment',
    line: 'first += coefficients[j]',
    edit: /^first \+=/,
    reason: SQUARED,
  },
  {
    file: 'src/inference/interval.ts',
    name: 'spectralMatrix',
    line: 'matrix[i *',
    edit: /\+= weight/,
    reason: SQUARED,
  },
  {
    file: 'protocols/influence-sgd/contribution.ts',
    name: 'hessianSolver',
    line: 'if (model.constants.curvature + (diagonal',
    edit: /^(?:1 →|1 - ROUNDING|curvature \* \(1)/,
    reason: LOOK,
  },
  {
    file: 'protocols/influence-sgd/contribution.ts',
    name: 'hessianSolver',
    line: 'depth: max(1,',
    edit: /^1 → 2$/,
    reason: 'the other side of the maximum is at least log(10⁴), since no curvature is above the smoothness',
  },
  {
    file: 'protocols/influence-sgd/theory.ts',
    name: 'exposedExample',
    line: 'make({ ...base, radius: 1 })',
    reason: 'a radius that has to be given, of which neither noise nor remainder is a function',
  },
  {
    file: 'src/risk/response-loss.ts',
    name: 'everywhere',
    line: 'return (radius = 1)',
    reason: 'constants that are the same for every radius',
  },
  {
    file: 'protocols/influence-sgd/contribution.ts',
    name: 'optimum',
    line: '1e-4 * length * slope',
    reason: 'how much a step has to gain before it is taken: the minimiser is the same',
  },
  {
    file: 'protocols/noisy-gradient-descent/curator.ts',
    name: 'releaseRegion',
    line: 'hessianFloor: hessianFloor > 0 ?',
    edit: /hessianFloor > 0/,
    reason: 'the smallest eigenvalue after the floor is the floor, or nothing is raised: both ways the same matrix',
  },
  {
    file: 'src/audit/transcript.ts',
    name: 'transcriptTarget',
    line: 'place < places.length - 1',
    reason: 'for weights whose sum is below 1 by rounding',
  },
  {
    file: 'protocols/user-level-mean/scalar/noisy-means.ts',
    name: 'split',
    line: '(1 - 1e-12)',
    edit: /\(1 - 1e-12\)|^1 - 1e-12/,
    reason: ROUNDING,
  },
  {
    file: 'src/mechanism/discrete-gaussian.ts',
    name: 'lawOf',
    line: 'laws.size',
    reason: 'how many tables are kept: a table that was thrown away is made again',
  },
  { file: 'src/mechanism/unit-mechanism.ts', name: 'scaleToBall', line: 'UNIT_TOLERANCE', reason: ROUNDING },
  { file: 'src/mechanism/unit-mechanism.ts', name: 'scaleToBall', line: 'const factor =', reason: ROUNDING },
  {
    file: 'protocols/online-sgd/estimate.ts',
    name: 'plugInCovariance',
    line: 'const below =',
    reason: 'the grammar of a message',
  },
  {
    file: 'src/inference/critical-value.ts',
    name: 'randomScalingCriticalValue',
    line: 'if (level < 0.5)',
    edit: /^0\.5/,
    reason: 'which of two equations is solved for the same number',
  },
  { file: 'protocols/noisy-gradient-descent/parameters.ts', name: 'WITHIN', reason: ROUNDING },
  {
    file: 'src/privacy/gaussian.ts',
    name: 'analyticGaussianSigma',
    line: '2 ** -51',
    edit: /^(?:1 \+ 2 \*\* -51|2 \*\* -51|51 → 52$|2 → 3$)/,
    reason: ROUNDING,
  },
  {
    file: 'protocols/user-level-mean/scalar/noisy-means.ts',
    name: 'split',
    line: 'restWithin(epsilon, pilot, epsilon * (1 - share))',
    edit: /^(?:1 - share|1 → 2$|epsilon \* \()/,
    reason: 'only where the rest that fits begins to be looked for: never above what is left, which decides',
  },
  {
    file: 'src/audit/transcript.ts',
    name: 'jointAuditing',
    line: ': [1, ...Array.from(auditing.view',
    edit: /^1 → 2$/,
    reason: 'a mark that a round was answered, as good as any number but 0',
  },
  {
    file: 'src/core/channel.ts',
    name: 'canonicalOrder',
    line: 'return 0;',
    reason: 'of two reports that are equal either may be the first',
  },
  {
    file: 'src/inference/critical-value.ts',
    name: 'bridgeComplement',
    edit: /^0\.15 →/,
    reason: FORMS,
  },
  {
    file: 'protocols/online-sgd/estimate.ts',
    name: 'plugInCovariance',
    line: 'const count =',
    reason: 'the grammar of a message',
  },
  {
    file: 'protocols/influence-sgd/gradient-perturbation.ts',
    name: 'gradientPerturbation',
    line: '2 ** -50',
    edit: /^(?:1 \+ 2 \*\* -50|2 \*\* -50|50 → 51$|2 → 3$)/,
    reason: ROUNDING,
  },
];

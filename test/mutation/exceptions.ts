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

/** Equivalent mutants (the value is the same, and why), and numbers that are choices of an algorithm and no claim. */
export const EXCEPTIONS: readonly Exception[] = [
  {
    file: 'src/privacy/gaussian-curve.ts',
    name: 'tailIntegral',
    line: 'const scale = a > 0 ?',
    reason: SUBSTITUTION,
  },
  { file: 'src/privacy/gaussian-curve.ts', name: 'REACH', reason: 'more nodes than double precision needs' },
  { file: 'src/privacy/gaussian.ts', name: 'safeLog', reason: ROUNDING },
  { file: 'src/privacy/gaussian.ts', name: 'gdpMu', line: 'let within = 1', reason: BRACKET },
  { file: 'src/privacy/gaussian.ts', name: 'gdpMu', edit: /^2 → 3$/, reason: BRACKET },
  { file: 'src/privacy/gaussian.ts', name: 'gdpEpsilon', edit: /^[12] → [23]$/, reason: BRACKET },
  { file: 'protocols/influence-sgd/theory.ts', name: 'drawnRecordDelta', line: 'let above = 1', reason: BRACKET },
  { file: 'protocols/influence-sgd/theory.ts', name: 'drawnRecordDelta', line: 'let below = -1', reason: BRACKET },
  { file: 'protocols/influence-sgd/theory.ts', name: 'drawnRecordDelta', edit: /^2 → 3$/, reason: BRACKET },
  {
    file: 'protocols/influence-sgd/theory.ts',
    name: 'drawnRecordDelta',
    line: '< epsilon) above *= 2',
    reason: BRACKET,
  },
  { file: 'protocols/influence-sgd/moments.ts', name: 'RULE_ERROR', reason: ROUNDING },
  {
    file: 'protocols/influence-sgd/gradient-perturbation.ts',
    name: 'descendNoisily',
    line: 'sum[j] / batch + sigma * noise[j]',
    edit: /^sum\[j\] \/ batch \+ sigma/,
    reason: SYMMETRIC,
  },
  {
    file: 'protocols/influence-sgd/curator.ts',
    name: 'train',
    line: 'gradient[j] += sigma * noise[j]',
    edit: /^gradient\[j\] \+=/,
    reason: SYMMETRIC,
  },
  {
    file: 'protocols/influence-sgd/curator.ts',
    name: 'train',
    line: 'contributionSigma * noise[j]',
    edit: /^2 \* \(contribution\[j\] \+ remainder\) \+ contributionSigma/,
    reason: SYMMETRIC,
  },
  {
    file: 'src/inference/printed-plug-in.ts',
    name: 'addNoise',
    line: 'matrix[i * dimension + i] += scale',
    edit: /^matrix.* \+= /,
    reason: SYMMETRIC,
  },
  {
    file: 'src/protocol/m-estimation/matrix-noise.ts',
    name: 'addSymmetricNoise',
    line: 'packed[k] += sigma',
    edit: /^packed\[k\] \+=/,
    reason: SYMMETRIC,
  },
  {
    file: 'src/protocol/user-level/two-round.ts',
    name: 'finalQuestion',
    line: 'const ends =',
    reason: 'the ends of the last question, which every round replaces by those of the interval that was found',
  },
  { file: 'src/protocol/online/estimate.ts', name: 'HESSIAN_FLOOR', reason: DEFAULT },
  { file: 'src/protocol/online/plan.ts', name: 'onlinePlan', line: 'const { rate = 0.5', reason: DEFAULT },
  {
    file: 'src/protocol/online/plan.ts',
    name: 'startOf',
    line: '+ 0',
    edit: /\+ 0 →/,
    reason: 'makes +0 of −0, so that equal starts have equal digests; the number is the same',
  },
];

import { Option } from 'commander';

/** An option with its help. Values are texts, which a command reads by `readNumber` and its like. */
export function option(flags: string, description: string): Option {
  return new Option(flags, description);
}

/** The same, where something is meant when it is left out. */
export function optionOr(flags: string, description: string, otherwise: string): Option {
  return new Option(flags, description).default(otherwise);
}

const EPSILON = optionOr('--epsilon <number>', 'ε of one player', '1');
const DELTA = optionOr('--delta <number>', 'δ of one player, for variants that use it', '1e-6');
const VARIANTS = option('--variant <list>', 'variants of parameters, one or several with commas (default: all)');
const GRADE = option('--grade <word>', 'deployment: exact integer noise; simulation: floats (default: simulation)');
const SEED = optionOr('--seed <text>', 'seed of all coins', 'ldpkit');
const JSON_DOCUMENT = option('--json', 'print one JSON document');
/** How many worker threads. */
export const THREADS: Option = option(
  '--threads <number>',
  'worker threads; the result does not depend on it (default: one a core)',
);
/** p, where a protocol has records or points. */
export const FEATURES: Option = option('--dimension <number>', 'features of a record (default: 10)');
/** The degree of the polynomials that a player's report is for. */
export const DEGREE: Option = optionOr('--degree <number>', 'degree collected for', '1');
/** μ of a player. */
export const MU: Option = option('--mu <number>', 'μ of one player, for variants of Gaussian privacy (default: 1)');

/** Options of `ldpkit run` that every kind of protocol has. */
export const RUN_OPTIONS: readonly Option[] = [
  option('--epsilon <list>', 'privacy of each player, one number or several with commas'),
  option('--variant <list>', 'variants of parameters, one or several with commas (default: the best)'),
  option('--delta <number>', 'δ, for variants whose guarantee is (ε, δ) (default: 1e-6)'),
  option('--grade <word>', 'deployment: exact integer noise, as on a device; simulation: floats (default: simulation)'),
  option('--players <number>', 'how many players take part (default: all)'),
  option('--seed <text>', 'seed of all choices and coins (default: ldpkit)'),
  option('--out <folder>', 'where result.json and report.html go (default: out, or nowhere with --json)'),
  option('--json', 'print one JSON document instead of a table'),
];

/** Those of `ldpkit certify` beside what a certificate is for. */
export const CERTIFICATE_OPTIONS: readonly Option[] = [
  option('--html <file>', 'also write a page for people to read and print'),
  option('--json', 'print one JSON document: a certificate, or a list of them for several variants'),
];

/** Options of `ldpkit certify` that every kind of protocol with variants has. */
export const CERTIFY_OPTIONS: readonly Option[] = [VARIANTS, EPSILON, DELTA, FEATURES, GRADE, ...CERTIFICATE_OPTIONS];

/** Those of `ldpkit audit` beside what is attacked. */
export const ATTACK_OPTIONS: readonly Option[] = [
  optionOr('--trials <number>', 'reports to draw in all', '1e6'),
  optionOr('--confidence <number>', 'probability with which all bounds hold', '0.99'),
  SEED,
  THREADS,
  option('--last-bits', 'attack the last bits of numbers in a simulation too; in a deployment it is always done'),
  JSON_DOCUMENT,
];

/** Options of `ldpkit audit` that every kind of protocol with variants has. */
export const AUDIT_OPTIONS: readonly Option[] = [
  option('--variant <name>', 'variant of parameters (default: the best)'),
  EPSILON,
  DELTA,
  FEATURES,
  GRADE,
  ...ATTACK_OPTIONS,
];

/** Options of `ldpkit forecast` that every kind of protocol with variants has. */
export const FORECAST_OPTIONS: readonly Option[] = [
  optionOr('--players <number>', 'how many players there will be', '1e6'),
  EPSILON,
  DELTA,
  FEATURES,
  VARIANTS,
  JSON_DOCUMENT,
];

/**
 * Options of a kind: the common ones, in which those of its own take the place of one with the same name, and the others come before
 * the last ones, which say how to print.
 */
export function withOwn(common: readonly Option[], own: readonly Option[], last = 2): readonly Option[] {
  const named = new Map(own.map((one) => [one.attributeName(), one]));
  const kept = common.map((one) => named.get(one.attributeName()) ?? one);
  const added = own.filter((one) => !kept.includes(one));
  return [...kept.slice(0, -last), ...added, ...kept.slice(-last)];
}

import { Option } from 'commander';
import { checkInteger, checkOpenUnit, checkPositive, checkWord, RefusedValue } from '../../check/refusal.ts';
import type { Grade } from '../../core/request.ts';
import type { OptionSet, OptionsOf, Read, RunShown, StudyOption } from '../study.ts';

/** An option with its help, whose value is undefined where it was not typed. */
export function option<Value>(flags: string, help: string, read: Read<Value>): StudyOption<Value | undefined> {
  return { flags, help, read };
}

/** The same, with a value that is used when the option is left out. */
export function optionOr<Value>(flags: string, help: string, read: Read<Value>, otherwise: string): StudyOption<Value> {
  return { flags, help, read, otherwise };
}

export function flag(flags: string, help: string): StudyOption<true | undefined> {
  return { flags, help };
}

function dashedName(flags: string): string {
  return flags.split(' ')[0].replace(/^--/, '');
}

/** The name of an option's value: `burnIn` for `--burn-in <number>`. */
export function nameOf(flags: string): string {
  return dashedName(flags).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** The value of an option from the text that was typed, or true for a flag; undefined where there is none. */
export function readTyped({ flags, read, otherwise }: StudyOption, typed: string | true | undefined): unknown {
  const given = typed ?? otherwise;
  return typeof given === 'string' && read !== undefined ? read(dashedName(flags), given) : given;
}

export function parsed(one: StudyOption): Option {
  const made = shown(one);
  if (one.read !== undefined) made.argParser((typed) => readTyped(one, typed));
  return one.otherwise === undefined ? made : made.default(readTyped(one, undefined), one.otherwise);
}

export function shown({ flags, help, otherwise }: StudyOption): Option {
  const made = new Option(flags, help);
  return otherwise === undefined ? made : made.default(otherwise, otherwise);
}

const { MAX_SAFE_INTEGER } = Number;
/** A decimal number: no hexadecimal, no words, nothing before or after it. */
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * The number in the text of an option. Its range is checked elsewhere.
 * @throws RangeError naming the option for anything but one decimal number.
 */
export function readNumber(name: string, text: string): number {
  const trimmed = text.trim();
  if (!DECIMAL.test(trimmed)) throw new RefusedValue(name, 'a number', text);
  return Number(trimmed);
}

export const text: Read<string> = (_, typed) => typed;
export const positive: Read<number> = (name, typed) => checkPositive(name, readNumber(name, typed));
/** A number from 10^−digits to 10^digits, in which the library keeps its own. */
export const within =
  (digits: number): Read<number> =>
  (name, typed) => {
    const value = readNumber(name, typed);
    if (value >= Number(`1e-${digits}`) && value <= Number(`1e${digits}`)) return value;
    throw new RefusedValue(name, `a number from 1e-${digits} to 1e${digits}`, value);
  };
/** R of a ball. */
export const radius: Read<number> = within(6);
/** A number strictly between 0 and 1. */
export const openUnit: Read<number> = (name, typed) => checkOpenUnit(name, readNumber(name, typed));
export const count: Read<number> = whole(1);

export function whole(least: number, most?: number): Read<number> {
  return (name, typed) => {
    const value = readNumber(name, typed);
    if (most !== undefined || value <= MAX_SAFE_INTEGER) return checkInteger(name, value, least, most);
    throw new RefusedValue(name, `a whole number from ${least} to ${MAX_SAFE_INTEGER}`, value);
  };
}

export function oneOf<const Word extends string>(words: readonly Word[]): Read<Word> {
  return (name, typed) => checkWord(name, typed, words);
}

/** Values separated by commas, all different: one that occurs twice would be run twice, and nothing would tell its results apart. */
export function listOf<Value extends string | number>(read: Read<Value>): Read<readonly Value[]> {
  return (name, typed) => {
    const values = typed.split(',').map((item) => read(name, item));
    const twice = values.find((value, index) => values.indexOf(value) < index);
    if (twice !== undefined) throw new RefusedValue(name, 'values that are all different', twice);
    return values;
  };
}

export const words: Read<readonly string[]> = listOf((_, typed) => typed.trim());

/** The words of a list, all of which a protocol has to know. */
export function knownVariants(named: readonly string[], variants: readonly string[]): readonly string[] {
  return named.map((word) => checkWord('variant', word, variants));
}

const EPSILONS = 'privacy of each player, one number or several with commas';
const VARIANTS = 'variants of the protocol, one or several with commas';

/** ε of each player, one or several, with a list that is used when the option is left out. */
export function epsilons(otherwise: string): StudyOption<readonly number[]> {
  return optionOr('--epsilon <list>', EPSILONS, listOf(positive), otherwise);
}

const GRADE = optionOr<Grade>(
  '--grade <word>',
  'deployment: exact integer noise, as on a device; simulation: floats',
  oneOf(['simulation', 'deployment']),
  'simulation',
);
export const JSON_DOCUMENT: StudyOption<true | undefined> = flag('--json', 'print one JSON document');
export const THREADS: StudyOption<number | undefined> = option(
  '--threads <number>',
  'worker threads; the result does not depend on it (default: one a core)',
  whole(1, 256),
);
/** The degree of the polynomials that a player's report supports. */
export const DEGREE: StudyOption<number> = optionOr('--degree <number>', 'degree collected for', whole(0), '1');

/** What a certificate, an audit and a forecast ask for: ε and δ of one player, and p. */
type Budget = Readonly<Record<'epsilon' | 'delta' | 'dimension', number>>;

const BUDGET: OptionsOf<Budget> = {
  epsilon: optionOr('--epsilon <number>', 'ε of one player', positive, '1'),
  delta: optionOr('--delta <number>', 'δ of one player, for variants that use it', openUnit, '1e-6'),
  dimension: optionOr('--dimension <number>', 'features of a record', count, '10'),
};

/** A file of records, and what its columns mean. */
export type FileOptions = Readonly<Record<'data' | 'schema', string | undefined>>;

/** What a run comes to: undefined where there is no result to show. */
export type PlayedRun = Promise<RunShown | undefined>;

export interface RunOptions extends FileOptions {
  readonly variant: readonly string[] | undefined;
  readonly delta: number;
  readonly grade: Grade;
  readonly players: number | undefined;
  readonly seed: string;
}

/** Options of `ldpkit run` that every kind of protocol has; they come before its own. */
export const RUN: OptionsOf<Omit<RunOptions, keyof FileOptions> & { epsilon: readonly number[] | undefined }> = {
  epsilon: option('--epsilon <list>', EPSILONS, listOf(positive)),
  variant: option('--variant <list>', `${VARIANTS} (default: the best)`, words),
  delta: BUDGET.delta,
  grade: GRADE,
  players: option('--players <number>', 'how many players take part, chosen by the seed (default: all)', count),
  seed: optionOr('--seed <text>', 'seed of all choices and coins', text, 'ldpkit'),
};

export const RECORD_FILE: OptionsOf<FileOptions> = {
  data: option('--data <file>', 'records: .csv, .json, .jsonl, .ndjson or .parquet; default: the flights', text),
  schema: option('--schema <file>', 'JSON file that says what the columns of --data mean', text),
};

/** The columns that say which player a record belongs to. */
export const PLAYER_COLUMN: StudyOption<string | undefined> = option(
  '--player <column>',
  'column of --data that says whose a row is, in the place of "player" in the schema',
  text,
);

/** Which part of how many, both from 1. */
export interface PartOf {
  readonly part: number;
  readonly parts: number;
}

export const partOf: Read<PartOf> = (name, typed) => {
  const [part, parts] = (/^([1-9]\d{0,5})\/([1-9]\d{0,5})$/.exec(typed.trim()) ?? []).slice(1).map(Number);
  if (part <= parts) return { part, parts };
  throw new RefusedValue(name, 'a part and how many there are, such as 17/64', typed);
};

/** Options of `ldpkit run` where the jobs of a run can be done elsewhere. */
export const SHARED: OptionsOf<{ part: PartOf | undefined; workers: string | undefined }> = {
  part: option('--part <k/n>', 'do only part k of n of the work; --out is the file for ldpkit merge', partOf),
  workers: option('--workers <url>', 'let the workers of a NATS server do the work (ldpkit work)', text),
};

/** Options of `ldpkit run` that come after a kind's own: where results are written. */
export const RESULT: OptionsOf<{ out: string | undefined; open: true | undefined; json: true | undefined }> = {
  out: option('--out <folder>', 'where result.json and report.html go (default: out, or nowhere with --json)', text),
  open: flag('--open', 'show report.html in the browser'),
  json: flag('--json', 'print one JSON document instead of a table'),
};

export function repetitions(times: string): StudyOption<number> {
  return optionOr('--repetitions <number>', 'runs with different coins', whole(1, 10_000), times);
}

/** Options of `ldpkit certify` in addition to those that describe the request. */
export const CERTIFICATE: OptionsOf<{ html: string | undefined; json: true | undefined }> = {
  html: option('--html <file>', 'also write a page for people to read and print', (name, typed) => {
    if (typed === '') throw new RefusedValue(name, 'a file', typed);
    return typed;
  }),
  json: flag('--json', 'print one JSON document: a certificate, or a list of them for several variants'),
};

/** Options of `ldpkit certify` that every kind of protocol with variants has. */
export const CERTIFY: OptionsOf<Budget & { variant: readonly string[] | undefined; grade: Grade }> = {
  variant: option('--variant <list>', `${VARIANTS} (default: all)`, words),
  ...BUDGET,
  grade: GRADE,
};

/** The same for `ldpkit audit`, which attacks one variant. */
export const AUDITED: OptionsOf<Budget & { variant: string | undefined; grade: Grade }> = {
  ...CERTIFY,
  variant: option('--variant <name>', 'variant of the protocol (default: the best)', text),
};

/** Options of `ldpkit audit` in addition to those that say what is attacked. */
export const ATTACK: OptionSet = {
  trials: option(
    '--trials <number>',
    'reports to draw in all (default: 1e6, and fewer runs of a curator who holds many records)',
    whole(0),
  ),
  confidence: optionOr('--confidence <number>', 'probability with which all bounds hold', openUnit, '0.99'),
  seed: optionOr('--seed <text>', 'seed of all coins', text, 'ldpkit'),
  threads: THREADS,
  lastBits: flag(
    '--last-bits',
    'attack the last bits of numbers in a simulation too; in a deployment it is always done',
  ),
  json: JSON_DOCUMENT,
};

/** Options of `ldpkit forecast` that every kind of protocol with variants has. */
export const FORECAST: OptionsOf<Budget & { players: number; variant: readonly string[] | undefined }> = {
  players: optionOr('--players <number>', 'how many players there will be', count, '1e6'),
  ...BUDGET,
  variant: CERTIFY.variant,
};

/** The budget of the headline run: the one closest to 1, the first of two that are equally close. */
export function closestToOne(budgets: readonly number[]): number {
  return budgets.reduce((best, one) => (Math.abs(one - 1) < Math.abs(best - 1) ? one : best));
}

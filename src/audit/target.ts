import { RefusedKind, RefusedValue } from '../check/refusal.ts';
import type { Auditing, AuditPair, Theory } from '../core/contract.ts';
import { checkGuarantee, type Guarantee } from '../privacy/guarantee.ts';
import type { Total } from '../privacy/totals.ts';
import { fillNormal, fillSphere, type Random } from '../random/random.ts';
import { reportView } from './report-view.ts';

/** The attacked part of a protocol in rounds: the player of one round, or all that one player sends over all rounds. */
export type AuditedPart = number | 'transcript';

/** A player as an audit sees it: any function that randomizes will do. */
export interface AuditedPlayer<Parameters, Datum, Report> {
  /** One randomized report. */
  randomize(parameters: Parameters, datum: Datum, random: Random): Report;
  /** The same, written over an earlier report. Where it is given, it is used, and no report is allocated. */
  randomizeInto?(parameters: Parameters, datum: Datum, random: Random, report: Report): void;
}

/**
 * What is audited: a player, its public parameters, and the claims about them. A protocol with its parameters is a
 * target, `({ ...hinge, parameters })`, and so is any player with a claim.
 */
export interface AuditTarget<Parameters, Datum, Report> {
  /** The player under attack. */
  readonly player: AuditedPlayer<Parameters, Datum, Report>;
  /** Its public parameters. */
  readonly parameters: Parameters;
  /** The claims; by default those of the theory. */
  readonly claimed?: Guarantee | readonly Guarantee[];
  /** Where the claims come from when none is given. */
  readonly theory?: Pick<Theory<Parameters>, 'guarantee' | 'certificate'>;
  /** Candidate pairs, densities and the report as numbers. */
  readonly auditing?: Auditing<Parameters, Datum, Report>;
}

/** The effort and the tools of an attack. */
export interface AuditOptions<Datum, Report> {
  /** Reports to draw in all, under both data and for every purpose; 0 where a finite channel is only enumerated. */
  readonly trials: number;
  /** The coins of the player; the choices of the audit itself need none. */
  readonly random: Random;
  /** Probability with which every bound holds. Default 0.99. */
  readonly confidence?: number;
  /** The pair to tell apart; by default the audit searches for the worst of the target's own pairs. */
  readonly pair?: AuditPair<Datum>;
  /** The report as numbers, always the same count. Default: the target's view, or the whole content of the report. */
  readonly view?: (report: Report) => ArrayLike<number>;
  /** log P(report | first)/P(report | second), for the given pair. */
  readonly logLikelihoodRatio?: (report: Report) => number;
  /** Also attack two reports with the same source, to find noise that is used again. Default true. */
  readonly twoReports?: boolean;
  /**
   * Look at the last bits of the numbers, where floating-point noise leaks the number that was added to it. Default
   * true, because these bits travel. False audits only the law of real numbers, for noise that is not for deployment.
   */
  readonly lastBits?: boolean;
  /** δ at which bounds on Gaussian and concentrated claims are also read as an ε. Default 1e-5. */
  readonly delta?: number;
}

/** The claims of a target. An (ε, δ) theory whose certificate has a Gaussian or else a concentrated total claims both. */
export function claimsOf<Parameters, Datum, Report>(
  target: AuditTarget<Parameters, Datum, Report>,
): readonly Guarantee[] {
  const { claimed, theory, parameters } = target;
  const given = claimed ?? theory?.guarantee(parameters);
  if (given === undefined) throw new RefusedKind('"target" expected a claim or a theory, got neither');
  const claims = (Array.isArray(given) ? given : [given]).map((claim: Guarantee) => checkGuarantee('claimed', claim));
  if (claims.length === 0) throw new RefusedKind('"claimed" expected at least one guarantee, got none');
  if (claimed === undefined && theory !== undefined && claims[0].kind === 'approximate') {
    const sharper = sharperTotal(theory.certificate(parameters).totals);
    if (sharper !== undefined) claims.push(sharper);
  }
  return claims;
}

/** The Gaussian total of a certificate, or else the concentrated one. */
function sharperTotal(totals: readonly Total[]): Guarantee | undefined {
  const sums = totals.map(({ guarantee }) => guarantee);
  return sums.find(({ kind }) => kind === 'gdp') ?? sums.find(({ kind }) => kind === 'zcdp');
}

/**
 * All claims about a transcript: that of the paper or the variant, the guarantee of the theory where it differs, and the
 * Gaussian or else the concentrated total, which is stronger than an (ε, δ).
 */
export function allClaims<Parameters>(
  theory: Pick<Theory<Parameters>, 'guarantee' | 'certificate'>,
  parameters: Parameters,
): readonly Guarantee[] {
  const { claimed, totals } = theory.certificate(parameters);
  const claims = [claimed ?? theory.guarantee(parameters), theory.guarantee(parameters)];
  if (claims[0].kind !== 'pure') {
    const sharper = sharperTotal(totals);
    if (sharper !== undefined && claims.every(({ kind }) => kind !== sharper.kind)) claims.push(sharper);
  }
  const texts = claims.map((claim) => JSON.stringify(claim));
  return claims.filter((_, at) => texts.indexOf(texts[at]) === at);
}

export function pairsOf<Parameters, Datum, Report>(
  target: AuditTarget<Parameters, Datum, Report>,
  options: AuditOptions<Datum, Report>,
): readonly AuditPair<Datum>[] {
  if (options.pair !== undefined) return [options.pair];
  const pairs = target.auditing?.pairs(target.parameters, options.random) ?? [];
  if (pairs.length === 0) throw new RefusedKind('"pair" expected two data, got none and the target names no pairs');
  return pairs;
}

export function viewOf<Parameters, Datum, Report>(
  target: AuditTarget<Parameters, Datum, Report>,
  view: ((report: Report) => ArrayLike<number>) | undefined,
): (report: Report) => ArrayLike<number> {
  if (view !== undefined) return view;
  const { auditing, parameters } = target;
  if (auditing !== undefined) return (report) => auditing.view(parameters, report);
  return reportView;
}

/**
 * What the attacker of one trial sees. `alone`: the report of the player under attack. `together`: that report and the
 * next one from the same source, from a player whose datum is known. With honest coins the second report adds nothing.
 */
export type AuditSight = 'alone' | 'together';

/** A source of trials. It reuses one report and one array. */
export interface AuditSampler<Datum, Report> {
  readonly width: number;
  /** What the attacker sees of the last trial, if `look` was true. */
  readonly values: Float64Array;
  /** A number of the report if all reports that were looked at are the same, without a finite number; for a refusal. */
  readonly stuck: number | undefined;
  /** Draws a trial with this datum; with `look` the attacker's numbers are written into `values`. */
  draw(datum: Datum, look: boolean): Report;
}

/** The largest number that is passed on unchanged: squares and products of all codes beyond it are finite too. */
const LARGEST = 1e100;

/** Codes for values that are no finite numbers; they are beyond the code of every finite number. */
const CODES = { positive: 2e126, negative: -2e126, nan: 4e126, displaced: -4e126 } as const;

/** Stands for −0: sums, products and order are those of 0, but it is not 0. The number itself is displaced. */
const MINUS_ZERO: number = -Number.MIN_VALUE;

const bits = new DataView(new ArrayBuffer(8));
bits.setFloat64(0, LARGEST);
const LARGEST_WORD: number = bits.getUint32(0);

/** Calls of the player in one trial. The third separates the pairs: noise kept for two calls meets both orders. */
export const CALLS: Readonly<Record<AuditSight, number>> = { alone: 1, together: 3 };

/** Trials of a target with one source of coins; reports must have numbers, and always the same count. */
export function createSampler<Parameters, Datum, Report>(
  target: AuditTarget<Parameters, Datum, Report>,
  pair: AuditPair<Datum>,
  view: (report: Report) => ArrayLike<number>,
  sight: AuditSight,
  random: Random,
): AuditSampler<Datum, Report> {
  const { player, parameters } = target;
  let report = player.randomize(parameters, pair.first, random);
  const begun = view(report);
  const { length } = begun;
  if (length === 0) throw new RefusedKind('"view" expected a number in every report, got none: give another "view"');
  const values = new Float64Array(sight === 'alone' ? length : 2 * length);
  // Undefined as soon as a finite number, or two different reports, were seen: mostly in the first report.
  const first = Array.from(begun);
  let stuck = first.some(Number.isFinite) ? undefined : first;
  const call = (datum: Datum): void => {
    if (player.randomizeInto === undefined) report = player.randomize(parameters, datum, random);
    else player.randomizeInto(parameters, datum, random, report);
  };
  const copy = (offset: number): void => {
    const seen = view(report);
    if (seen.length !== length) {
      throw new RefusedValue('view', `${length} numbers of every report`, seen.length);
    }
    for (let i = 0; i < length; i++) values[offset + i] = codeOf(seen[i]);
    if (stuck?.some((value, i) => !Object.is(value, seen[i]))) stuck = undefined;
  };
  const alone = (datum: Datum, look: boolean): Report => {
    call(datum);
    if (look) copy(0);
    return report;
  };
  const together = (datum: Datum): Report => {
    call(datum);
    copy(0);
    call(pair.first);
    copy(length);
    call(pair.first);
    return report;
  };
  return {
    width: values.length,
    values,
    get stuck() {
      return stuck?.[0];
    },
    draw: sight === 'alone' ? alone : together,
  };
}

/** A number as scores see it: −0, NaN, infinities and numbers beyond 1e100 keep their order and nearly all bits. */
function codeOf(value: number): number {
  if (value === 0) return Object.is(value, -0) ? MINUS_ZERO : 0;
  if (Math.abs(value) <= LARGEST) return value === MINUS_ZERO ? CODES.displaced : value;
  if (Number.isNaN(value)) return CODES.nan;
  if (Math.abs(value) === Infinity) return value > 0 ? CODES.positive : CODES.negative;
  bits.setFloat64(0, Math.abs(value));
  const high = bits.getUint32(0) - LARGEST_WORD;
  const low = bits.getUint32(4);
  // An eighth of the distance, counted in doubles. The lost bits are mixed in, so neighbours still differ.
  bits.setUint32(0, LARGEST_WORD + 1 + (high >>> 3));
  bits.setUint32(4, (((high & 7) << 29) | (low >>> 3)) ^ Math.imul(low & 7, 0x9e3779b1));
  return Math.sign(value) * bits.getFloat64(0);
}

/** The same number of trials under each datum, row after row: `rows` rows of `width` numbers. */
export interface AuditSample {
  readonly width: number;
  readonly rows: number;
  readonly first: Float64Array;
  readonly second: Float64Array;
}

/** Draws a sample, alternating between the two data. */
export function drawSample<Datum, Report>(
  sampler: AuditSampler<Datum, Report>,
  pair: AuditPair<Datum>,
  rows: number,
): AuditSample {
  const { width, values } = sampler;
  const first = new Float64Array(rows * width);
  const second = new Float64Array(rows * width);
  for (let row = 0; row < rows; row++) {
    sampler.draw(pair.first, true);
    first.set(values, row * width);
    sampler.draw(pair.second, true);
    second.set(values, row * width);
  }
  return { width, rows, first, second };
}

/** Vectors of the unit ball from which the pairs of an audit are made, `opposite` to `unit` and `orthogonal` to it. */
export interface AuditVectors {
  readonly unit: Float64Array;
  readonly opposite: Float64Array;
  readonly orthogonal?: Float64Array;
  readonly axis: readonly [Float64Array, Float64Array];
  readonly zero: Float64Array;
  /** Two uniform vectors of the ball, each with one more entry in [−1, 1]. */
  readonly inside: readonly [Float64Array, Float64Array];
}

export function auditVectors(dimension: number, random: Random): AuditVectors {
  const unit = new Float64Array(dimension);
  fillSphere(unit, random);
  const zero = new Float64Array(dimension);
  const axis = zero.slice();
  axis[0] = 1;
  const minus = (vector: Float64Array): Float64Array => vector.map((entry) => 0 - entry);
  // The leading coordinates of a point of the sphere with two more dimensions are uniform in the ball.
  const inside = (): Float64Array => {
    const point = new Float64Array(dimension + 2);
    fillSphere(point, random);
    return point.slice(0, dimension + 1);
  };
  return {
    unit,
    opposite: minus(unit),
    ...(dimension > 1 ? { orthogonal: orthogonalTo(unit, random) } : {}),
    axis: [axis, minus(axis)],
    zero,
    inside: [inside(), inside()],
  };
}

function orthogonalTo(unit: Float64Array, random: Random): Float64Array {
  const other = new Float64Array(unit.length);
  fillNormal(other, random);
  // Two passes are enough: in the second pass nothing is left that could cancel.
  for (let round = 0; round < 2; round++) {
    const along = other.reduce((sum, entry, i) => sum + entry * unit[i], 0);
    for (let i = 0; i < unit.length; i++) other[i] -= along * unit[i];
    const norm = Math.sqrt(other.reduce((sum, entry) => sum + entry * entry, 0));
    for (let i = 0; i < unit.length; i++) other[i] /= norm;
  }
  return other;
}

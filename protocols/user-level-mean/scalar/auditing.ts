import type { Auditing, AuditPair } from '../../../src/core/auditing.ts';
import { type LogRatio, normalLogRatio } from '../../../src/core/likelihood.ts';
import { COIN_UNITS } from '../../../src/mechanism/exact-coin.ts';
import type { FrequencyMechanism } from '../../../src/mechanism/frequency.ts';
import { localMean } from './local-mean.ts';
import type { BinQuestion, NoisyQuestion, Question } from './question.ts';
import type { ScalarRound } from './round.ts';
import type { SignQuestion } from './sign.ts';
import type { UserDatum, UserLevelReport } from './types.ts';

const { floor, log, max, min } = Math;

/** Outputs of a bin question that are written out as a channel, at most. */
const LARGEST_CHANNEL = 2 ** 16;

/**
 * Pairs of players, each with one sample: at opposite ends of the range, at the ends and near the middle of the interval that is
 * asked about, and one of two samples that have the same mean as one, which nobody can tell apart.
 */
function pairs({ bound, question: { lower, upper } }: ScalarRound): readonly AuditPair<UserDatum>[] {
  const inside = (value: number): number => max(-bound, min(bound, value));
  const pair = (name: string, first: number, second: number): AuditPair<UserDatum> => ({
    name,
    first: { samples: [inside(first)] },
    second: { samples: [inside(second)] },
  });
  const middle = (lower + upper) / 2;
  const step = 0.005 * bound;
  return [
    pair('opposite ends of the range', bound, -bound),
    pair('ends of the interval asked about', upper + step, lower - step),
    pair('close to the middle of the interval', middle + step, middle - step),
    pair('middle and end', middle, upper),
    { name: 'many samples and one', first: { samples: [bound, -bound, bound] }, second: { samples: [-bound] } },
  ];
}

/** The report as numbers: of a sign, the cell and the bit; otherwise the report itself. */
function view({ question }: ScalarRound, { values }: UserLevelReport): ArrayLike<number> {
  return question.kind === 'sign' ? [values[0] >> 1, values[0] & 1] : values;
}

/** The probabilities of all reports of a sign or a bin; undefined where they are not finitely many, or too many. */
const channel = ({ question, bound }: ScalarRound, datum: UserDatum): Float64Array | undefined =>
  questionChannel(question, localMean(datum, bound));

/** The same of a local mean y. */
export function questionChannel(question: Question, y: number): Float64Array | undefined {
  if (question.kind === 'sign') return signChannel(question, y);
  if (question.kind === 'noisy') return undefined;
  const { mechanism } = question;
  if (mechanism.name === 'subset selection') return undefined;
  const outputs = mechanism.name === 'Hadamard response' ? mechanism.outputs : mechanism.categories;
  if (outputs > LARGEST_CHANNEL) return undefined;
  const bin = binOf(question, y);
  return Float64Array.from({ length: outputs }, (_, output) => probabilityOf(mechanism, bin, [output]));
}

/** Entry 2i is a no in cell i, entry 2i + 1 a yes. */
function signChannel({ lower, upper, cells, coin }: SignQuestion, y: number): Float64Array {
  const keep = coin.keep / COIN_UNITS;
  const width = (upper - lower) / cells;
  const found = new Float64Array(2 * cells);
  for (let i = 0; i < cells; i++) {
    // The share of the cell's thresholds that y reaches.
    const share = width > 0 ? max(0, min(1, (y - lower - i * width) / width)) : y >= lower ? 1 : 0;
    const yes = share * keep + (1 - share) * (1 - keep);
    found[2 * i] = (1 - yes) / cells;
    found[2 * i + 1] = yes / cells;
  }
  return found;
}

function binOf({ lower, upper, mechanism: { categories } }: BinQuestion, y: number): number {
  return min(categories - 1, max(0, floor(((y - lower) / (upper - lower)) * categories)));
}

/** The probability of a report, for subset selection up to a factor that is the same for every bin. */
function probabilityOf(mechanism: FrequencyMechanism, bin: number, report: ArrayLike<number>): number {
  const keep = mechanism.keep / COIN_UNITS;
  switch (mechanism.name) {
    case 'randomized response':
      return report[0] === bin ? mechanism.hit : mechanism.stray;
    case 'Hadamard response': {
      const { blockSize, outputs } = mechanism;
      const half = blockSize / 2;
      const block = floor(bin / (blockSize - 1));
      const row = 1 + bin - block * (blockSize - 1);
      const place = report[0] - block * blockSize;
      const near = place >= 0 && place < blockSize && !oddParity(row & place);
      return near ? keep / half : (1 - keep) / (outputs - half);
    }
    case 'subset selection': {
      const { categories, subset } = mechanism;
      // C(k − 1, m − 1) and C(k − 1, m) differ by the factor (k − m)/m.
      return Array.from(report).includes(bin) ? keep : ((1 - keep) * subset) / (categories - subset);
    }
  }
}

function oddParity(bits: number): boolean {
  let odd = false;
  for (let rest = bits; rest !== 0; rest &= rest - 1) odd = !odd;
  return odd;
}

/** log P(report | first)/P(report | second): exact, but for the rounding of a noisy mean to its grid in a deployment. */
function logLikelihoodRatio(
  round: ScalarRound,
  { first, second }: AuditPair<UserDatum>,
): (report: UserLevelReport) => number {
  const { question, bound } = round;
  const [a, b] = [first, second].map((datum) => localMean(datum, bound));
  const ratio = questionLogRatio(question, a, b);
  return ({ values }) => ratio(values);
}

/** The same of local means a and b, of the numbers of an answer. */
export function questionLogRatio(question: Question, a: number, b: number): (values: ArrayLike<number>) => number {
  if (question.kind === 'noisy') return noisyRatio(question, a, b);
  if (question.kind === 'bin') {
    const { mechanism } = question;
    const [one, other] = [a, b].map((y) => binOf(question, y));
    return (values) => log(probabilityOf(mechanism, one, values) / probabilityOf(mechanism, other, values));
  }
  const [one, other] = [a, b].map((y) => signChannel(question, y));
  return (values) => log(one[values[0]] / other[values[0]]);
}

function noisyRatio({ lower, upper, sigma, noise }: NoisyQuestion, a: number, b: number): LogRatio {
  const [first, second] = [a, b].map((y) => [max(-1, min(1, (2 * y - lower - upper) / (upper - lower)))]);
  return normalLogRatio(first, second, [sigma], noise?.step);
}

/** What an audit of the player of a scalar round may use. */
export const scalarAuditing: Auditing<ScalarRound, UserDatum, UserLevelReport> = {
  pairs,
  view,
  channel,
  logLikelihoodRatio,
};

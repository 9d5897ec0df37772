import { checkBudget, checkInteger, checkOpenUnit, RefusedValue } from '../check/refusal.ts';
import { type PureGuarantee, pure } from '../privacy/guarantee.ts';
import { decimal, upward } from '../privacy/rounding.ts';
import { bernoulli, type Random, uniformInteger } from '../random/random.ts';

const { ceil, exp, expm1, log, log1p, max, min } = Math;

/** An (ε, δ)-private randomizer with a known density, or known probabilities if there are finitely many reports. */
export interface KnownRandomizer<Datum, Report> {
  /**
   * log of the density of a report at a datum over its density at ⊥, a fixed public input that is nobody's datum; infinities are
   * allowed.
   */
  logRatio(report: Report, datum: Datum): number;
}

/**
 * The probability of accepting a sample: ½·e^logRatio from ½·e^(−2ε) to ½·e^(2ε), and ½ outside and without a ratio
 * (NaN), since the guarantee depends only on the range.
 */
export function acceptanceProbability(transformation: PureTransformation, logRatio: number): number {
  const probability = exp(logRatio) / 2;
  return probability >= transformation.least && probability <= transformation.most ? probability : 0.5;
}

/**
 * What a player sends: the index of one of its public samples, uniform among the accepted samples, or among all samples
 * if none is accepted. The server takes the sample of that index for a report of the original randomizer.
 *
 * `publicReports` are T independent reports on the fixed public input, which the server must know too. They must not depend on any datum: draw
 * them from a public source, new ones for each player.
 *
 * Guarantee: pure, 10ε, given the samples. The coins have exactly the probabilities computed, which are from
 * ½·e^(−2ε) to ½·e^(2ε) whatever the rounding of the ratios, so the guarantee holds for floating-point numbers. The
 * time taken is not protected; it depends on `logRatio`.
 *
 * Source: Bun, Nelson, Stemmer (2018), Heavy hitters and the structure of local privacy (algorithm GenProt).
 * @throws RangeError for another number of samples.
 */
export function randomizePureFromApproximate<Datum, Report>(
  transformation: PureTransformation,
  randomizer: KnownRandomizer<Datum, Report>,
  publicReports: readonly Report[],
  datum: Datum,
  random: Random,
): number {
  const { samples } = transformation;
  if (publicReports.length !== samples) {
    throw new RefusedValue(`"publicReports" expected ${samples} samples, got ${publicReports.length}`);
  }
  const accepted: number[] = [];
  for (let i = 0; i < samples; i++) {
    const probability = acceptanceProbability(transformation, randomizer.logRatio(publicReports[i], datum));
    if (bernoulli(probability, random)) accepted.push(i);
  }
  return accepted.length > 0 ? accepted[uniformInteger(accepted.length, random)] : uniformInteger(samples, random);
}

/** More than the rounding error, absolute near 1, of the logarithm of a ratio of two computed probabilities. */
const RATIO_ERROR: number = 2 ** -48;

/** What is requested of the transformation of an (ε, δ) randomizer into a pure one. */
export interface PureTransformationRequest {
  /** ε of the randomizer, at most ¼. */
  readonly epsilon: number;
  /** δ of the randomizer, below the largest that can be transformed. */
  readonly delta: number;
  /** n ≥ 1, how many players use it. */
  readonly players: number;
  /** β in (0, 1): how far the law of all n reports together may be from the original one, in total variation. */
  readonly failure: number;
}

/** A pure randomizer made from an (ε, δ) one: its constants, its guarantee and its price. Plain data. */
export interface PureTransformation extends PureTransformationRequest {
  /** What it is. */
  readonly name: 'pure from approximate';
  /** The guarantee of the index that a player sends: pure, 10ε. */
  readonly guarantee: PureGuarantee;
  /** The largest log-ratio of the probabilities of an index, whatever the densities are; at most 10ε, near 8ε. */
  readonly largestLoss: number;
  /** T, how many public samples each player needs; the report is a number below T. */
  readonly samples: number;
  /** The least probability with which a sample is accepted, ½·e^(−2ε). */
  readonly least: number;
  /** The largest probability with which a sample is accepted, ½·e^(2ε). */
  readonly most: number;
  /** Upper bound on the distance in total variation from a report of the original; n·distance ≤ β. */
  readonly distance: number;
}

/**
 * The largest δ that can be transformed: ε·β/(4n·log(n/β)), or ½·(1 − e^(−ε))·β/n if the first leaves too little of β
 * (one player, β near 1). For any δ below it the reports are within β of the original ones.
 * Source: Bun, Nelson, Stemmer (2018), Heavy hitters and the structure of local privacy (the condition on δ of GenProt).
 */
export function largestTransformableDelta(request: Omit<PureTransformationRequest, 'delta'>): number {
  const { epsilon, players, failure } = checkRequest({ ...request, delta: 0.5 });
  const printed = (epsilon * failure) / (4 * players * log(players / failure));
  return min(printed, (-expm1(-epsilon) * failure) / (2 * players));
}

/**
 * The constants of the generic transformation (GenProt) of a non-interactive (ε, δ)-private randomizer into a pure one.
 *
 * Public samples y₁ … y_T are drawn from the randomizer at a fixed public input. The player accepts each with
 * probability ½ times the ratio of its densities at the player's datum and at that input, or ½ where the ratio is
 * outside [e^(−2ε), e^(2ε)]. It sends the index of one accepted sample, chosen uniformly, or of one of all samples if
 * none is accepted.
 *
 * Guarantee: pure, 10ε, for any densities at all, given the samples. All probabilities of an index are linear in each
 * acceptance, so the extremes are at the ends of its range; `largestLoss` is the exact largest log-ratio, rounded up.
 *
 * The price: 10ε instead of ε; T samples of public randomness for each player; and the reports of all players together
 * differ from those of the original randomizer by n·distance ≤ β in total variation. Let κ = δ/(1 − e^(−ε)), which
 * bounds the probability of a ratio outside the range. Given an acceptance, the chosen sample has exactly the law with
 * the clipped ratio, at distance at most 3κ/2 from the law of the randomizer. The probability that none is accepted is
 * at most (½ + κ/2)^T.
 *
 * Source: Bun, Nelson, Stemmer (2018), Heavy hitters and the structure of local privacy (algorithm GenProt;
 * T ≥ 5·log(1/ε)). The bound on the distance is derived anew.
 * @throws TypeError or RangeError naming the field; RangeError outside the theorem: for ε > ¼, and for a δ that is not
 * below min(ε·β/(4n·log(n/β)), ½·(1 − e^(−ε))·β/n).
 * @theorem noninteractive Theorem 11
 */
export function pureFromApproximate(request: PureTransformationRequest): PureTransformation {
  const { epsilon, delta, players, failure } = checkRequest(request);
  const largest = largestTransformableDelta(request);
  if (!(delta < largest)) {
    throw new RefusedValue(
      'delta',
      `a number < ${largest} for ${players} players and failure ${decimal(failure)}`,
      delta,
    );
  }
  const least = exp(-2 * epsilon) / 2;
  const most = exp(2 * epsilon) / 2;
  const stray = delta / -expm1(-epsilon);
  // The part of β left for the event that no sample is accepted, for each player.
  const share = failure / players - 1.5 * stray;
  const none = log1p(stray) - Math.LN2;
  let samples = max(ceil(5 * log(1 / epsilon)), ceil(log(share) / none));
  while (largestLogRatio(least, most, samples) > 10 * epsilon) samples++;
  return {
    name: 'pure from approximate',
    epsilon,
    delta,
    players,
    failure,
    guarantee: pure(10 * epsilon),
    largestLoss: largestLogRatio(least, most, samples),
    samples,
    least,
    most,
    distance: min(failure / players, upward(1.5 * stray + exp(samples * none))),
  };
}

function checkRequest(request: PureTransformationRequest): PureTransformationRequest {
  const { epsilon, delta } = checkBudget(request);
  if (epsilon > 0.25) throw new RefusedValue('epsilon', 'a number <= 0.25', epsilon);
  if (epsilon < 1e-9) throw new RefusedValue('epsilon', 'a number >= 1e-9', epsilon);
  return {
    epsilon,
    delta,
    players: checkInteger('players', request.players, 1),
    failure: checkOpenUnit('failure', request.failure),
  };
}

/**
 * log of the largest over the smallest probability of one index: it grows with the acceptance of its own sample and falls
 * with the others', so it is largest at (most, least, …, least) and smallest at (least, most, …, most).
 */
function largestLogRatio(least: number, most: number, samples: number): number {
  const ratio = indexProbability(most, least, samples) / indexProbability(least, most, samples);
  return upward(log(ratio) + RATIO_ERROR);
}

/** T times the probability of an index, if its own sample is accepted with probability a and each other one with b. */
function indexProbability(own: number, other: number, samples: number): number {
  // E[1/(1 + K)] for K binomial on T − 1 trials is (1 − (1 − b)^T)/(T·b).
  const none = (1 - other) ** (samples - 1);
  return (own * (1 - none * (1 - other))) / other + (1 - own) * none;
}

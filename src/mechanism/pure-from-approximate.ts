import type { PureTransformation } from '../privacy/pure-from-approximate.ts';
import type { Random } from '../random/random.ts';
import { bernoulli, uniformInteger } from '../random/uniform.ts';

const { exp } = Math;

/** An (ε, δ)-private randomizer of which the density is known, or the probability where reports are finitely many. */
export interface KnownRandomizer<Datum, Report> {
  /** A report on the fixed public input ⊥, which is nobody's datum. */
  drawPublic(random: Random): Report;
  /** log of the density of a report at a datum over its density at ⊥; infinities are allowed. */
  logRatio(report: Report, datum: Datum): number;
}

/**
 * The public samples of one player: T independent reports on ⊥. Everybody may know them, the server has to, and they must
 * not depend on any datum: draw them from a public source, for each player anew.
 */
export function drawPublicReports<Datum, Report>(
  transformation: PureTransformation,
  randomizer: KnownRandomizer<Datum, Report>,
  random: Random,
): Report[] {
  return Array.from({ length: transformation.samples }, () => randomizer.drawPublic(random));
}

/**
 * The probability with which a sample is accepted: ½·e^logRatio from ½·e^(−2ε) to ½·e^(2ε), and ½ outside.
 *
 * Also ½ where there is no ratio (NaN): the guarantee rests on the range alone.
 */
export function acceptanceProbability(transformation: PureTransformation, logRatio: number): number {
  const probability = exp(logRatio) / 2;
  return probability >= transformation.least && probability <= transformation.most ? probability : 0.5;
}

/**
 * What a player sends: the index of one of its public samples, uniform among those it accepts, and among all where it
 * accepts none. The server takes the sample of that index for a report of the original randomizer.
 *
 * Guarantee: pure, 10ε, given the samples. The coins have exactly the probabilities computed, which are in the range of
 * `acceptanceProbability` whatever the rounding of the ratios, so the guarantee holds for the numbers a machine has. Not
 * protected: the time it takes, which depends on `logRatio`.
 *
 * Source: Bun, Nelson, Stemmer (2018), Heavy hitters and the structure of local privacy (algorithm GenProt).
 *
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
    throw new RangeError(`"publicReports" expected ${samples} samples, got ${publicReports.length}`);
  }
  const accepted: number[] = [];
  for (let i = 0; i < samples; i++) {
    const probability = acceptanceProbability(transformation, randomizer.logRatio(publicReports[i], datum));
    if (bernoulli(probability, random)) accepted.push(i);
  }
  return accepted.length > 0 ? accepted[uniformInteger(accepted.length, random)] : uniformInteger(samples, random);
}

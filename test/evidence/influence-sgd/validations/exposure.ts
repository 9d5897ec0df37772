import { bits, type Random, seededRandom } from 'ldpkit';
import { audit, auditOneRun, guessInclusion } from 'ldpkit/audit';
import {
  claimOf,
  exposedExample,
  exposedTarget,
  influence,
  printed,
  recalibrated,
  splitBudget,
  train,
  unboundedDelta,
} from 'ldpkit/protocols/influence-sgd';

const { abs, floor } = Math;

/** The claimed δ₁ + δ₂. */
export const CLAIMED_DELTA = 2e-6;

/** The probability with which a bound of an audit holds. */
const CONFIDENCE = 0.999;

/**
 * How the claim is attacked. `threshold`: by events over many runs on two data sets. `one-run`: by guesses of which canaries one run
 * was given. `natural`: by events, with r = 10 and T = 1, where no step goes without noise. `moved`: by counting the runs in which
 * the model shows the record outright.
 */
export type Attack = 'threshold' | 'one-run' | 'natural' | 'moved';

/** One attack on one set of parameters. */
export type ExposureSetting = {
  readonly attack: Attack;
  readonly variant: 'printed' | 'recalibrated';
  /** `none`: noise in every step, the control. */
  readonly decision: 'pass' | 'none';
  /** R, the number of Hessians. */
  readonly rounds: number;
  /** The claimed ε₁ + ε₂. */
  readonly epsilon: number;
  /** Runs, or canaries of the one run. */
  readonly size: number;
  /** T. */
  readonly steps: number;
};

/** What an attack proves. */
export type ExposureChunk = {
  /** The lower bound of ε at the claimed δ, with confidence .999; 0 where `moved` counts. */
  readonly bound: number;
  /** Of `moved`: runs that show the record, of so many, and the exact probability, which no ε covers. */
  readonly moved: number;
  readonly runs: number;
  readonly exact: number;
};

/** `exposedExample`, with the Hessian computed anew in every round, and the radius by which all contributions still pass. */
function exampleOf(setting: ExposureSetting): ReturnType<typeof exposedExample> {
  const { attack, variant, decision, rounds, epsilon, size, steps } = setting;
  const canaries = attack === 'one-run';
  // Eight draws of each canary on average: hardly one is missed.
  const records = canaries ? 1000 : attack === 'natural' ? 140 : 20;
  const budget = splitBudget({ epsilon, delta: CLAIMED_DELTA });
  const example = exposedExample({ variant, budget, records, dimension: canaries ? size : 2, steps, decision });
  if (rounds === 1 && attack !== 'natural') return example;
  const make = variant === 'printed' ? printed : recalibrated;
  const { parameters } = example;
  const renewed = make({ ...parameters, localRounds: steps / rounds, globalRounds: rounds });
  const wider =
    attack === 'natural' ? 10 : (parameters.radius * renewed.contributionSigma) / parameters.contributionSigma;
  return { ...example, parameters: make({ ...renewed, radius: wider }) };
}

/** The radius r of the parameter space of an attack, by which contributions pass the decision, or none. */
export function exposedRadius(setting: ExposureSetting): number {
  return exampleOf(setting).parameters.radius;
}

/**
 * One run on the example, every record there by a fair coin; `share` of all coins are guessed to be in, and as many out, from |θ_j|.
 *
 * @theorem influence Theorem 5
 */
export function exposeInOneRun(
  { parameters, model, data }: ReturnType<typeof exposedExample>,
  random: Random,
  { share, confidence }: { readonly share: number; readonly confidence?: number },
): ReturnType<typeof auditOneRun> {
  const included = Array.from({ length: model.features }, () => bits(random) % 2 === 0);
  const { theta } = train(parameters, model, data(included), random);
  const each = floor(share * model.features);
  const counts = guessInclusion(theta.map(abs), included, { in: each, out: each });
  const { claimed } = claimOf(parameters);
  return auditOneRun({ ...counts, claimed, ...(confidence === undefined ? {} : { confidence }) });
}

/** One attack with coins of its own. */
export function expose(setting: ExposureSetting, chunk: number, seed: string): ExposureChunk {
  const { attack, variant, decision, rounds, epsilon, size, steps } = setting;
  const random = seededRandom(
    `${seed} exposure ${attack} ${variant} ${decision} ${rounds} ${steps} ${epsilon} ${chunk}`,
  );
  const example = exampleOf(setting);
  const { parameters, model, data } = example;
  const nothing = { bound: 0, moved: 0, runs: 0, exact: 0 };
  if (attack === 'one-run') {
    // So few that among fair coins hardly ever fewer are in, or out: those would be guessed wrong whatever the model shows.
    const { lowerBound } = exposeInOneRun(example, random, { share: 0.35, confidence: CONFIDENCE });
    return { ...nothing, bound: lowerBound };
  }
  if (attack === 'moved') {
    const records = data([true, false]);
    const contribution = new Float64Array(2);
    influence(parameters, model, records, new Float64Array(2), random)(0, contribution);
    const exact = unboundedDelta(
      parameters,
      contribution.map((c) => c + parameters.remainder),
    );
    let moved = 0;
    for (let run = 0; run < size; run++) {
      const { theta } = train(parameters, model, records, random);
      if (theta[0] !== 0 && theta[1] === 0) moved++;
    }
    return { bound: 0, moved, runs: size, exact };
  }
  const target = exposedTarget(example);
  const options = { trials: size, random, confidence: CONFIDENCE, twoReports: false, lastBits: false };
  if (attack === 'threshold') return { ...nothing, bound: audit(target, options).lowerBound };
  const [pair] = target.auditing?.pairs(parameters, random) ?? [];
  // The first coordinate rises if the record was drawn: every threshold of the likelihood ratio is one of it.
  const found = audit(target, { ...options, pair, logLikelihoodRatio: ([first]: Float64Array) => first });
  return { ...nothing, bound: found.lowerBound };
}

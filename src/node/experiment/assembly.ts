import { checkFinite } from '../../check/number.ts';
import type { Study, StudyRequest } from '../../simulation/study.ts';
import type { Collected, Stage } from './collection.ts';
import type { CertificateRecord, NeededPlayers, RunDocument, RunRecord } from './document.ts';
import type { Measured } from './measurement.ts';
import { type Plan, requestOf } from './plan.ts';

/** What made the document. */
export interface Origin {
  /** Version of ldpkit. */
  readonly version: string;
  /** The command line. */
  readonly command: string;
}

/** The document of an experiment that has run. */
export function assembleDocument(
  { plan, study, dataset, division }: Omit<Stage, 'threads'>,
  collected: readonly Collected[],
  measured: Measured,
  { version, command }: Origin,
): RunDocument {
  const players = division.count;
  const runs = collected.map((run, index) => recordOf(study, run, measured.runs[index], players));
  const headline = runs[headlineIndex(collected, plan)];
  const { variant, degree, guarantee, estimate, metrics, seconds, epsilon } = headline;
  const { nonPrivate, constant } = measured;
  const { delta, grade, radius, repetitions, seed, title } = plan;
  return {
    protocol: study.protocol.name,
    variant,
    players,
    dimension: dataset.dimension,
    degree,
    guarantee,
    estimate,
    metrics,
    baselines: { nonPrivate, constant, meanOnly: headline.baselines.meanOnly },
    seconds,
    collectedDegree: requestOf(plan, variant, epsilon).degree,
    epsilon,
    delta,
    grade,
    radius,
    repetitions,
    seed,
    title,
    summary: study.summary,
    loss: study.loss.name,
    features: dataset.names,
    evaluatedOn: division.evaluatedOn,
    runs,
    certificates: certificatesOf(plan, study),
    playersForSameVariance: neededPlayers(plan, study, epsilon, players),
    version,
    command,
  };
}

// First variant, ε closest to 1, first repetition.
function headlineIndex(collected: readonly Collected[], { variants, epsilons }: Plan): number {
  const closest = epsilons.reduce((best, epsilon) => (Math.abs(epsilon - 1) < Math.abs(best - 1) ? epsilon : best));
  return collected.findIndex(({ variant, epsilon }) => variant === variants[0] && epsilon === closest);
}

function recordOf(study: Study, run: Collected, measured: Measured['runs'][number], players: number): RunRecord {
  const { variant, epsilon, repetition, guarantee, estimate, seconds } = run;
  const { w, degree, risk, standardError } = estimate;
  return {
    variant,
    epsilon,
    repetition,
    guarantee,
    degree,
    estimate: {
      w: Array.from(w, (value, index) => checkFinite(`w[${index}]`, value)),
      degree,
      risk,
      standardError,
      ...study.details(estimate),
    },
    metrics: measured.metrics,
    baselines: { meanOnly: measured.meanOnly },
    seconds,
    reportsPerSecond: players / seconds,
  };
}

function certificatesOf(plan: Plan, study: Study): CertificateRecord[] {
  const { theory } = study.protocol;
  return plan.epsilons.flatMap((epsilon) =>
    plan.variants.map((variant) => ({
      epsilon,
      certificate: theory.certificate(study.parameters(requestOf(plan, variant, epsilon))),
    })),
  );
}

// Variants that cannot serve the degree (they say so) or whose variance is beyond any number have no place in a comparison.
function neededPlayers(plan: Plan, study: Study, epsilon: number, players: number): NeededPlayers[] {
  const variances = study.variants.flatMap((variant) => {
    const variance = varianceOf(study, requestOf(plan, variant, epsilon));
    return variance === undefined || !Number.isFinite(variance) ? [] : [{ variant, variance }];
  });
  return variances.map(({ variant, variance }) => {
    const ratio = variance / variances[0].variance;
    return { variant, variance, ratio, players: ratio * players };
  });
}

function varianceOf(study: Study, request: StudyRequest): number | undefined {
  try {
    return study.gradientVariance(request);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

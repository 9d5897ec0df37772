import type { PublicParameters } from '../../../core/contract.ts';
import type { Guarantee } from '../../../privacy/guarantee.ts';
import type { DataMoments } from '../../../simulation/data-moments.ts';
import type { Dataset } from '../../../simulation/dataset.ts';
import type { LinearEstimate, Study, StudyRequest } from '../../../simulation/study.ts';
import type { Uncertainty } from '../../../simulation/uncertainty.ts';
import { counted } from '../../figures.ts';
import type { Progress } from '../../progress.ts';
import { requiredLaw } from '../../studies.ts';
import type { Threads } from '../../threads.ts';
import type { EvaluatedOn } from './document.ts';
import { lawOf, type Plan, queryOf, type RunPlace, requestOf, type Sized } from './plan.ts';

/** The players' records and those that measure models. Rows are in shared memory and ascending; undefined means all. */
export interface Division {
  readonly players: Uint32Array | undefined;
  readonly evaluated: Uint32Array | undefined;
  /** Number of records; each belongs to so many players as the plan has copies. */
  readonly count: number;
  readonly evaluatedOn: EvaluatedOn;
}

/** One run before it is measured. */
export interface Collected extends RunPlace {
  readonly variant: string;
  readonly guarantee: Guarantee;
  readonly estimate: LinearEstimate;
  /** What the noise of the reports leaves open about it. */
  readonly uncertainty: Uncertainty;
  /** The model of degree 0 from the same tally. */
  readonly meanOnly: LinearEstimate;
  readonly seconds: number;
  readonly origin: Origin;
}

/** How a tally came about. */
export interface Origin {
  /** `sum`: drawn by the law of sums. */
  readonly law: 'reports' | 'sum';
  /** How many reports were made. */
  readonly reports: number;
  /** The bound on the distance of its law from that of a tally of reports; 0 where the two are the same. */
  readonly distance: number;
}

/** The inputs of a collection. */
export interface Stage {
  readonly plan: Plan;
  readonly study: Study;
  readonly dataset: Dataset;
  readonly division: Division;
  readonly threads: Threads;
  readonly progress: Progress;
}

/** A run that is to come. */
interface Coming extends RunPlace {
  readonly request: StudyRequest;
  readonly parameters: PublicParameters;
  readonly law: 'reports' | 'sum';
}

/** The inputs of a stage that decide what is collected. */
export function sizedBy({ plan, study, division }: Pick<Stage, 'plan' | 'study' | 'division'>): Sized {
  return { plan, study, players: division.count * plan.copies };
}

/** All runs of a plan, in order. */
function comingRuns(stage: Stage): readonly Coming[] {
  const { plan, study } = stage;
  const sized = sizedBy(stage);
  return plan.epsilons.flatMap((epsilon) =>
    plan.variants.flatMap((asked) => {
      const request = requestOf(sized, asked, epsilon);
      const parameters = study.parameters(request);
      return Array.from({ length: plan.repetitions }, (_, index) => {
        const place = { asked, epsilon, repetition: index + 1 };
        return { ...place, request, parameters, law: lawOf(plan, study, parameters, place) };
      });
    }),
  );
}

/** The moments of the data for runs without reports: one set of all records, and one of a part of them, for the highest degree. */
type KnownMoments = ReadonlyMap<boolean, DataMoments>;

async function momentsFor(runs: readonly Coming[], stage: Stage): Promise<KnownMoments> {
  const { plan, study, dataset, division, threads, progress } = stage;
  const highest = new Map<boolean, { readonly degree: number; readonly request: StudyRequest }>();
  for (const { law, parameters, request } of runs) {
    if (law === 'reports') continue;
    const { all, degree } = requiredLaw(study.sums, plan.protocol).need(parameters);
    if (!(degree <= (highest.get(all)?.degree ?? 0))) highest.set(all, { degree, request });
  }
  const known = new Map<boolean, DataMoments>();
  for (const [all, { request }] of highest) {
    progress.begin(`moments of ${counted(division.count, 'record')}`, division.count);
    const shared = { protocol: plan.protocol, dataset, rows: division.players };
    known.set(all, await threads.moments({ ...shared, request, onProgress: progress.advance }));
  }
  return known;
}

/** The tally of one run, and how it came about. */
async function tallyOf(
  run: Coming,
  { plan, study, dataset, division, threads }: Stage,
  { known, onProgress }: { readonly known: KnownMoments; onProgress(players: number): void },
): Promise<Origin & { readonly tally: unknown }> {
  const { request, parameters, law, epsilon, repetition } = run;
  const task = {
    ...{ protocol: plan.protocol, request, dataset, rows: division.players, onProgress },
    seed: `${plan.seed} ${request.variant} ${epsilon} ${repetition}`,
  };
  if (law === 'reports') {
    return { tally: await threads.simulate(task), law, reports: division.count, distance: 0 };
  }
  const moments = known.get(requiredLaw(study.sums, plan.protocol).need(parameters).all) as DataMoments;
  return { ...(await threads.sum({ ...task, moments, copies: plan.copies })), law };
}

/** All runs, and how long the moments of the data took. */
export interface Collection {
  readonly collected: readonly Collected[];
  /** Undefined where no run needs them. */
  readonly momentsSeconds: number | undefined;
}

/**
 * Simulates every run of the plan, one after the other: tally, estimate. Every run has its own coins, derived from the
 * plan's seed.
 */
export async function collectRuns(stage: Stage): Promise<Collection> {
  const { plan, study, division, progress } = stage;
  const { protocol } = study;
  const runs = comingRuns(stage);
  const begun = performance.now();
  const known = await momentsFor(runs, stage);
  const momentsSeconds = known.size === 0 ? undefined : (performance.now() - begun) / 1000;
  const players = division.count * plan.copies;
  progress.begin(`${counted(runs.length, 'run')} of ${counted(players, 'player')}`, runs.length * players);
  const collected: Collected[] = [];
  for (const run of runs) {
    const { asked, epsilon, repetition, parameters } = run;
    const { variant } = run.request;
    const before = collected.length * players;
    const start = performance.now();
    const onProgress = (done: number) => progress.advance(before + done);
    const { tally, ...origin } = await tallyOf(run, stage, { known, onProgress });
    const query = queryOf(plan, variant);
    const estimate = protocol.server.estimate(parameters, tally, study.query(query));
    const seconds = (performance.now() - start) / 1000;
    const uncertainty = study.uncertainty(parameters, tally, estimate, query);
    const mean = { radius: estimate.radius, degree: 0, variant };
    const meanOnly = protocol.server.estimate(parameters, tally, study.query(mean));
    const guarantee = protocol.theory.guarantee(parameters);
    const found = { guarantee, estimate, uncertainty, meanOnly, seconds, origin };
    collected.push({ asked, variant, epsilon, repetition, ...found });
  }
  return { collected, momentsSeconds };
}

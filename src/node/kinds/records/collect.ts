import { refusedAs } from '../../../check/refusal.ts';
import type { PublicParameters } from '../../../core/contract.ts';
import type { Guarantee } from '../../../privacy/guarantee.ts';
import type { Dataset } from '../../../simulation/runner.ts';
import type { Study, StudyQuery, StudyRequest } from '../../../simulation/study.ts';
import {
  addParts,
  type Block,
  blocksOf,
  type DataMoments,
  emptyMoments,
  finishSum,
  type MomentNeed,
  mergeMoments,
  type SumPart,
} from '../../../simulation/sum-law.ts';
import { closestToOne, type FileOptions, type RunOptions } from '../../commands/options.ts';
import { type Jobs, tallyReports, type Work } from '../../jobs/jobs.ts';
import { counted } from '../../print.ts';
import type { Progress } from '../../progress.ts';
import type { DatasetSource } from '../../records.ts';
import { knownOf } from '../../schema.ts';
import { requiredLaw } from '../../study.ts';
import type { FoundModel, Threads } from '../../threads.ts';
import type { LawChoice } from '../risk-forecast.ts';
import type { EvaluatedOn, Origin } from './summary.ts';

export interface RecordRun extends RunOptions {
  readonly epsilon: readonly number[] | undefined;
  readonly degree: number | undefined;
  /** R of ‖w‖ ≤ R; `automatic`: the server chooses it. */
  readonly radius: number | 'automatic';
  readonly loss: string | undefined;
  readonly server: string | undefined;
  readonly decoder: string | undefined;
  /** How many records (or which share of them) are for training; models are measured on the others. */
  readonly train: number | undefined;
  readonly repetitions: number | undefined;
  readonly threads: number | undefined;
  readonly law: LawChoice;
  /** How many players hold each record; more than 1 only without reports. */
  readonly copies: number;
}

export interface Plan extends Omit<RecordRun, keyof FileOptions | 'variant' | 'epsilon' | 'degree' | 'threads'> {
  readonly protocol: string;
  /** The variants that are compared, or {@link PLANNED}; the headline run uses the first one. */
  readonly variants: readonly string[];
  readonly epsilons: readonly number[];
  /** `automatic`: the study plans it from the number of players, or 1 is collected, and the protocol chooses what it uses. */
  readonly degree: number | 'automatic';
  readonly repetitions: number;
  readonly source: DatasetSource;
  readonly title: string;
}

/** In the place of a variant: the study plans variant and degree from public numbers, for each ε. */
export const PLANNED = 'planned';

/** A plan and the number of players that take part, which decides what is collected where the plan leaves it open. */
export interface Sized {
  readonly plan: Plan;
  readonly study: Study;
  readonly players: number;
}

/** The radius of the plan; where the server picks it, the largest that it may pick. */
export function largestRadius({ radius }: Plan, { automaticRadius = 1 }: Study): number {
  return radius === 'automatic' ? automaticRadius : radius;
}

/** The request of the plan for the parameters of a variant. */
export function requestOf({ plan, study, players }: Sized, variant: string, epsilon: number): StudyRequest {
  const { delta, degree, grade, source } = plan;
  const { dimension } = source.schema;
  const request = { variant, epsilon, delta, degree: degree === 'automatic' ? 1 : degree, dimension, grade };
  if (variant !== PLANNED) return request;
  if (study.plan === undefined || degree !== 'automatic') return { ...request, variant: study.variants[0] };
  const asked = { players, dimension, epsilon, radius: largestRadius(plan, study) };
  return { ...request, ...study.plan({ ...asked, unitNorm: knownOf(source.schema).unitNorm }) };
}

/** The query of the plan to the tally of a variant. */
export function queryOf({ radius, degree, server, decoder, source }: Plan, variant: string): StudyQuery {
  return { radius, degree, variant, server, decoder, ...knownOf(source.schema) };
}

/** Which run of a plan: a variant as in the plan, ε, and the repetition from 1. */
export interface RunPlace {
  readonly asked: string;
  readonly epsilon: number;
  readonly repetition: number;
}

/** Whether a run is the headline: first variant, ε closest to 1, first repetition. */
export function isHeadline({ variants, epsilons }: Plan, { asked, epsilon, repetition }: RunPlace): boolean {
  return asked === variants[0] && epsilon === closestToOne(epsilons) && repetition === 1;
}

/** How the tally of a run comes about; refused where the plan asks for the law of sums of a tally that has none. */
export function lawOf(plan: Plan, study: Study, parameters: PublicParameters, run: RunPlace): 'reports' | 'sum' {
  if (plan.law === 'reports') return 'reports';
  const law = requiredLaw(study.sums, plan.protocol);
  if (plan.law === 'headline' && isHeadline(plan, run)) return 'reports';
  try {
    law.need(parameters);
    return 'sum';
  } catch (error) {
    if (plan.law === 'headline' && refusedAs(error) === 'value') return 'reports';
    throw error;
  }
}

/** The players' records and those that measure models. Rows are in shared memory and ascending; undefined means all. */
export interface Division {
  readonly players: Uint32Array | undefined;
  readonly evaluated: Uint32Array | undefined;
  /** Number of records; each belongs to so many players as the plan has copies. */
  readonly count: number;
  readonly evaluatedOn: EvaluatedOn;
}

/** One run before it is measured; it took the seconds of its tally too. */
export interface Collected extends RunPlace, FoundModel {
  readonly variant: string;
  readonly guarantee: Guarantee;
  readonly origin: Origin;
}

export interface Stage {
  readonly plan: Plan;
  readonly study: Study;
  readonly dataset: Dataset;
  readonly division: Division;
  readonly work: Work;
  readonly progress: Progress;
}

/** The jobs of such a run, done by threads: each is given its task of `worker.ts`, and the records of the run. */
export function recordJobs(
  { plan: { protocol, loss }, dataset, division }: Pick<Stage, 'plan' | 'dataset' | 'division'>,
  { does }: Threads,
): Jobs {
  const doing = (name: string, rows = division.players) => {
    const common = { protocol, loss, dataset, rows };
    return (given: object) => does(name, { ...given, ...common });
  };
  return {
    reports: doing('default'),
    moments: doing('moments'),
    sum: doing('sum'),
    estimate: doing('model'),
    measure: doing('measure', division.evaluated),
    optimum: doing('optimum'),
  };
}

const lengthOf = ({ from, to }: Block): number => to - from;

interface Coming extends RunPlace {
  readonly request: StudyRequest;
  readonly parameters: PublicParameters;
  readonly law: 'reports' | 'sum';
}

/** The inputs of a stage that decide what is collected. */
export function sizedBy({ plan, study, division }: Pick<Stage, 'plan' | 'study' | 'division'>): Sized {
  return { plan, study, players: division.count * plan.copies };
}

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

/** Those moments, and how long they took; undefined where no run needs them. */
async function momentsFor(runs: readonly Coming[], { plan, study, division, work, progress }: Stage) {
  const highest = new Map<boolean, { readonly need: MomentNeed; readonly request: StudyRequest }>();
  for (const { law, parameters, request } of runs) {
    if (law === 'reports') continue;
    const need = requiredLaw(study.sums, plan.protocol).need(parameters);
    if (!(need.degree <= (highest.get(need.all)?.need.degree ?? 0))) highest.set(need.all, { need, request });
  }
  const known = new Map<boolean, DataMoments>();
  let seconds: number | undefined;
  for (const [all, { need, request }] of highest) {
    progress.begin(`moments of ${counted(division.count, 'record')}`, division.count);
    const total = emptyMoments(need);
    const took = await work.all({
      name: 'moments',
      common: { request },
      given: blocksOf(division.count, 1).map((block) => ({ block })),
      merge: (part: DataMoments) => mergeMoments(total, part),
      size: ({ block }) => lengthOf(block),
      onProgress: progress.advance,
    });
    // Every job of a sum reads them: shared memory is not copied.
    const sums = new Float64Array(new SharedArrayBuffer(total.sums.byteLength));
    sums.set(total.sums);
    known.set(all, { ...total, sums });
    seconds = (seconds ?? 0) + took;
  }
  return { known, seconds };
}

/** The tally of one run, and how it came about; of no players where the work is not whole. */
async function tallyOf(
  run: Coming,
  { plan, study, division, work }: Stage,
  { known, onProgress }: { readonly known: KnownMoments; onProgress(players: number, note?: string): void },
): Promise<Origin & { readonly tally: unknown; readonly seconds: number }> {
  const { request, parameters, law, epsilon, repetition } = run;
  const { copies } = plan;
  const seed = `${plan.seed} ${request.variant} ${epsilon} ${repetition}`;
  const { server } = study.protocol;
  if (law === 'reports') {
    const players = division.count;
    const made = await tallyReports(work, server, parameters, { players, common: { request, seed }, onProgress });
    return { ...made, law, reports: players, distance: 0 };
  }
  const sums = requiredLaw(study.sums, plan.protocol);
  const moments = known.get(sums.need(parameters).all) as DataMoments;
  let parts: SumPart | undefined;
  const seconds = await work.all({
    name: 'sum',
    common: { request, moments, seed, copies },
    given: blocksOf(division.count, copies).map((block) => ({ block })),
    merge: (part: SumPart) => {
      parts = addParts(parts, part);
    },
    size: ({ block }) => copies * lengthOf(block),
    onProgress,
    late: true,
  });
  if (parts === undefined) return { tally: server.empty(parameters), seconds, law, reports: 0, distance: 0 };
  const players = division.count * copies;
  return { ...finishSum(sums, parameters, { parts, moments, players }, { seed }), seconds, law };
}

/** All runs, and how long the moments of the data took; undefined where no run needs them. */
export interface Collection {
  readonly collected: readonly Collected[];
  readonly momentsSeconds: number | undefined;
}

async function foundFrom(
  run: Coming,
  { tally, seconds: making, ...origin }: Awaited<ReturnType<typeof tallyOf>>,
  { plan, study, work }: Stage,
): Promise<Collected> {
  const { asked, epsilon, repetition, request, parameters } = run;
  const { variant } = request;
  let found: FoundModel | undefined;
  await work.all({
    name: 'estimate',
    given: [{ request, tally, query: queryOf(plan, variant) }],
    merge: (one: FoundModel) => {
      found = one;
    },
    late: true,
  });
  const { seconds, ...models } = found!;
  const guarantee = study.protocol.theory.guarantee(parameters);
  const place = { asked, variant, epsilon, repetition };
  return { ...place, ...models, guarantee, seconds: making + seconds, origin };
}

/** Simulates every run of the plan, one after the other, each with its own coins. A model is found while the next players report. */
export async function collectRuns(stage: Stage): Promise<Collection> {
  const { plan, division, progress, work } = stage;
  const runs = comingRuns(stage);
  const { known, seconds: momentsSeconds } = await momentsFor(runs, stage);
  const players = division.count * plan.copies;
  progress.begin(`${counted(runs.length, 'run')} of ${counted(players, 'player')}`, runs.length * players);
  const collected: Collected[] = [];
  let before: Promise<Collected> | undefined;
  for (const [index, run] of runs.entries()) {
    const onProgress = (done: number, note?: string) => progress.advance(index * players + done, note);
    // Both are awaited at once: neither may fail unheard.
    const [made, found] = await Promise.all([tallyOf(run, stage, { known, onProgress }), before]);
    if (found !== undefined) collected.push(found);
    if (work.whole) before = foundFrom(run, made, stage);
  }
  if (before !== undefined) collected.push(await before);
  return { collected, momentsSeconds };
}

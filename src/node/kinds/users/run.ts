import type { UserStudy, UserStudyRequest } from '../../../../protocols/user-level-mean/protocol.ts';
import type { FoundMean } from '../../../../protocols/user-level-mean/shape.ts';
import { RefusedValue } from '../../../check/refusal.ts';
import { type Grade, GradeError } from '../../../core/request.ts';
import { normalCriticalValue } from '../../../inference/critical-value.ts';
import { clearestCoefficient, MODEL_LEVEL, type Uncertainty } from '../../../inference/model-interval.ts';
import { conduct } from '../../../simulation/runner.ts';
import { FLIGHT_CAP, HOURS, loadAirportDays } from '../../airport-days.ts';
import { closestToOne, knownVariants, type PlayedRun, type RunOptions } from '../../commands/options.ts';
import { playCases, type Workforce } from '../../jobs/jobs.ts';
import { createProgress, type Progress, reading } from '../../progress.ts';
import { fileTitle, loadPlayers, playerSource } from '../../records.ts';
import { delayQuestion, hoursQuestion, meanErrors, ownQuestion, type Question } from './question.ts';
import type { UserBaseline, UserRunDocument, UserRunRecord } from './result.ts';

interface UserRunOptions extends RunOptions {
  readonly epsilon: readonly number[];
  readonly player: string | undefined;
  readonly samples: number | undefined;
  readonly spread: number | undefined;
  readonly profile: 'hours' | undefined;
  readonly repetitions: number;
}

/** The inputs of a run: the variant of the headline run first, then the others, including baselines. */
interface UserRunPlan extends Pick<UserRunOptions, 'epsilon' | 'delta' | 'grade' | 'repetitions' | 'seed'> {
  readonly variants: readonly string[];
}

/** `ldpkit run` of players with several samples: those of a file, or the airport-days of the flights, their mean delay or their hours. */
export async function runUsers(study: UserStudy, options: UserRunOptions, workforce: Workforce): PlayedRun {
  const { profile, players } = options;
  const source = await playerSource(options, 'samples');
  if (source === undefined) refuseTyped(options, ['player', 'samples', 'spread'], 'the flights say it themselves');
  else refuseTyped(options, ['profile'], 'it is a question to the flights');
  const dimension = source?.schema.dimension ?? (profile === undefined ? 1 : HOURS);
  const plan = planOf(study, options, dimension);
  // What variants refuse for any number of players is refused before millions of records are read.
  for (const epsilon of plan.epsilon) {
    for (const variant of plan.variants) study.plan({ ...anyRequest(plan, dimension), variant, epsilon });
  }
  const progress = createProgress();
  let question: Question;
  if (source === undefined) {
    progress.begin('reading the flights');
    const days = await loadAirportDays();
    question = profile === undefined ? delayQuestion(days, { players }) : hoursQuestion(days, { players });
  } else {
    const { samples = 1, spread } = options;
    const rows = await reading(progress, (onProgress) => loadPlayers(source, onProgress));
    question = ownQuestion(rows, { title: fileTitle(source), schema: source.schema, samples, spread, players });
  }
  const document = await playAll(study, named(plan, options, study, question), question, { progress, workforce });
  if (document === undefined) return undefined;
  return { document, result: async () => (await import('./result.ts')).userResult(document) };
}

function refuseTyped(options: object, names: readonly string[], reason: string): void {
  for (const name of names) {
    const value = (options as { readonly [name: string]: unknown })[name];
    if (value !== undefined) throw new RefusedValue(name, `none: ${reason}`, value);
  }
}

function planOf(study: UserStudy, options: UserRunOptions, dimension: number): UserRunPlan {
  const { variants: shown, baselines } = dimension === 1 ? study.scalar : study.vector;
  const { grade, variant: named = [] } = options;
  const known = study.variants.filter((variant) => shown.includes(variant) || !study.vector.variants.includes(variant));
  knownVariants(named, dimension === 1 ? known : shown);
  const others = (named.length === 0 ? shown : baselines).filter((variant) =>
    hasGrade(study, variant, grade, dimension),
  );
  return { ...options, variants: [...new Set([...named, ...others])] };
}

/** The plan without a variant that was not requested and is useless on a file: two rounds without a known spread. */
function named(plan: UserRunPlan, { variant, data }: UserRunOptions, study: UserStudy, question: Question) {
  if (data === undefined || variant !== undefined) return plan;
  const useful = (one: string): boolean =>
    question.spread !== undefined && plan.epsilon.every((epsilon) => isWorth(study, plan, question, one, epsilon));
  return { ...plan, variants: plan.variants.filter((one) => one !== 'twoRound' || useful(one)) };
}

// A number of players and of samples that every variant accepts.
function anyRequest({ delta, grade }: Pick<UserRunPlan, 'delta' | 'grade'>, dimension: number) {
  return { delta, grade, players: 2 ** 20, samples: 1, dimension };
}

/** Whether a variant has the grade: some variants that are compared do not exist in a deployment. */
function hasGrade(study: UserStudy, variant: string, grade: Grade, dimension: number): boolean {
  try {
    study.plan({ ...anyRequest({ delta: 1e-6, grade }, dimension), variant, epsilon: 1 });
    return true;
  } catch (error) {
    if (error instanceof GradeError) return false;
    throw error;
  }
}

async function playAll(
  study: UserStudy,
  plan: UserRunPlan,
  question: Question,
  { progress, workforce }: { readonly progress: Progress; readonly workforce: Workforce },
): Promise<UserRunDocument | undefined> {
  const { variants, epsilon: epsilons, delta, grade, repetitions, seed } = plan;
  const { name, player, sample, names, title, unit, agreed, population, records, leftOut, dimension, samples, truth } =
    question;
  const protocol = study.protocol.name;
  const { players } = population;
  const pairs = epsilons.flatMap((epsilon) => variants.map((variant) => ({ variant, epsilon })));
  // All plans are made before any run: everything that can be refused is refused at once.
  const plans = pairs.map(({ variant, epsilon }) => study.plan(requestOf(plan, question, variant, epsilon)));
  for (const { variant, epsilon } of pairs) checkWorth(study, plan, question, variant, epsilon);
  const certificates = plans.map((made, index) => ({
    epsilon: pairs[index].epsilon,
    certificate: study.protocol.theory.certificate(made),
  }));
  const asked = { cases: pairs.length, repetitions, task: `playing ${protocol}`, progress };
  const found = await playCases(workforce, asked, (index, repetition): FoundMean => {
    const { variant, epsilon } = pairs[index];
    const coins = `${seed} ${variant} ${epsilon} ${repetition + 1}`;
    return conduct(study.protocol, plans[index], population, { seed: coins }).estimate;
  });
  if (found === undefined) return undefined;
  const runs = pairs.map(({ variant, epsilon }, index): UserRunRecord => {
    const played = found[index];
    const estimates = played.map(({ result }) => result);
    const seconds = played.reduce((sum, one) => sum + one.seconds, 0) / repetitions;
    const guarantee = study.protocol.theory.guarantee(plans[index]);
    const inUnit = estimates.map((estimate) => converted(estimate, question));
    return {
      variant,
      epsilon,
      guarantee,
      estimate: { mean: Array.from(inUnit[0].mean), standardError: Array.from(inUnit[0].standardError) },
      uncertainty: uncertainOf(inUnit[0], question),
      ...(dimension === 1 ? { means: inUnit.map(({ mean }) => mean[0]) } : {}),
      metrics: meanErrors(inUnit, truth),
      seconds,
      // If the same players answer several rounds, each of their reports counts.
      reportsPerSecond: estimates[0].players / seconds,
    };
  });
  const closest = closestToOne(epsilons);
  const headline = runs.find(({ variant, epsilon }) => variant === variants[0] && epsilon === closest)!;
  const { variant, epsilon, guarantee, estimate, uncertainty, metrics, seconds } = headline;
  return {
    ...{ protocol, variant, epsilon, delta, grade, question: name, player, sample, names, title, unit, agreed },
    ...{ players, records, cap: FLIGHT_CAP, leftOut, dimension, samples, guarantee, estimate, uncertainty, metrics },
    truth: { mean: Array.from(truth), recordMean: Array.from(question.recordMean) },
    baselines: baselinesOf(study, question, runs, closest),
    ...{ seconds, repetitions, seed, summary: study.summary, runs, certificates },
  };
}

/** Refuses two rounds whose forecast is no better than one: a long interval is useless, and the second round lacks those who search it. */
export function checkWorth(
  study: UserStudy,
  plan: UserRunPlan,
  question: Question,
  variant: string,
  epsilon: number,
): void {
  if (isWorth(study, plan, question, variant, epsilon)) return;
  const expected = `another than twoRound at epsilon = ${epsilon}, whose forecast is no better than that of naive`;
  throw new RefusedValue('variant', expected, variant);
}

function isWorth(study: UserStudy, plan: UserRunPlan, question: Question, variant: string, epsilon: number): boolean {
  const { spread, dimension } = question;
  if (variant !== 'twoRound' || spread === undefined || dimension > 1) return true;
  const errorOf = (name: string) => study.forecast(requestOf(plan, question, name, epsilon), { spread }).error;
  return errorOf(variant) < errorOf('naive');
}

function requestOf(
  { delta, grade }: UserRunPlan,
  { population, samples, samplesOf, dimension, inBall, spread }: Question,
  variant: string,
  epsilon: number,
): UserStudyRequest {
  const shape = { players: population.players, samples: samplesOf?.[variant] ?? samples, dimension, inBall };
  return { variant, epsilon, delta, grade, ...shape, ...(spread === undefined ? {} : { spread }) };
}

function converted({ mean, standardError, players }: FoundMean, { fromProtocol, scale }: Question): FoundMean {
  return { players, mean: mean.map(fromProtocol), standardError: standardError.map((error) => scale * error) };
}

/** The mean that is clearest apart from the answer that asks nobody, by the standard errors that the estimate states. */
function uncertainOf({ mean, standardError }: FoundMean, { names, population, guesses, scale }: Question): Uncertainty {
  const critical = normalCriticalValue;
  const middle = guesses.middle?.value;
  const coefficients = Array.from(mean, (value, j) => ({
    ...{ name: names[j], value: value - (middle?.[j] ?? 0) },
    half: critical(MODEL_LEVEL) * standardError[j],
  }));
  // A bound is half a range from the middle.
  const about = middle === undefined ? {} : { origin: 'the middle of the bounds', most: scale };
  return clearestCoefficient(population.players, coefficients, { level: MODEL_LEVEL, critical, ...about });
}

function baselinesOf(
  { scalar, vector }: UserStudy,
  { guesses, truth, dimension }: Question,
  runs: readonly UserRunRecord[],
  at: number,
): UserRunDocument['baselines'] {
  const found: { [name: string]: UserBaseline } = {};
  for (const variant of (dimension === 1 ? scalar : vector).baselines) {
    const run = runs.find((one) => one.variant === variant && one.epsilon === at);
    if (run !== undefined) found[variant] = { error: run.metrics.error };
  }
  for (const [name, { value, description }] of Object.entries(guesses)) {
    const guess = { players: 0, mean: value, standardError: new Float64Array(dimension) };
    found[name] = { error: meanErrors([guess], truth).error, description };
  }
  return found;
}

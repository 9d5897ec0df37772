import { type MeanErrors, meanErrors, repeatMean } from '../../../protocols/user-level-mean/repeated-mean.ts';
import type { MeanEstimate } from '../../../protocols/user-level-mean/shape.ts';
import type { UserStudy, UserStudyRequest } from '../../../protocols/user-level-mean/user-study.ts';
import { refusal } from '../../check/number.ts';
import type { Grade } from '../../core/grade.ts';
import { FLIGHT_CAP } from '../airport-day-players.ts';
import type { Origin } from '../experiment/assembly.ts';
import type { CertificateRecord } from '../experiment/document.ts';
import type { Progress } from '../progress.ts';
import type { UserBaseline, UserRunDocument, UserRunRecord } from './document.ts';
import type { Question } from './question.ts';

/** What is played. */
export interface UserRunPlan {
  /** The protocol's folder name. */
  readonly protocol: string;
  /** The headline's first, then the others; baselines are among them. */
  readonly variants: readonly string[];
  readonly epsilons: readonly number[];
  readonly delta: number;
  readonly grade: Grade;
  readonly repetitions: number;
  readonly seed: string;
}

/**
 * Plays every variant at every ε and measures what came of it.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function runUsers(
  study: UserStudy,
  plan: UserRunPlan,
  question: Question,
  progress: Progress,
  { version, command }: Origin,
): UserRunDocument {
  const { protocol, variants, epsilons, delta, grade, repetitions, seed } = plan;
  const { name, title, unit, agreed, population, flights, leftOut, dimension, samples, truth } = question;
  const { players } = population;
  const pairs = epsilons.flatMap((epsilon) => variants.map((variant) => ({ variant, epsilon })));
  // All plans are made before anything is played: what is refused is refused at once.
  const plans = pairs.map(({ variant, epsilon }) => study.plan(requestOf(plan, question, variant, epsilon)));
  for (const { variant, epsilon } of pairs) checkWorth(study, plan, question, variant, epsilon);
  const certificates: CertificateRecord[] = plans.map((made, index) => ({
    epsilon: pairs[index].epsilon,
    certificate: study.protocol.theory.certificate(made),
  }));
  let done = 0;
  progress.begin(`playing ${protocol}`, pairs.length * repetitions);
  const runs = pairs.map(({ variant, epsilon }, index): UserRunRecord => {
    const start = performance.now();
    const estimates = repeatMean({ protocol: study.protocol, plan: plans[index] }, population, {
      repetitions,
      seed: `${seed} ${variant} ${epsilon}`,
      onRepetition: () => progress.advance(++done),
    });
    const seconds = (performance.now() - start) / 1000 / repetitions;
    const guarantee = study.protocol.theory.guarantee(plans[index]);
    const inUnit = estimates.map((estimate) => converted(estimate, question));
    return {
      variant,
      epsilon,
      guarantee,
      estimate: plain(inUnit[0]),
      ...(dimension === 1 ? { means: inUnit.map(({ mean }) => mean[0]) } : {}),
      metrics: meanErrors(inUnit, truth),
      seconds,
      // Where the same players answer several rounds, each of their reports counts.
      reportsPerSecond: estimates[0].players / seconds,
    };
  });
  progress.end();
  const closest = epsilons.reduce((best, epsilon) => (Math.abs(epsilon - 1) < Math.abs(best - 1) ? epsilon : best));
  const headline = runs.find(({ variant, epsilon }) => variant === variants[0] && epsilon === closest)!;
  const { variant, epsilon, guarantee, estimate, metrics, seconds } = headline;
  return {
    protocol,
    variant,
    epsilon,
    delta,
    grade,
    question: name,
    title,
    unit,
    agreed,
    players,
    flights,
    cap: FLIGHT_CAP,
    leftOut,
    dimension,
    samples,
    guarantee,
    estimate,
    metrics,
    truth: { mean: Array.from(truth), flightMean: Array.from(question.flightMean) },
    baselines: baselinesOf(study, question, runs, closest),
    seconds,
    repetitions,
    seed,
    summary: study.summary,
    runs,
    certificates,
    version,
    command,
  };
}

/**
 * Refuses two rounds where one is expected to be nearer: an interval that is no shorter than the range is of no use, and the players
 * who look for it are missed.
 *
 * @throws RangeError naming the variant.
 */
export function checkWorth(
  study: UserStudy,
  plan: UserRunPlan,
  question: Question,
  variant: string,
  epsilon: number,
): void {
  const { spread, dimension } = question;
  if (variant !== 'twoRound' || spread === undefined || dimension > 1) return;
  const [two, one] = [variant, 'naive'].map(
    (name) => study.forecast(requestOf(plan, question, name, epsilon), { spread }).error,
  );
  if (two < one) return;
  const expected = `another than twoRound at epsilon = ${epsilon}, whose forecast is no better than that of naive`;
  throw new RangeError(refusal('variant', expected, variant));
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

function converted({ mean, standardError, players }: MeanEstimate, { fromProtocol, scale }: Question): MeanEstimate {
  return { players, mean: mean.map(fromProtocol), standardError: standardError.map((error) => scale * error) };
}

function plain({ mean, standardError }: MeanEstimate): UserRunRecord['estimate'] {
  return { mean: Array.from(mean), standardError: Array.from(standardError) };
}

function baselinesOf(
  { scalar, vector }: UserStudy,
  { guesses, truth, dimension }: Question,
  runs: readonly UserRunRecord[],
  at: number,
): UserRunDocument['baselines'] {
  const guessed = (value: Float64Array): MeanErrors =>
    meanErrors([{ players: 0, mean: value, standardError: new Float64Array(dimension) }], truth);
  const found: { [name: string]: UserBaseline } = {};
  for (const variant of (dimension === 1 ? scalar : vector).baselines) {
    const run = runs.find((one) => one.variant === variant && one.epsilon === at);
    if (run !== undefined) found[variant] = { error: run.metrics.error };
  }
  for (const [name, { value, description }] of Object.entries(guesses)) {
    found[name] = { error: guessed(value).error, description };
  }
  return found as UserRunDocument['baselines'];
}

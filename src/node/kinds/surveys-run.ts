import { checkInteger } from '../../check/refusal.ts';
import type { PlainRequest } from '../../core/contract.ts';
import type { Grade } from '../../core/request.ts';
import type { Guarantee } from '../../privacy/guarantee.ts';
import { permutation } from '../../random/random.ts';
import { seededRandom } from '../../random/seeded.ts';
import { type SimulationOptions, simulate } from '../../simulation/runner.ts';
import type { SurveyQuantity, SurveyQuestion, SurveyStudy } from '../../simulation/study.ts';
import { closestToOne, knownVariants, type PlayedRun, type RunOptions } from '../commands/options.ts';
import { locateFlights } from '../flights.ts';
import { tallyReports, type Workforce } from '../jobs/jobs.ts';
import { everyOf, powerOfTen, reporting, rounded } from '../print.ts';
import { createProgress, reading } from '../progress.ts';
import { type DatasetSource, fileTitle, loadStream, sourceOf } from '../records.ts';
import { profileChart } from '../report/charts.ts';
import {
  capital,
  type EpsilonHead,
  playersTile,
  promisedBy,
  type ResultPart,
  type RunResult,
  type Tile,
} from '../report/result.ts';
import { promiseInWords, type Verdict } from '../report/verdict.ts';
import { classNames, inColumn, type NumberFeature, parseSchema, readSchema, type Schema } from '../schema.ts';

interface SurveyRunOptions extends Omit<RunOptions, 'delta'> {
  readonly epsilon: readonly number[];
  readonly confidence: number;
  readonly repetitions: number;
}

/** `ldpkit run` of a survey: the players of a file or the flights, every ε and variant, and the same numbers in the clear. */
export async function runSurvey(study: SurveyStudy, options: SurveyRunOptions, workforce: Workforce): PlayedRun {
  const { epsilon: epsilons, grade, confidence, repetitions, seed } = options;
  const { protocol } = study;
  const named = options.variant === undefined ? [undefined] : knownVariants(options.variant, study.variants);
  const own = await sourceOf(options, study.form);
  const source = own ?? { data: locateFlights(), schema: parseSchema(study.flights, study.form) };
  const question = questionOf(source.schema);
  // All parameters are made before anything is read: what can be refused is refused at once.
  const made = epsilons.flatMap((epsilon) =>
    named.map((variant) => ({
      epsilon,
      parameters: protocol.make({ ...study.request(question), ...budgetOf(epsilon, grade, variant) }),
    })),
  );
  const population = await loadPlayers(source, options);
  const { players } = population;
  const data = { players, datum: (index: number) => study.datum(population.datum(index)) };
  const truth = study.truth(question, population);
  const work = await workforce.open({
    reports: ({ index, ...range }: { readonly index: number } & SimulationOptions) =>
      simulate(protocol, made[index].parameters, data, range),
  });
  if (work === undefined) return undefined;
  const progress = createProgress();
  const runs: SurveyRun[] = [];
  for (const [index, { epsilon, parameters }] of made.entries()) {
    const { variant } = parameters;
    for (let repetition = 0; repetition < repetitions; repetition++) {
      progress.begin(`playing ${protocol.name}, ${variant}, ε = ${epsilon}`, players);
      const { tally, seconds } = await tallyReports(work, protocol.server, parameters, {
        players,
        common: { index, seed: `${seed} ${variant} ${epsilon} ${repetition}` },
        onProgress: progress.advance,
      });
      if (!work.whole) continue;
      const start = performance.now();
      const quantities = study.quantities(question, protocol.server.estimate(parameters, tally, { confidence }));
      runs.push({
        ...{ variant, epsilon, repetition: repetition + 1, quantities },
        guarantee: protocol.theory.guarantee(parameters),
        metrics: metricsOf(question, quantities, truth),
        seconds: seconds + (performance.now() - start) / 1000,
      });
    }
  }
  progress.end();
  if (!work.whole) return undefined;
  const closest = closestToOne(epsilons);
  const { variant, epsilon, guarantee, quantities, metrics } = runs.find((run) => run.epsilon === closest)!;
  const document: SurveyDocument = {
    protocol: protocol.name,
    ...{ variant, epsilon, players, grade, repetitions, seed },
    ...{ title: fileTitle(source), summary: study.summary, confidence, guarantee },
    ...{ estimate: { quantities }, metrics, truth, runs },
    certificates: made.map(({ epsilon, parameters }) => ({
      epsilon,
      certificate: protocol.theory.certificate(parameters),
    })),
  };
  return { document, result: async () => surveyResult(document) };
}

function metricsOf(
  { bounds, names }: SurveyQuestion,
  quantities: readonly SurveyQuantity[],
  truth: readonly number[],
): SurveyMetrics {
  const first = quantities.filter(({ group }) => group === quantities[0].group);
  const errorOf = (values: readonly number[]): number =>
    Math.sqrt(values.reduce((sum, value, i) => sum + (value - truth[i]) ** 2, 0) / first.length);
  const guesses = first.map((_, i) => (bounds === undefined ? 1 / names.length : (bounds[i][0] + bounds[i][1]) / 2));
  return {
    error: errorOf(first.map(({ value }) => value)),
    guess: errorOf(guesses),
    guessed: first.every(({ lower, upper }, i) => lower <= guesses[i] && guesses[i] <= upper),
    widest: Math.max(...first.map(({ lower, upper }) => upper - lower)),
    held: quantities.filter(({ lower, upper }, i) => lower <= truth[i] && truth[i] <= upper).length,
  };
}

/** The question of a schema file, or that of the flights. It reads no data. */
export async function surveyQuestion({ flights, form }: SurveyStudy, schema?: string): Promise<SurveyQuestion> {
  return questionOf(schema === undefined ? parseSchema(flights, form) : await readSchema(schema, form));
}

/** The fields of a request that every survey has. */
export function budgetOf(epsilon: number, grade: Grade, variant: string | undefined): PlainRequest {
  return { epsilon, ...(grade === 'deployment' ? { grade } : {}), ...(variant === undefined ? {} : { variant }) };
}

function questionOf({ label, features, names }: Schema): SurveyQuestion {
  if (label.kind === 'none') {
    const numbers = features as readonly NumberFeature[];
    return { names, bounds: numbers.map(({ minimum, maximum }) => [minimum, maximum] as const) };
  }
  const edges = label.kind === 'number' ? label.edges : undefined;
  return { names: classNames(label), ...(edges === undefined ? {} : { edges }) };
}

/** The players of a file, all of them or so many, chosen by the seed: their categories, or their coordinates. */
async function loadPlayers(source: DatasetSource, { players: asked, seed }: SurveyRunOptions) {
  const { features } = source.schema;
  const records = await reading(createProgress(), (onProgress) => loadStream(source, onProgress));
  const players = asked === undefined ? records.players : checkInteger('players', asked, 1, records.players);
  const rows = players === records.players ? undefined : permutation(records.players, seededRandom(`${seed} players`));
  const cells = new Float64Array(Math.max(1, features.length));
  const bounds = questionOf(source.schema).bounds;
  return {
    players,
    datum(index: number): ArrayLike<number> {
      const row = rows === undefined ? index : rows[index];
      if (bounds === undefined) cells[0] = records.responses[row];
      // Rounding to 32 bits and back must not lead beyond the bounds.
      else
        for (const [j, [lower, upper]] of bounds.entries()) {
          const value = inColumn(features[j], records.features[row * features.length + j]);
          cells[j] = Math.max(lower, Math.min(upper, value));
        }
      return cells;
    },
  };
}

/** What was measured of one run: of the first group the root mean squared error and the widest interval, and how many of all intervals hold. */
interface SurveyMetrics {
  readonly error: number;
  /** The error of an answer that asks nobody: equal shares, or the middle of the bounds. */
  readonly guess: number;
  /** Whether all intervals of the first group hold that answer. */
  readonly guessed: boolean;
  readonly widest: number;
  readonly held: number;
}

/** One run: one variant, one ε, one set of coins. */
interface SurveyRun {
  readonly variant: string;
  readonly epsilon: number;
  /** From 1. */
  readonly repetition: number;
  readonly guarantee: Guarantee;
  readonly quantities: readonly SurveyQuantity[];
  readonly metrics: SurveyMetrics;
  readonly seconds: number;
}

/**
 * What `ldpkit run` of a survey reports: the headline run (ε closest to 1, first variant and repetition), then every
 * run. `metrics` and `truth` are computed from the records without privacy; only estimates are private.
 */
export interface SurveyDocument extends EpsilonHead, Pick<SurveyRun, 'metrics'> {
  /** Probability that all intervals of one run and one group hold at once. */
  readonly confidence: number;
  readonly estimate: Pick<SurveyRun, 'quantities'>;
  /** The quantities in the clear, in the same order. */
  readonly truth: readonly number[];
  readonly runs: readonly SurveyRun[];
}

/** With fewer quantities in a group each of them is drawn against ε. */
const MANY = 4;

const MOST = 3;

export function surveyResult(document: SurveyDocument): RunResult {
  const { summary, players, confidence, estimate, truth, runs } = document;
  const groups = [...new Set(estimate.quantities.map(({ group }) => group))];
  return {
    verdict: verdictOf(document),
    tiles: tilesOf(document),
    about: [
      `${capital(summary)}. ${everyOf(players)} sends one randomized report.`,
      `The intervals of a run that are of one kind hold all at once with probability ${confidence}; they are for sampling and noise ` +
        'together. The numbers in the clear stand beside them for comparison; only the reports are private.',
    ],
    parts: [
      ...groups.map((group) => groupPart(document, group)),
      {
        heading: 'Estimates',
        rows: [
          ['', 'estimate', 'from', 'to', 'in the clear'],
          ...estimate.quantities.map((one, i) => [one.name, ...shownOf(one, truth[i])]),
        ],
        right: 1,
      },
      {
        heading: 'All runs',
        rows: [
          ['ε', 'variant', 'error', 'widest interval', 'intervals that hold', 'seconds'],
          ...runs.map(({ epsilon, variant, quantities, metrics: { error, widest, held }, seconds }) => [
            ...[`${epsilon}`, variant, figure(error, 3), figure(widest, 3)],
            ...[`${held} of ${quantities.length}`, seconds.toFixed(1)],
          ]),
        ],
        right: 2,
        grouped: true,
        notes: [`Error: ${errorWords(document)}.`],
      },
    ],
    promised: promisedBy(document),
  };
}

/** From so large a number on its digits before the point are no longer counted by eye. */
const LARGE = 1e7;

/** A quantity and the number in the clear, with so many digits as the interval makes worth showing. */
function shownOf({ value, lower, upper }: SurveyQuantity, clear: number): readonly string[] {
  const digits = Math.max(0, Math.min(12, 1 - Math.floor(Math.log10(Math.max(upper - lower, 1e-11)))));
  return [value, lower, upper, clear].map((one) => (Math.abs(one) < LARGE ? rounded(one, digits) : figure(one, 3)));
}

/** A number of any size and sign with so many digits: 0.190, 190, 2.5 × 10⁻¹⁷. */
function figure(value: number, digits: number): string {
  const plain = value.toPrecision(digits);
  if (!plain.includes('e')) return plain.replace('-', '−');
  if (Math.abs(value) >= 1 && Math.abs(value) < LARGE) return rounded(Number(plain), 0);
  const [mantissa, exponent] = value.toExponential(digits - 1).split('e');
  return `${mantissa.replace('-', '−')} × ${powerOfTen(Number(exponent))}`;
}

function errorWords({ estimate: { quantities } }: SurveyDocument): string {
  const [{ group, name }, ...others] = quantities;
  return others[0]?.group === group ? `root mean squared, ${group}` : name;
}

function verdictOf(document: SurveyDocument): Verdict {
  const { players, variant, epsilon, estimate, truth, metrics, confidence, guarantee } = document;
  const { quantities } = estimate;
  const first = quantities.filter(({ group }) => group === quantities[0].group);
  const largest = first.map((quantity, at) => ({ ...quantity, clear: truth[at] })).sort((a, b) => b.value - a.value);
  const named = largest.slice(0, MOST).map((one) => {
    const [shown, from, to, clear] = shownOf(one, one.clear);
    return { found: `${one.name}: ${shown} (${from} to ${to})`, clear: `${one.name}: ${clear}` };
  });
  const open = metrics.guessed && metrics.guess <= metrics.error;
  const guess = first.length > 1 ? 'equal shares' : 'the middle of the bounds';
  const [intervals, them] =
    first.length > 1 ? ['All intervals of shares hold', 'the shares'] : ['The interval holds', first[0].name];
  return {
    open,
    learnt:
      `${open ? 'A guess would have been as good: from' : 'From'} ${reporting(players)} (${variant}, ε = ${epsilon}): ${first.length > 1 ? `the ${first[0].group} in ` : ''}${named.map(({ found }) => found).join('; in ')}` +
      `${first.length > MOST ? `; these are the largest of ${first.length}` : ''}.`,
    distance: `In the clear: ${named.map(({ clear }) => clear).join('; ')}.`,
    cost:
      `An error of ${figure(metrics.error, 2)} (${errorWords(document)}), where ${guess}, ` +
      `guessed, ${first.length > 1 ? 'have' : 'has'} ${figure(metrics.guess, 2)}; the widest interval is ${figure(metrics.widest, 2)} long.`,
    promise: promiseInWords(guarantee),
    certainty: [
      `All intervals of a kind hold at once with probability ${confidence}; ${metrics.held} of ${quantities.length} hold the number in the clear.`,
      ...(metrics.guessed
        ? [`${intervals} ${guess}: the reports alone do not tell ${them} from ${first.length > 1 ? 'them' : 'it'}.`]
        : []),
    ],
  };
}

function tilesOf(document: SurveyDocument): readonly Tile[] {
  const { variant, epsilon, metrics, players, estimate, runs } = document;
  const { seconds } = runs.find((run) => run.epsilon === epsilon)!;
  return [
    {
      name: `error, ${variant} at ε = ${epsilon}`,
      figure: figure(metrics.error, 3),
      notes: [errorWords(document), `widest interval ${figure(metrics.widest, 3)}`],
    },
    {
      name: 'intervals that hold',
      figure: `${metrics.held} of ${estimate.quantities.length}`,
      notes: ['the number in the clear'],
    },
    playersTile(players, seconds, 1),
  ];
}

/** Many quantities side by side in the headline run, or each of a few against ε. */
function groupPart(document: SurveyDocument, group: string): ResultPart {
  const { estimate, truth, runs, variant, epsilon } = document;
  const { quantities } = estimate;
  const inGroup = quantities.flatMap((quantity, at) => (quantity.group === group ? [at] : []));
  const chart = (series: string, xLabel: string, yLabel: string, places: readonly ReturnType<typeof placeOf>[]) => {
    const name = `${series}, with its interval; bars are in the clear`;
    return profileChart({ label: yLabel, name, xLabel, yLabel, places, style: 0 });
  };
  if (inGroup.length >= MANY) {
    const places = inGroup.map((at) => placeOf(quantities[at], truth[at], quantities[at].name));
    return { heading: capital(group), pictures: [chart(`${variant} at ε = ${epsilon}`, '', group, places)] };
  }
  const first = runs.filter((run) => run.variant === runs.find((one) => one.epsilon === run.epsilon)?.variant);
  const drawn = first.filter(({ repetition }) => repetition === 1);
  const pictures = inGroup.map((at) => {
    const places = drawn.map((run) => placeOf(run.quantities[at], truth[at], `ε = ${run.epsilon}`));
    return chart('private', 'ε of one player', quantities[at].name, places);
  });
  return { heading: capital(group), pictures };
}

function placeOf(quantity: SurveyQuantity, truth: number, name: string) {
  const { name: of, value, lower, upper } = quantity;
  const [estimated, from, to, clear] = shownOf(quantity, truth);
  const tip = `${of}, ${name}: ${estimated}, from ${from} to ${to}; in the clear ${clear}`;
  return { name, value: truth, estimate: value, error: [lower, upper] as const, tip };
}

import type { Uncertainty } from '../../../inference/model-interval.ts';
import type { Guarantee } from '../../../privacy/guarantee.ts';
import { counted, rounded, wholeNumber } from '../../print.ts';
import { lineChart, profileChart } from '../../report/charts.ts';
import { type Picture, STYLES } from '../../report/markup.ts';
import { capital, type EpsilonHead, playersTile, promisedBy, type RunResult, type Tile } from '../../report/result.ts';
import { beyondStated, doubtsOf, promiseInWords, type Verdict } from '../../report/verdict.ts';
import type { MeanErrors, Question } from './question.ts';

/** All runs of one variant at one ε. */
export interface UserRunRecord {
  readonly variant: string;
  readonly epsilon: number;
  readonly guarantee: Guarantee;
  /** Of the first repetition, in the unit of the question, with the standard errors that it states itself. */
  readonly estimate: { readonly mean: readonly number[]; readonly standardError: readonly number[] };
  /** What the noise of the reports and the choice of players leave open about it, from the reports alone. */
  readonly uncertainty: Uncertainty;
  /** The mean of every repetition; in one dimension only. */
  readonly means?: readonly number[];
  readonly metrics: MeanErrors;
  /** Of one repetition: all reports of all rounds, tallies and estimate. */
  readonly seconds: number;
  readonly reportsPerSecond: number;
}

/** The root mean squared error of a worse protocol, or of an answer that needs no player and is then described. */
export interface UserBaseline {
  readonly error: number;
  readonly description?: string;
}

/**
 * What `ldpkit run` of a user-level protocol reports: the headline run (first variant, ε closest to 1), then every run.
 * All errors are in the `unit`; `truth`, `metrics` and `baselines` are computed from the samples without privacy.
 */
export interface UserRunDocument
  extends EpsilonHead,
    Pick<UserRunRecord, 'estimate' | 'uncertainty' | 'metrics' | 'seconds'>,
    Pick<
      Question,
      'player' | 'sample' | 'names' | 'unit' | 'agreed' | 'records' | 'leftOut' | 'dimension' | 'samples'
    > {
  readonly delta: number;
  readonly question: Question['name'];
  /** The largest number of samples of one player that count. */
  readonly cap: number;
  /** The mean over players of their local means, which is estimated, and that over samples, which is not. */
  readonly truth: { readonly mean: readonly number[]; readonly recordMean: readonly number[] };
  /** At the ε of the headline run. */
  readonly baselines: { readonly [name: string]: UserBaseline };
  readonly runs: readonly UserRunRecord[];
}

const FRESH = 'Each player answers in one round only';

const NOTE =
  'The error is the root mean squared one; bias is the mean estimate less the truth (its length, for a profile, where the noise ' +
  'of the mean is part of it); deviation is how estimates differ from run to run; the stated error is what the estimates say of ' +
  'themselves, from the reports alone. Truth and errors are computed from the samples in the clear, for comparison; only the ' +
  'reports are private.';

export function userResult(document: UserRunDocument): RunResult {
  const { summary, agreed, dimension, repetitions, sample, player } = document;
  const whose = player === 'named by the file' ? 'a player' : player;
  const fresh = dimension === 1 ? `${FRESH}, with “printed” in both` : FRESH;
  return {
    verdict: verdictOf(document),
    tiles: tilesOf(document),
    about: [
      `${capital(summary)}. ${fresh}; the budget covers everything it sends, and all its ${sample}s together.`,
      `${truthText(document)}.`,
      agreed,
    ],
    parts: [
      {
        heading: 'Error against ε',
        pictures: [errorChart(document)],
        notes: [`Root mean squared error over ${counted(repetitions, 'run')} with other coins, logarithmic.`],
      },
      dimension === 1
        ? { heading: 'What is estimated', pictures: [estimateChart(document)] }
        : { heading: 'The private profile', pictures: [profile(document)] },
      { heading: 'Results', rows: resultRows(document), right: 2, grouped: true, notes: [NOTE] },
    ],
    promised: { ...promisedBy(document), about: `: all ${sample}s of ${whose}` },
  };
}

function errorText(value: number, { dimension }: Pick<UserRunDocument, 'dimension'>): string {
  return rounded(value, dimension === 1 ? 2 : 4);
}

function guessesOf({ baselines }: UserRunDocument): readonly (readonly [string, UserBaseline])[] {
  return Object.entries(baselines).filter(([, { description }]) => description !== undefined);
}

function truthText(document: UserRunDocument): string {
  const { dimension, truth, records, players, leftOut, player, sample, unit } = document;
  const left = leftOut === 0 ? '' : ` (${wholeNumber(leftOut)} of them beyond the cap and left out)`;
  const head = `${counted(players, 'player')}: ${player}, with ${counted(records, sample)}${left}`;
  if (dimension > 1) return `${head}; each counts once`;
  const why = sample === 'flight' ? 'busy airports weigh more' : 'players with many weigh more';
  return (
    `${head}; each counts once, and the mean over them is ${rounded(truth.mean[0], 2)} ${unit}; over ${sample}s, where ${why}, ` +
    `it is ${rounded(truth.recordMean[0], 2)}`
  );
}

function verdictOf(document: UserRunDocument): Verdict {
  const { players, records, variant, epsilon, estimate, truth, metrics, baselines, unit, dimension, sample } = document;
  const { repetitions, guarantee, title, runs, question, names } = document;
  // The title of a file names the file; that of the flights says what is asked.
  const subject = question === 'mean' ? `mean of ${names[0]}` : title;
  const error = `${errorText(metrics.error, document)}${dimension === 1 ? ` ${unit}` : ''}`;
  const useless = guessesOf(document).some(([, guess]) => guess.error <= metrics.error);
  const who = `${counted(players, 'player')}, each of whom answered with noise (${variant}, ε = ${epsilon})`;
  const [mean, stated, true_] = [estimate.mean[0], estimate.standardError[0], truth.mean[0]];
  const what =
    dimension === 1
      ? `the ${subject} is ${rounded(mean, 2)} ± ${rounded(stated, 2)} ${unit} (first run, with the standard error that it states)`
      : `${counted(dimension, 'number')} at a time, ${error} off in all (${unit})`;
  const others = Object.entries(baselines).map(
    ([name, one]) => `${one.description ?? `variant ${name}`}: ${errorText(one.error, document)}`,
  );
  return {
    open: useless,
    learnt: useless
      ? `Nothing that a guess would not tell was learnt from ${who}: ${what}.`
      : `From ${who} the server learnt: ${what}.`,
    distance:
      dimension === 1
        ? `In the clear it is ${rounded(true_, 2)} ${unit}. Over ${counted(repetitions, 'run')} the error is ${error} (root mean square).${beyondStated(metrics.error, stated, repetitions)}`
        : `Over ${counted(repetitions, 'run')} the distance to the profile in the clear is ${error} (root mean square).`,
    cost: `${error}, with ${counted(players, 'player')} and their ${counted(records, sample)}. Others at the same ε: ${others.join('; ')}.`,
    promise: `${promiseInWords(guarantee)} All ${sample}s of a player are protected together.`,
    ...doubtsOf(
      runs.filter((run) => run.epsilon === epsilon),
      (run) => run.variant === variant,
      (run) => ({
        ...{ name: `${run.variant} at ε = ${epsilon}, first run`, who: 'players', players },
        // Of one coordinate, which has no norm.
        figure: (value) => `${errorText(value, document)} ${unit.split(', ℓ₂')[0]}`,
      }),
    ),
  };
}

// The headline run, and the baselines at the same ε.
function tilesOf(document: UserRunDocument): readonly Tile[] {
  const { variant, epsilon, metrics, baselines, unit, dimension, players, seconds, estimate, truth } = document;
  const others = Object.entries(baselines).map(([name, { error }]) => `${name} ${errorText(error, document)}`);
  const mean = {
    name: 'private mean, first run',
    figure: rounded(estimate.mean[0], 2),
    notes: [`± ${estimate.standardError[0].toFixed(2)} stated`, `truth ${rounded(truth.mean[0], 2)}`],
  };
  return [
    {
      name: `error, ${variant} at ε = ${epsilon}`,
      figure: errorText(metrics.error, document),
      notes: [unit, ...others],
    },
    ...(dimension === 1 ? [mean] : []),
    playersTile(players, seconds, 3),
  ];
}

function resultRows(document: UserRunDocument): readonly (readonly string[])[] {
  const text = (value: number | null): string => (value === null ? '–' : errorText(value, document));
  return [
    ['ε', 'variant', 'error', 'bias', 'deviation', 'stated error', 'seconds', 'reports/s'],
    ...guessesOf(document).map(([name, { error, description }]) => [
      ...['', `${name}: ${description}`, text(error)],
      ...['', '', '', '', ''],
    ]),
    ...document.runs.map(({ variant, epsilon, metrics, seconds, reportsPerSecond }) => [
      ...[String(epsilon), variant],
      ...[metrics.error, metrics.bias, metrics.deviation, metrics.claimedError].map(text),
      ...[seconds.toFixed(3), wholeNumber(reportsPerSecond)],
    ]),
  ];
}

function styleOf({ runs }: UserRunDocument, variant: string): number {
  return [...new Set(runs.map((run) => run.variant))].indexOf(variant) % STYLES;
}

function runsOf({ runs }: UserRunDocument, variant: string): readonly UserRunRecord[] {
  return runs.filter((run) => run.variant === variant);
}

/** Root mean squared error against ε, for every variant; levels show the answers that need no players. */
function errorChart(document: UserRunDocument): Picture {
  const { runs, unit, dimension } = document;
  const kinds = ['dashed', 'solid'] as const;
  return lineChart({
    label: 'Error against ε',
    wide: true,
    yLabel: dimension === 1 ? `error, ${unit} (logarithmic)` : 'error, ℓ₂ (logarithmic)',
    logarithmic: true,
    series: Array.from(new Set(runs.map(({ variant }) => variant)), (variant) => ({
      name: variant,
      style: styleOf(document, variant),
      points: runsOf(document, variant).map(({ epsilon, metrics: { error } }) => ({
        x: epsilon,
        mean: error,
        tip: `${variant}, ε = ${epsilon}: ${errorText(error, document)}`,
      })),
    })),
    levels: guessesOf(document)
      .slice(0, kinds.length)
      .map(([name, { error, description }], index) => ({
        name: `${name}: ${description}`,
        kind: kinds[index],
        value: error,
        tip: `${name}: ${errorText(error, document)}`,
      })),
  });
}

const named = (name: string) => ({ name, tip: name });

/** The estimates of the variant of the headline run with their deviation, beside the truth. */
function estimateChart(document: UserRunDocument): Picture {
  const { variant, truth, sample, unit } = document;
  const [recordMean] = truth.recordMean;
  const [mean] = truth.mean;
  const points = runsOf(document, variant).map(({ epsilon, metrics: { bias, deviation } }) => ({
    x: epsilon,
    mean: mean + bias,
    deviation,
    tip: `${variant}, ε = ${epsilon}: ${rounded(mean + bias, 2)} ± ${deviation?.toFixed(2) ?? '–'}`,
  }));
  const name = `${variant}: mean of the runs, bars one standard deviation`;
  return lineChart({
    label: 'Estimates against ε',
    wide: true,
    yLabel: `mean, ${unit}`,
    limits: [-Infinity, Infinity],
    series: [{ name, style: styleOf(document, variant), points }],
    levels: [
      { kind: 'solid', value: mean, ...named(`mean over players: ${rounded(mean, 2)}`) },
      { kind: 'dashed', value: recordMean, ...named(`mean over ${sample}s, not asked for: ${rounded(recordMean, 2)}`) },
    ],
  });
}

/** The estimate of the headline run (first repetition) above the truth, for each coordinate. */
function profile(document: UserRunDocument): Picture {
  const { variant, epsilon, estimate, truth, names, question, unit } = document;
  const places = truth.mean.map((value, index) => {
    const [found, error] = [estimate.mean[index], estimate.standardError[index]];
    const name = question === 'hours' ? `${index}–${index + 1} h` : names[index];
    const tip = `${name}: ${rounded(value, 4)}; ${variant} ${rounded(found, 4)} ± ${rounded(error, 4)}`;
    return { name: names[index], value, estimate: found, error, tip };
  });
  const name = `${variant} at ε = ${epsilon}, first run, with its stated standard errors; bars are the truth`;
  const words =
    question === 'hours'
      ? { label: 'Share of departures by hour', xLabel: 'hour of the departure', yLabel: 'share of departures' }
      : { label: 'Mean of each coordinate', xLabel: 'coordinate', yLabel: unit };
  return profileChart({ ...words, name, places, style: styleOf(document, variant) });
}

import { checkNonNegative, RefusedValue } from '../../check/refusal.ts';
import type { PlainRequest, PublicParameters } from '../../core/contract.ts';
import { type Certificate, isCertified } from '../../privacy/certificate.ts';
import { describeGuarantee, type Guarantee } from '../../privacy/guarantee.ts';
import type { Random } from '../../random/random.ts';
import { seededRandom } from '../../random/seeded.ts';
import { measuredMean, plusMinus, rateFit, ratePoints } from '../../testing/claim.ts';
import { requestInWords } from '../certificate/page.ts';
import { playCases, type Workforce } from '../jobs/jobs.ts';
import { compact, counted, rounded, wholeNumber } from '../print.ts';
import { createProgress } from '../progress.ts';
import { checkShape } from '../refused.ts';
import { lineChart } from '../report/charts.ts';
import type { Picture } from '../report/markup.ts';
import type { RunHead, RunResult } from '../report/result.ts';
import { promiseInWords } from '../report/verdict.ts';
import type { AnyProtocol, RunShown } from '../study.ts';
import { estimateOf } from './plain-players.ts';

/** A protocol of which only the contract is known: its parameters come from an unchanged request. */
export interface PlainStudy {
  readonly kind: 'plain';
  readonly protocol: AnyProtocol;
  /** What is asked for where no `--request` is typed. */
  readonly request?: PlainRequest;
  /** Made-up players for `ldpkit run`. */
  readonly trial?: PlainTrial;
}

/** Made-up players of a protocol, and what is true of them. */
export interface PlainTrial {
  /** The players in words, for the result. */
  readonly about: string;
  /** What the numbers below are, in their order. */
  names(parameters: never): readonly string[];
  /** The datum of one player, drawn from its own coins. */
  datum(parameters: never, random: Random): unknown;
  /** The numbers that are true of all players' data. */
  truth(parameters: never, data: readonly unknown[]): readonly number[];
  /** The same numbers in an estimate of the protocol. */
  found(parameters: never, estimate: never): readonly number[];
}

/** Shares of the players that a run is also played with, to show how the error falls. */
const SHARES = [16, 4, 1];

/** `ldpkit run` of a protocol that makes up its own players: the same ones again and again with other coins, and also a part of them. */
export async function runPlain(
  { protocol, trial }: PlainStudy,
  request: PlainRequest,
  { players, repetitions, seed }: Readonly<Record<'players' | 'repetitions', number> & { seed: string }>,
  workforce: Workforce,
): Promise<RunShown | undefined> {
  const parameters = protocol.make(request);
  const { about, ...asked } = trial!;
  const names = asked.names(parameters as never);
  checkShape('trial.names', names, 'a list of one or more texts');
  const random = seededRandom(`${seed} players`);
  const data = Array.from({ length: players }, (_, index) => {
    random.seek(index);
    return asked.datum(parameters as never, random);
  });
  const begun = performance.now();
  const some = (turn: number) => data.slice(0, Math.floor(players / SHARES[turn]));
  const truths = SHARES.map((_, turn) => numbersOf('truth', names, asked.truth(parameters as never, some(turn))));
  const cases = { cases: SHARES.length, repetitions, task: `playing ${protocol.name}`, progress: createProgress() };
  const found = await playCases(workforce, cases, (turn, repetition) => {
    const estimate = estimateOf(protocol, parameters, some(turn), `${seed} ${SHARES[turn]} ${repetition}`);
    return numbersOf('found', names, asked.found(parameters as never, estimate as never));
  });
  if (found === undefined) return undefined;
  const expected = (some: number) => {
    const forecast = protocol.theory.forecast?.(parameters, { players: some });
    if (forecast !== undefined) checkNonNegative('forecast.error', forecast.error);
    return forecast;
  };
  const rows = SHARES.map((_, turn): PlainRunRow => {
    const truth = truths[turn];
    const estimates = found[turn].map(({ result }) => result);
    const squared = measuredMean(
      estimates.map((estimate) => estimate.reduce((sum, value, j) => sum + (value - truth[j]) ** 2, 0) / names.length),
    );
    return {
      players: some(turn).length,
      truth,
      estimate: estimates[0],
      bias: truth.map((value, j) => measuredMean(estimates.map((estimate) => estimate[j])).mean - value),
      squared,
      error: Math.sqrt(squared.mean),
      forecast: expected(some(turn).length)?.error ?? null,
    };
  });
  const measurable = rows.every(({ squared }) => squared.mean > 0 && squared.error > 0);
  const points = ratePoints(
    rows.map((row) => row.players),
    rows.map(({ squared }) => squared),
  );
  const fit = measurable ? rateFit(points) : undefined;
  const document: PlainRunDocument = {
    protocol: protocol.name,
    ...{ title: 'made-up players', request, about, names, answers: answersOf(protocol, parameters) },
    guarantee: protocol.theory.guarantee(parameters),
    certificate: protocol.theory.certificate(parameters),
    what: expected(players)?.what ?? null,
    rows,
    slope: fit === undefined ? null : { slope: fit.slope, error: fit.error },
    ...{ repetitions, seed },
    seconds: (performance.now() - begun) / 1000,
  };
  return { document, result: async () => plainResult(document) };
}

/** The most reports that one player sends: several where the same players answer in every round. */
function answersOf(protocol: AnyProtocol, parameters: PublicParameters): number {
  const { rounds } = protocol as { readonly rounds?: { answers(plan: PublicParameters): number } };
  return rounds?.answers(parameters) ?? 1;
}

/** Numbers of a module, of which one thing is checked: that each has a name. */
function numbersOf(what: string, names: readonly string[], numbers: readonly number[] | undefined) {
  if (numbers?.length === names.length && Array.from(numbers).every(Number.isFinite)) return numbers;
  throw new RefusedValue(`trial.${what}`, `${names.length} finite numbers, one for each name`, numbers);
}

/** What a run with so many of the players came to, over all repetitions. */
interface PlainRunRow {
  readonly players: number;
  readonly truth: readonly number[];
  /** In the first repetition. */
  readonly estimate: readonly number[];
  /** Mean estimates less the truth. */
  readonly bias: readonly number[];
  /** The mean square error of a number, on average over the numbers, and its standard error. */
  readonly squared: { readonly mean: number; readonly error: number };
  /** Its root. */
  readonly error: number;
  /** What the protocol forecasts for so many players; null where it has no forecast. */
  readonly forecast: number | null;
}

export interface PlainRunDocument extends RunHead {
  readonly request: PlainRequest;
  readonly about: string;
  readonly names: readonly string[];
  /** The most reports that one player sends. */
  readonly answers: number;
  readonly guarantee: Guarantee;
  readonly certificate: Certificate;
  /** What the forecast is of; null without one. */
  readonly what: string | null;
  /** Ascending in the number of players; the last row is all of them. */
  readonly rows: readonly PlainRunRow[];
  /** The power of the number of players with which the mean square error falls; null where an error is 0. */
  readonly slope: { readonly slope: number; readonly error: number } | null;
  readonly repetitions: number;
  readonly seconds: number;
}

const MOST = 4;

function plainResult(document: PlainRunDocument): RunResult {
  const { protocol, about, request, names, answers, rows, repetitions, guarantee, certificate, slope, what } = document;
  const { players, estimate, truth, error, forecast } = rows[rows.length - 1];
  const budget = typeof request.epsilon === 'number' ? request.epsilon : 0;
  const shown = (values: readonly number[]): string => {
    const some = names.slice(0, MOST).map((name, j) => `${name} ${rounded(values[j], 4)}`);
    return `${some.join(', ')}${names.length > MOST ? ` and ${names.length - MOST} more` : ''}`;
  };
  const expected = (value: number | null): string => (value === null ? '' : compact(value));
  const sent = answers === 1 ? 'one report' : `at most ${answers} reports`;
  const falls =
    slope === null
      ? 'Too few repetitions, or no error at all: how it falls cannot be said.'
      : `The mean square error falls like a power of the number of players, ${plusMinus(slope.slope, slope.error)}; −1 is the rate of a mean.`;
  return {
    verdict: {
      learnt: `From ${sent} of each of ${counted(players, 'made-up player')} ${protocol} estimates ${shown(estimate)} (first run).`,
      distance: `The truth is ${shown(truth)}.`,
      cost:
        `An error of ${compact(error)}, the root mean square of ${counted(repetitions, 'run')}` +
        `${forecast === null ? '' : `; the forecast was ${compact(forecast)}`}.`,
      promise:
        isCertified(certificate) === false
          ? `Nothing: ${describeGuarantee(guarantee)} is claimed, and none of the totals of the certificate implies it.`
          : promiseInWords(guarantee),
      certainty: [falls],
    },
    tiles: [
      { name: 'error', figure: compact(error), notes: [`root mean square of ${repetitions} runs`] },
      { name: 'players', figure: wholeNumber(players), notes: ['made up by the study of the module'] },
      { name: 'one player is promised', figure: describeGuarantee(guarantee), notes: [] },
    ],
    about: [
      `${counted(players, 'made-up player')}: ${about}. Each sends ${answers === 1 ? 'one randomized report' : `at most ${answers} randomized reports`}.`,
      `Asked for: ${requestInWords(request)}.`,
    ],
    parts: [
      {
        heading: 'How the error falls',
        pictures: slope === null ? [] : [errorChart(document)],
        rows: [
          ['players', 'error', 'forecast'],
          ...rows.map((row) => [wholeNumber(row.players), compact(row.error), expected(row.forecast)]),
        ],
        right: 0,
        notes: [`Root mean square error of ${repetitions} runs${what === null ? '' : `; forecast: ${what}`}. ${falls}`],
      },
      {
        heading: 'What was estimated',
        rows: [
          ['', 'truth', 'first estimate'],
          ...names.map((name, j) => [name, rounded(truth[j], 4), rounded(estimate[j], 4)]),
        ],
        right: 1,
      },
    ],
    promised: { symbol: 'ε', budget, certificates: [{ budget, certificate, guarantee }] },
  };
}

function errorChart({ rows }: PlainRunDocument): Picture {
  const curve = (name: string, style: number, of: (row: (typeof rows)[number]) => number) => ({
    name,
    style,
    points: rows.map((row) => ({
      x: row.players,
      mean: of(row),
      tip: `${counted(row.players, 'player')}: ${name} ${compact(of(row))}`,
    })),
  });
  const measured = curve('measured', 0, ({ error }) => error);
  const known = rows.every(({ forecast }) => forecast !== null);
  return lineChart({
    label: 'Error against the number of players',
    xLabel: 'players (logarithmic)',
    yLabel: 'error (logarithmic)',
    logarithmic: true,
    series: known ? [measured, curve('forecast', 1, ({ forecast }) => forecast!)] : [measured],
  });
}

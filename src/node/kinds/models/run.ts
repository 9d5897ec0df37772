import { checkInteger, RefusedValue } from '../../../check/refusal.ts';
import { normalCriticalValue } from '../../../inference/critical-value.ts';
import {
  clearestCoefficient,
  MODEL_LEVEL,
  type Uncertainty,
  uncertaintyOf,
} from '../../../inference/model-interval.ts';
import {
  type ModelFit,
  type ModelForecast,
  type ModelRecords,
  type ModelStudy,
  type ModelStudyRequest,
  modelRequest,
} from '../../../simulation/model-study.ts';
import { chooseOwn, LEAST_FLIGHTS, totals } from '../../airport-days.ts';
import { closestToOne, knownVariants, type PlayedRun, type RunOptions } from '../../commands/options.ts';
import { flightDelaySchema, flightPlayersSchema, flightsSchema, locateFlights } from '../../flights.ts';
import { playCases, type Workforce } from '../../jobs/jobs.ts';
import { counted, signed } from '../../print.ts';
import { createProgress, reading } from '../../progress.ts';
import {
  type DatasetSource,
  fileTitle,
  type LoadProgress,
  loadDataset,
  loadPlayers,
  loadStream,
  playerSource,
  sourceOf,
} from '../../records.ts';
import type { Schema } from '../../schema.ts';
import type { RefutedDocument } from '../../study.ts';
import type { ModelErrors, ModelEstimate, ModelRunDocument, ModelRunRecord } from './result.ts';

/** The options of such a run; it has one of the two budgets. */
interface ModelRunOptions extends RunOptions {
  readonly epsilon: readonly number[];
  readonly mu: readonly number[];
  readonly player: string | undefined;
  readonly samples: number | undefined;
  readonly radius: number | undefined;
  readonly waves: number | undefined;
  readonly repetitions: number;
}

/** Default number of flights that a curator holds: every step reads all of them. */
const CURATED = 100_000;

/** `ldpkit run` of a protocol that fits a model: on the flights, or on the records of a file. */
export async function runModel(study: ModelStudy, options: ModelRunOptions, workforce: Workforce): PlayedRun {
  const { play, budget: kind } = study;
  const refuted = study.refuted !== undefined;
  const { repetitions, seed } = options;
  const variants = knownVariants(options.variant ?? study.variants.slice(0, refuted ? 2 : 1), study.variants);
  if (study.waves && variants.length > 1) {
    throw new RefusedValue('variant', 'one loss for each run', variants.join(','));
  }
  const budgets = kind === 'mu' ? options.mu : options.epsilon;
  const own =
    play.records === 'players' ? await playerSource(options, 'players') : await sourceOf(options, FORMS[play.records]);
  const source = own ?? flights(play.records);
  const { schema } = source;
  const requestOf = (variant: string, value: number, players: number): ModelStudyRequest => {
    const { delta, grade, radius, waves } = options;
    const typed = { [kind]: value, delta, grade, radius, waves };
    const least = options.samples ?? (own === undefined ? LEAST_FLIGHTS : 1);
    const samples = play.records === 'players' ? least : 1;
    return modelRequest(study, variant, typed, { players, samples, dimension: schema.dimension });
  };
  const { samples } = requestOf(variants[0], budgets[0], 1);
  const progress = createProgress();
  const { held, records } = await reading(progress, (onProgress) =>
    recordsOf(study, source, options, { samples, own: own !== undefined }, onProgress),
  );
  const pairs = budgets.flatMap((budget) => variants.map((variant) => ({ variant, budget })));
  const { rival } = play;
  const rivals = rival === undefined ? [] : budgets.map((budget) => ({ variant: rival.name, budget }));
  const fits = [...pairs, ...rivals];
  // A rival answers the question of the first variant.
  const asked = fits.map(({ variant, budget }, index) =>
    requestOf(index < pairs.length ? variant : variants[0], budget, held.players),
  );
  // Everything that can be refused is refused before anything is fitted.
  const requests = asked.slice(0, pairs.length).map((one) => study.request(one));
  const made = refuted ? [] : requests.map((request) => study.protocol.make!(request));
  const scale = schema.label.kind === 'number' ? schema.label.unit : 1;
  const inUnit = ({ theta, intervals }: ModelFit): ModelEstimate => ({
    theta: Array.from(theta, (entry) => scale * entry),
    intervals: intervals?.map(([low, high]) => [scale * low, scale * high] as const) ?? null,
  });
  progress.begin('the fit to all records in the clear');
  const optimum = play.optimum(held, asked[0]);
  const fit = inUnit({ theta: optimum });
  const least = play.risk(held, optimum, asked[0]);
  const errorsOf = (found: ModelFit): ModelErrors => {
    const { theta, intervals } = inUnit(found);
    const risk = play.risk(held, found.theta, asked[0]);
    const inside = intervals?.filter(([low, high], i) => low <= fit.theta[i] && fit.theta[i] <= high).length;
    const lengths = intervals?.reduce((sum, [low, high]) => sum + (high - low) / 2, 0);
    const several = theta.length;
    return {
      distance: Math.hypot(...theta.map((entry, i) => entry - fit.theta[i])),
      risk,
      excessRisk: risk - least,
      coverage: inside === undefined ? null : inside / several,
      halfWidth: lengths === undefined ? null : lengths / several,
    };
  };
  const names = [...(play.intercept ? ['intercept'] : []), ...schema.names];
  const cases = { cases: fits.length, repetitions, task: `fitting ${study.protocol.name}`, progress };
  const found = await playCases(workforce, cases, (index, repetition): ModelFit => {
    const { variant, budget } = fits[index];
    const coins = `${seed} ${variant} ${budget} ${repetition}`;
    return (index < pairs.length ? play : rival!).fit(asked[index], held, coins);
  });
  if (found === undefined) return undefined;
  const runs = found.flatMap((several, index) =>
    several.map(({ result, seconds }, repetition): ModelRunRecord => {
      const { variant, budget } = fits[index];
      const forecast = () =>
        study.rivals?.(asked[index]).find(({ name }) => name === variant) ?? study.forecast(asked[index]);
      const estimate = inUnit(result);
      return {
        ...{ variant, budget, repetition: repetition + 1, estimate },
        uncertainty: result.uncertainty ?? uncertainOf(estimate, held.players, names, forecast),
        metrics: errorsOf(result),
        finished: result.finished ?? null,
        seconds,
      };
    }),
  );
  const zero = errorsOf({ theta: new Float64Array(optimum.length) });
  const constant = play.constantRisk(held, asked[0]);
  const closest = closestToOne(budgets);
  const headline = runs.find((run) => run.variant === variants[0] && run.budget === closest)!;
  const place = pairs.findIndex((pair) => pair.variant === variants[0] && pair.budget === closest);
  const { theory, name: protocol } = study.protocol;
  const { variant, budget, estimate, uncertainty, metrics, finished, seconds } = headline;
  const refutedAs = (one: string): RefutedDocument => {
    const typed = { epsilon: closest, delta: options.delta };
    const claim = study.refuted!(modelRequest(study, one, typed, study.defaults.certify));
    return { protocol, variant: one, holds: false, ...claim };
  };
  const document: ModelRunDocument = {
    ...{ protocol, variant, symbol: kind === 'mu' ? 'μ' : 'ε', budget },
    ...(refuted ? { delta: options.delta } : {}),
    setting: study.setting,
    ...{ players: held.players, records, samples, dimension: schema.dimension, features: names },
    unit: schema.label.kind !== 'number' ? 'coefficients' : own === undefined ? 'minutes' : schema.label.column,
    scale,
    guarantee: refuted ? null : (theory!.certificate(made[place]).claimed ?? null),
    ...(refuted ? { refuted: variants.map(refutedAs) } : {}),
    ...{ estimate, uncertainty, metrics, finished },
    baselines: {
      nonPrivate: { theta: fit.theta, risk: least },
      constant: { risk: constant, excessRisk: constant - least },
      zero: { distance: zero.distance, risk: zero.risk, excessRisk: zero.excessRisk },
    },
    ...{ seconds, repetitions, seed, title: fileTitle(source), summary: study.summary },
    notes: [...agreedText(schema), ...play.notes(asked[place])],
    runs,
    certificates: made.map((parameters, index) => ({
      budget: pairs[index].budget,
      certificate: theory!.certificate(parameters),
    })),
  };
  return { document, result: async () => (await import('./result.ts')).modelResult(document) };
}

/** What is left open: by the intervals, but for an intercept, which ignores the features, or twice the error that the forecast expects. */
function uncertainOf(
  { theta, intervals }: ModelEstimate,
  players: number,
  names: readonly string[],
  forecast: () => ModelForecast,
): Uncertainty {
  if (intervals === null) {
    const { error } = forecast();
    const size = Math.hypot(...theta);
    const what = 'the length of the model is';
    const effect = [size - 2 * error, size + 2 * error] as const;
    // Noise lengthens a model: the square of its length by the square of the error.
    const middle = Math.sqrt(Math.max(0, size * size - error * error));
    const uncertain = uncertaintyOf(players, { risk: null, effect, what, level: null, middle });
    return { ...uncertain, effect: [Math.max(0, effect[0]), effect[1]] };
  }
  const coefficients = intervals.flatMap(([low, high], j) =>
    j === 0 && names[j] === 'intercept' && names.length > 1
      ? []
      : [{ name: names[j], value: theta[j], half: (high - low) / 2 }],
  );
  return clearestCoefficient(players, coefficients, { level: MODEL_LEVEL, critical: normalCriticalValue });
}

const FORMS = { regression: 'regression', sides: 'records' } as const;

function flights(records: ModelStudy['play']['records']): DatasetSource {
  const data = locateFlights();
  if (records === 'players') return { data, schema: flightPlayersSchema() };
  return { data, schema: records === 'sides' ? flightsSchema() : flightDelaySchema() };
}

/** The records that take part, and the number of records of all players. */
async function recordsOf(
  { setting, play }: ModelStudy,
  source: DatasetSource,
  { players: asked }: ModelRunOptions,
  { samples, own }: { readonly samples: number; readonly own: boolean },
  onProgress: LoadProgress,
): Promise<{ readonly held: ModelRecords; readonly records: number }> {
  const { dimension } = source.schema;
  if (play.records === 'players') {
    const rows = await loadPlayers(source, onProgress);
    const chosen = chooseOwn(rows, { players: asked, least: samples });
    const { players, from, until } = chosen;
    const { features, responses } = rows;
    return { held: { players, dimension, features, responses, from, until }, records: totals(chosen)[1] };
  }
  const labelled = play.records === 'sides' ? await loadDataset(source, onProgress) : undefined;
  const all =
    labelled === undefined ? await loadStream(source, onProgress) : { ...labelled, responses: labelled.labels };
  const most = own || setting === 'rounds' ? all.players : Math.min(CURATED, all.players);
  const players = asked === undefined ? most : checkInteger('players', asked, 1, all.players);
  // A regression has an intercept besides the columns of the schema.
  const coefficients = play.records === 'sides' ? dimension : dimension + 1;
  if (players <= coefficients) {
    throw new RefusedValue('players', `more records than the ${counted(coefficients, 'coefficient')}`, players);
  }
  return { held: evenly(all, players, dimension), records: players };
}

type Held = Pick<ModelRecords, 'players' | 'features' | 'responses'>;

function evenly({ players: all, features, responses }: Held, players: number, dimension: number): ModelRecords {
  const single = { players, dimension, from: (index: number) => index, until: (index: number) => index + 1 };
  if (players === all) return { ...single, features, responses };
  const rowOf = (index: number): number => Math.floor((index * all) / players);
  const chosen = new Float32Array(players * dimension);
  for (let i = 0; i < players; i++) {
    chosen.set(features.subarray(rowOf(i) * dimension, (rowOf(i) + 1) * dimension), i * dimension);
  }
  const own = Float64Array.from({ length: players }, (_, i) => responses[rowOf(i)]);
  return { ...single, features: chosen, responses: own };
}

function agreedText({ label, dimension }: Schema): readonly string[] {
  const features = `the ${counted(dimension, 'feature')} and their bounds`;
  if (label.kind === 'number') {
    const [low, high] = [label.minimum, label.maximum].map(signed);
    return [`Agreed beforehand: ${features}; ${label.column} is cut off at ${low} and ${high}.`];
  }
  return [`Agreed beforehand: ${features}, and which of two sides a record is on.`];
}

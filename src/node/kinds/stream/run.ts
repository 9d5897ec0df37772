import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StreamStudy } from '../../../../protocols/online-sgd/stream-study.ts';
import { checkInteger, RefusedValue, ReportError } from '../../../check/refusal.ts';
import { MOST_FEATURES } from '../../../risk/regression/model.ts';
import { folderOf } from '../../commands/show.ts';
import { fileRefusal, readBytes, writeWhole } from '../../files.ts';
import { flightDelaySchema, locateFlights } from '../../flights.ts';
import { jsonText, printJson, signed, tell } from '../../print.ts';
import { createProgress, reading } from '../../progress.ts';
import { type DatasetSource, fileTitle, firstPlayers, loadStream, sourceOf } from '../../records.ts';
import { classNames, type Schema, type SchemaForm } from '../../schema.ts';
import type { RunShown } from '../../study.ts';
import { checkLength, fitRun, measureRun, playRun, type StreamRunPlan } from './play.ts';
import { requestOf, type StreamCheckpoint, type StreamRunOptions } from './request.ts';

/** Largest saved state in bytes: a state with ten thousand coordinates and all their products has half as many. */
const LARGEST_STATE = 2 ** 30;

/** γ for the flights: they come hour after hour, so a larger step follows the hour of the day and not the year. */
const FLIGHTS_RATE = 0.1;

/**
 * `ldpkit run` of a sequential protocol: one player after the other, with intervals along the stream. The players are
 * the flights in the order of their departure, or the records of a file.
 * @throws TypeError or RangeError naming the option, the file, the column or the row; ReportError for a state of
 * another plan.
 */
export async function runStream(study: StreamStudy, options: StreamRunOptions): Promise<RunShown | undefined> {
  const { json, ndjson, save, players: asked } = options;
  if (json === true && ndjson === true) {
    throw new RefusedValue('"ndjson" expected not to be given with --json: both print to the standard output');
  }
  const { plan, source } = await streamRunPlan(study, options);
  if (save !== undefined) await checkSave(save);
  // Everything that can be refused is refused before millions of records are read.
  const made = study.plan(plan.request);
  if (asked !== undefined) checkLength(made, plan.method, asked);
  const resume = options.resume === undefined ? undefined : await readState(study, made, options.resume);
  const progress = createProgress();
  const all = await reading(progress, (onProgress) => loadStream(source, onProgress));
  const records = asked === undefined ? all : firstPlayers(all, checkInteger('players', asked, 1, all.players));
  checkLength(made, plan.method, records.players);
  const bare = folderOf(options) === undefined && ndjson === true;
  if (!bare) progress.begin('the fit to all records in the clear');
  const fits = bare ? undefined : fitRun(study, plan, records);
  progress.begin(`playing ${study.protocol.name}`, records.players);
  const onCheckpoint = (one: StreamCheckpoint): void => {
    progress.advance(one.players);
    if (ndjson === true) printJson(jsonText(one, 0));
  };
  const played = playRun(study, plan, records, { resume, onCheckpoint });
  if (save !== undefined) await writeWhole('save', save, study.protocol.server.save(played.plan, played.state));
  if (played.refused !== undefined) {
    progress.end();
    if (save !== undefined) tell([`wrote ${save}`]);
    // Without a given floor, intervals would depend on a floor that nobody chose.
    if (plan.method !== 'plug-in' || plan.hessianFloor !== undefined) throw new RefusedValue(played.refused);
    throw new RefusedValue(
      '"hessian-floor" expected a number > 0, or more players: eigenvalues of the Hessian are below 0.01',
    );
  }
  if (fits === undefined) return undefined;
  const document = measureRun(study, plan, records, { ...played, ...fits }, progress);
  return {
    document,
    result: async () => (await import('./result.ts')).streamResult(document),
    written: save === undefined ? [] : [save],
  };
}

/**
 * The plan of `ldpkit run` for a stream, and the records that it uses.
 * @throws TypeError or RangeError naming the option, or a key of the schema.
 */
export async function streamRunPlan(
  study: StreamStudy,
  options: StreamRunOptions,
): Promise<{ readonly plan: StreamRunPlan; readonly source: DatasetSource }> {
  const { model, level, method, hessianFloor, seed } = options;
  const form: SchemaForm = model === 'logistic' ? 'sides' : model === 'multinomial' ? 'classes' : 'regression';
  const own = await sourceOf(options, form);
  const source = own ?? { data: locateFlights(), schema: flightDelaySchema(form) };
  const { schema } = source;
  if (schema.dimension > MOST_FEATURES) {
    throw new RefusedValue('features', `at most ${MOST_FEATURES} columns`, schema.dimension);
  }
  const rate = own === undefined ? FLIGHTS_RATE : undefined;
  const request = requestOf(study, options, {
    features: schema.dimension,
    classes: classNames(schema.label).length,
    rate,
  });
  const plan: StreamRunPlan = {
    ...{ request, level, method, hessianFloor, seed },
    title: fileTitle(source),
    unit: schema.label.kind !== 'number' ? 'log odds' : own === undefined ? 'minutes' : schema.label.column,
    agreed: own === undefined ? flightsAgreed(schema) : `Agreed beforehand: the schema; ${labelText(schema)}.`,
    schema,
  };
  return { plan, source };
}

function labelText({ label }: Schema): string {
  if (label.kind === 'number')
    return `${label.column} is cut off at ${signed(label.minimum)} and ${signed(label.maximum)}`;
  const [first, ...others] = classNames(label);
  if (first !== undefined)
    return `classes are ${[first, ...others].join(', ')}, and the first is what the others are compared with`;
  if (label.kind === 'classes') return `1 is ${label.positive} and 0 is ${label.negative}`;
  return label.kind === 'above' ? `1 is a ${label.column} above ${signed(label.above)}` : 'nothing is predicted';
}

function flightsAgreed(schema: Schema): string {
  const said =
    schema.label.kind === 'number'
      ? `delays are cut off at ${signed(schema.label.minimum)} and ${schema.label.maximum} minutes`
      : labelText(schema);
  return (
    `Agreed beforehand: ${said}; the hubs; the hour as a point on a circle; ` +
    'the intercept is a flight of 750 miles, half from and half to a hub, at no hour in particular.'
  );
}

/** The saved state in a file, which must be a state of this plan. */
async function readState(study: StreamStudy, plan: ReturnType<StreamStudy['plan']>, path: string): Promise<Uint8Array> {
  const bytes = await readBytes('resume', path, LARGEST_STATE);
  try {
    study.protocol.server.restore(plan, bytes);
  } catch (error) {
    if (!(error instanceof ReportError)) throw error;
    throw fileRefusal('resume', `a state that this plan saved, with digest ${plan.digest}`, path);
  }
  return bytes;
}

async function checkSave(path: string): Promise<void> {
  const folder = await stat(dirname(path)).catch(() => undefined);
  const there = await stat(path).catch(() => undefined);
  if (path === '' || folder?.isDirectory() !== true || there?.isDirectory() === true) {
    throw fileRefusal('save', 'a file in a folder that is there', path);
  }
}

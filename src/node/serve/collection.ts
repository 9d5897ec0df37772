import { RefusedKind, RefusedValue } from '../../check/refusal.ts';
import { type CertificateDocument, certify } from '../../core/certify.ts';
import type { PlainRequest, PublicParameters } from '../../core/contract.ts';
import type { AnyOneShot } from '../../core/open.ts';
import { checkKnown, checkQuery, type KnownFields } from '../../core/request.ts';
import { fileRefusal, parseJson, readJsonDocument } from '../files.ts';
import { checkShape } from '../refused.ts';
import { loadData } from '../study.ts';
import { createThreads } from '../threads.ts';
import { type Fold, restoreFold, type Served } from './fold.ts';
import type { Engine } from './intake.ts';
import { type Entry, optionalModule } from './log.ts';

/** A plan that can be collected: everything in it is public. */
export interface Collected {
  /** The protocol as typed: a name of this package, or a module file. */
  readonly word: string;
  readonly parameters: PublicParameters;
  readonly certificate: CertificateDocument;
  /** The state before the first report, or that in saved bytes. */
  readonly fold: (saved?: Uint8Array) => Fold;
  /** The names of the fields of its requests and queries, where the protocol lists them. */
  readonly fields: KnownFields | undefined;
  /** Refuses a query that no reports can answer, where the study of the protocol tells. */
  readonly checkQuery: (query: unknown) => void;
}

export interface OpenPlan extends Collected {
  readonly intake: Engine;
  /** Estimates are given from so many counted reports on. */
  readonly minimumPlayers: number;
  /** What estimates are asked; the protocol's defaults where it is absent. */
  readonly query: unknown;
}

/** The parameters of a request, and the states of its reports; refused for a protocol that is not there or collects nothing. */
async function folding(word: string, request: PlainRequest) {
  const study = await loadData(word);
  checkShape('study', study, { 'checkQuery?': 'a function' });
  const protocol = study.protocol as unknown as Served;
  if (protocol.make === undefined || !('report' in protocol)) {
    throw new RefusedValue('protocol', 'one whose players send reports', protocol.name);
  }
  const { fields } = protocol;
  if (fields !== undefined) checkKnown('request', request, fields.request);
  const parameters = protocol.make(request);
  return {
    ...{ protocol, fields, parameters },
    fold: (saved?: Uint8Array) => restoreFold(protocol, parameters, saved),
    checkQuery: (query: unknown) => study.checkQuery?.(parameters as never, (query ?? {}) as never),
  };
}

/** The plan in a file that `ldpkit certify --json` wrote, whose digest is computed again; refused for another file. */
export async function readPlan(path: string, module?: string): Promise<Collected> {
  const document = await readJsonDocument('plan', path);
  const { protocol, request, digest } = (document ?? {}) as { readonly [field: string]: unknown };
  if (typeof protocol !== 'string' || typeof request !== 'object' || request === null) {
    throw fileRefusal('plan', 'one certificate, as ldpkit certify prints it with --variant and --json', path);
  }
  const word = module ?? protocol;
  const { protocol: served, ...opened } = await folding(word, request as PlainRequest);
  const { parameters } = opened;
  if (parameters.protocol !== protocol) throw new RefusedKind('protocol', protocol, parameters.protocol);
  if (parameters.digest !== digest) throw fileRefusal('plan', `the digest ${parameters.digest}`, path);
  const certificate = certify(served as never, parameters as never, request as PlainRequest);
  return { word, certificate, ...opened };
}

/** What estimates of a plan are asked, from the text of an option; undefined where it was not typed. */
export function readQuery(text: string | undefined, plan: Pick<Collected, 'fields'>): unknown {
  if (text === undefined) return undefined;
  const parsed = parseJson(text);
  if ('fault' in parsed) throw new RefusedValue('query', parsed.fault, text);
  checkQuery(plan, parsed.value);
  return parsed.value;
}

export interface EstimateTask {
  readonly word: string;
  readonly request: PlainRequest;
  /** The state, as `save` of a fold gave it. */
  readonly saved: Uint8Array;
  /** The query; the protocol's defaults where it is absent. */
  readonly query: unknown;
}

/** Estimates in a thread of their own: they may take seconds, in which reports must be taken. */
export interface Estimating {
  /** The estimate as JSON text; numbers of arrays are written out. It refuses what the protocol refuses. */
  estimate(plan: Pick<Collected, 'word' | 'certificate'>, saved: Uint8Array, query: unknown): Promise<string>;
  close(): Promise<void>;
}

/** One thread, begun at the first estimate. */
export function createEstimating(): Estimating {
  const { does, close } = createThreads(1, 0);
  return {
    estimate: ({ word, certificate: { request } }, saved, query) =>
      does('estimate', { word, request, saved, query } satisfies EstimateTask),
    close,
  };
}

/** Rows of a row group: a few MiB of reports. */
const GROUP = 16_384;

/** The columns: the partition, the number in its log, whether a round ends here, and the report as it arrived (empty at an end). */
const SCHEMA = [
  { name: 'root', num_children: 4 },
  { name: 'partition', type: 'INT32', repetition_type: 'REQUIRED' },
  { name: 'sequence', type: 'INT64', repetition_type: 'REQUIRED' },
  { name: 'round_ends', type: 'BOOLEAN', repetition_type: 'REQUIRED' },
  { name: 'report', type: 'BYTE_ARRAY', repetition_type: 'REQUIRED' },
] as const;

/** Writes the entries of a log into a Parquet file, one row each; the number of reports. */
export async function writeReports(path: string, entries: Iterable<Entry> | AsyncIterable<Entry>): Promise<number> {
  const { ParquetWriter, fileWriter } = await optionalModule<typeof import('hyparquet-writer')>('hyparquet-writer');
  const writer = fileWriter(path);
  const file = new ParquetWriter({ writer, schema: SCHEMA.map((element) => ({ ...element })), codec: 'UNCOMPRESSED' });
  let reports = 0;
  let rows: Entry[] = [];
  const flush = (): void => {
    if (rows.length === 0) return;
    file.write({
      columnData: [
        { name: 'partition', data: rows.map(({ partition = 0 }) => partition) },
        { name: 'sequence', data: rows.map(({ sequence }) => BigInt(sequence)) },
        { name: 'round_ends', data: rows.map(({ kind }) => kind === 'close') },
        { name: 'report', data: rows.map((row) => (row.kind === 'report' ? row.bytes : new Uint8Array(0))) },
      ],
      rowGroupSize: GROUP,
    });
    rows = [];
  };
  for await (const entry of entries) {
    rows.push(entry);
    if (entry.kind === 'report') reports++;
    if (rows.length === GROUP) flush();
  }
  flush();
  file.finish();
  return reports;
}

/** The entries in such a file, one row group after the other; refused where its numbers are not in order. */
export async function* readReports(path: string): AsyncIterable<Entry> {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } = await import('hyparquet');
  const damaged = (): never => {
    throw fileRefusal('file', 'a file that ldpkit export wrote', path);
  };
  const file = await asyncBufferFromFile(path).catch(damaged);
  const metadata = await parquetMetadataAsync(file).catch(damaged);
  let [last, now] = [0, 0];
  let from = 0;
  for (const { num_rows: rows } of metadata.row_groups) {
    const rowEnd = from + Number(rows);
    const found = await parquetReadObjects({ file, metadata, rowStart: from, rowEnd, utf8: false }).catch(damaged);
    from = rowEnd;
    // Files that were written before there were partitions have one.
    for (const { partition = 0, sequence, round_ends: ends, report } of found) {
      const number = Number(sequence);
      if (!(partition > now || (partition === now && number > last))) damaged();
      if (typeof ends !== 'boolean' || !(report instanceof Uint8Array)) damaged();
      [now, last] = [partition, number];
      const place = { partition, sequence: number };
      yield ends ? { ...place, kind: 'close' } : { ...place, kind: 'report', bytes: report };
    }
  }
}

/** The estimate; with `uncertainty` beside its fields where the protocol has a study that tells it from a tally. */
async function estimateOf({ word, request, saved, query }: EstimateTask): Promise<unknown> {
  const { protocol, parameters } = await folding(word, request);
  const uncertaintyOf = (await (await import('../studies.ts')).openStudy(word)).uncertainty?.(parameters, query);
  let telling = protocol;
  if (uncertaintyOf !== undefined && 'estimate' in protocol.server) {
    const { server } = protocol as AnyOneShot;
    const estimate: typeof server.estimate = (plan, tally, asked) => {
      const found = server.estimate(plan, tally, asked) as object;
      return { ...found, uncertainty: uncertaintyOf(tally, found as never) };
    };
    telling = { ...protocol, server: { ...server, estimate } } as AnyOneShot;
  }
  return restoreFold(telling, parameters, new Uint8Array(saved)).estimate(query);
}

/** The estimate of a task as JSON text, with the numbers of its arrays. */
export async function estimateText(task: EstimateTask): Promise<string> {
  return JSON.stringify(await estimateOf(task), (_, part: unknown) =>
    ArrayBuffer.isView(part) ? Array.from(part as Float64Array) : typeof part === 'bigint' ? String(part) : part,
  );
}

import type { Json } from 'ldpkit';
import type { ExperimentClaim } from 'ldpkit/testing';
import type { Figure } from './figure.ts';
import type { OwnRecords, OwnTable } from './own-records.ts';

/** The papers whose theorems are validated, by the keys of `npm run validate -- --only`; `npm run theory` maps every one of them. */
export const PAPERS = ['noninteractive', 'slides', 'online-inference', 'online-rates', 'influence'] as const;

/** One of {@link PAPERS}. */
export type Paper = (typeof PAPERS)[number];

/** What the papers are called. */
export const PAPER_TITLES: Readonly<Record<Paper, string>> = {
  noninteractive: 'Wang, Smith, Xu 2020: noninteractive local privacy by polynomial approximation',
  slides: 'Avella-Medina 2023 (slides): M-estimation, noisy optimization and user-level local privacy',
  'online-inference':
    'Xie, Shi, Jiang, Kong, He 2025: online differentially private inference in stochastic gradient descent',
  'online-rates': 'Shi, Xie, Jiang, Kong, He 2025: non-asymptotic analysis of online local private learning with SGD',
  influence: 'Kang, Li, Liu, Wang: data heterogeneity differential privacy (PIDP-SGD)',
};

/**
 * A theorem measured against what it claims: an experiment whose claims are those of the theorem, with at least one figure that
 * draws what was measured beside what is claimed. The quick scale takes seconds and runs with the tests.
 */
export interface TheoremValidation<Setting extends Json = Json, Chunk extends Json = Json>
  extends PaperExperiment<Setting, Chunk> {
  readonly paper: Paper;
  /** The items that it measures, by their names in `npm run theory`, for example `Theorem 11`. At least one. */
  readonly theorems: readonly string[];
}

/** How much is computed: `quick` for a look, `full` for what a paper did or more. */
export const SCALES = ['quick', 'full'] as const;

/** One of {@link SCALES}. */
export type Scale = (typeof SCALES)[number];

/** One setting of an experiment. It is computed in chunks, each by itself, in any order and on any machine. */
export interface ExperimentCell<Setting extends Json = Json> {
  /** Lower-case letters, digits and hyphens, different for every cell of an experiment. */
  readonly key: string;
  /** What it is, in words. */
  readonly label: string;
  /** Everything that the numbers depend on besides the seed, as plain data. */
  readonly setting: Setting;
  /** In how many chunks. Chunk k is the same whatever their number, so that a larger scale goes on from a smaller one. */
  readonly chunks: number;
}

/** What came of all chunks of a cell. */
export interface CellResult<Setting extends Json = Json, Chunk extends Json = Json> {
  readonly cell: ExperimentCell<Setting>;
  readonly chunks: readonly Chunk[];
}

/** What an experiment shows. */
export interface ExperimentReport {
  readonly claims: readonly ExperimentClaim[];
  readonly tables: readonly Reproduction[];
  readonly figures: readonly Figure[];
  /** The numbers behind them: objects and arrays of what JSON has. */
  readonly data: object;
}

/** A table or figure of a paper that takes long enough to be computed in chunks: simulations with many replications. */
export interface PaperExperiment<Setting extends Json = Json, Chunk extends Json = Json> {
  /** The name of the command: letters, digits and hyphens. */
  readonly name: string;
  readonly title: string;
  /** The paper, and where in it. */
  readonly source: string;
  /** What is simulated, and what of it the paper leaves open and was chosen here: a few sentences. */
  readonly summary: string;
  /** Raised by whoever changes a number of a chunk, so that chunks computed before are not taken for new ones. */
  readonly version: number;
  /** What a scale computes. */
  cells(scale: Scale): readonly ExperimentCell<Setting>[];
  /**
   * A setting like this one that is over in milliseconds. What comes of it is the mark of the code that computes chunks: where it
   * changes by a single bit, kept chunks are not taken for those of this code.
   */
  smallRun(setting: Setting): Setting;
  /** One chunk of a cell: a function of the setting, the chunk and the seed alone, made of finite numbers. */
  chunk(setting: Setting, chunk: number, seed: string): Chunk;
  /** What the results show, in the order of the cells. */
  report(results: readonly CellResult<Setting, Chunk>[]): ExperimentReport;
  /** The same on a file of the user's, where the paper's data are public but not ours to ship. */
  readonly ownData?: OwnData;
}

/** The numbers of the replications of a chunk, where each has `size`. */
export function replicationsOf(chunk: number, size: number): readonly number[] {
  return Array.from({ length: size }, (_, i) => chunk * size + i);
}

/** What an experiment does with a file of the user's instead of data that are made. */
export interface OwnData {
  readonly tables: readonly OwnTable[];
  /**
   * Everything computed at once: tables of results. Only these, and no record, leave it.
   *
   * @throws RangeError for too few records.
   */
  compute(records: OwnRecords, seed: string): readonly Reproduction[];
}

/** A table of a paper, computed again: what a protocol contributes to it. */
export interface Reproduction {
  /** What the table shows. */
  readonly title: string;
  /** Heads of the columns. */
  readonly columns: readonly string[];
  /** One row a line, as many texts as there are columns. */
  readonly rows: readonly (readonly string[])[];
  /** What has to be known to read it: which figures are measured, which extrapolated. */
  readonly notes: readonly string[];
}

/** Settings that differ in one number: what a rate is measured along. */
export interface Sweep<Setting extends Json> {
  /** Lower-case letters, digits and hyphens, different for every sweep of an experiment and no beginning of another's. */
  readonly key: string;
  /** What differs, for example `players n`. */
  readonly variable: string;
  /** Its values. */
  readonly xs: readonly number[];
  /** The setting of a value, with the replications of one chunk at this scale. */
  setting(x: number, place: number, scale: Scale): Setting;
}

/** The cells of sweeps, one for each value. */
export function sweepCells<Setting extends Json>(
  sweeps: readonly Sweep<Setting>[],
  scale: Scale,
  chunks: number,
): readonly ExperimentCell<Setting>[] {
  return sweeps.flatMap(({ key, variable, xs, setting }) =>
    xs.map((x, place) => ({
      key: `${key}-${place}`,
      label: `${key}, ${variable} = ${x}`,
      setting: setting(x, place, scale),
      chunks,
    })),
  );
}

/** The cells of rows with a key and a label, in so many chunks at each scale. */
export function rowCells<Row extends Pick<ExperimentCell, 'key' | 'label'>, Setting extends Json>(
  rows: readonly Row[],
  setting: (row: Row) => Setting,
  chunks: Readonly<Record<Scale, number>>,
): (scale: Scale) => readonly ExperimentCell<Setting>[] {
  return (scale) =>
    rows.map((row) => ({ key: row.key, label: row.label, setting: setting(row), chunks: chunks[scale] }));
}

/**
 * The results of one sweep, in the order of its values.
 *
 * @throws RangeError where one is missing.
 */
export function sweepResults<Setting extends Json, Chunk extends Json>(
  { key, xs }: Sweep<Setting>,
  results: readonly CellResult<Setting, Chunk>[],
): readonly CellResult<Setting, Chunk>[] {
  return xs.map((_, place) => {
    const found = results.find(({ cell }) => cell.key === `${key}-${place}`);
    if (found === undefined) throw new RangeError(`"results" expected the cell ${key}-${place}`);
    return found;
  });
}

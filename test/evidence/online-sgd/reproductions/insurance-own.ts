import { type PlainRequest, RefusedValue, seededRandom } from 'ldpkit';
import { averageIterate } from 'ldpkit/inference';
import { permutation, uniform } from 'ldpkit/mechanism';
import { onlineSgd, type StreamPopulation, streamReplication } from 'ldpkit/protocols/online-sgd';
import { measuredMean, plusMinus } from 'ldpkit/testing';
import type { OwnData, Reproduction } from '../../experiment/experiment.ts';
import type { OwnColumn, OwnRecords, OwnTable } from '../../experiment/own-records.ts';
import { columnMeans } from '../../experiment/statistics.ts';
import { BUDGETS } from './decay-panels.ts';
import { solveLeastSquares } from './insurance-fit.ts';
import { chargeScale } from './insurance-table.ts';
import type { StreamRecord } from './population.ts';
import { planOf } from './trajectory.ts';

const { round, sqrt } = Math;

const YES = [['no'], ['yes']];

const SEX = [['female'], ['male']];

// Programs that read "None" as a missing value write it back as nothing.
const HISTORY = [['none', ''], ['high blood pressure'], ['diabetes'], ['heart disease']];

const shared = (sex: string, bmi: readonly [number, number]): readonly OwnColumn[] => [
  { name: 'age', low: 18, high: 65 },
  { name: sex, categories: SEX },
  { name: 'bmi', low: bmi[0], high: bmi[1] },
  { name: 'children', low: 0, high: 5 },
  { name: 'smoker', categories: YES },
];

/** The two public tables of this name. The response stands last. */
const TABLES: readonly OwnTable[] = [
  {
    name: 'the insurance table of the papers',
    columns: [
      ...shared('gender', [18, 50]),
      { name: 'medical_history', categories: HISTORY },
      { name: 'family_medical_history', categories: HISTORY },
      { name: 'exercise_frequency', categories: [['never'], ['occasionally'], ['rarely'], ['frequently']] },
      { name: 'occupation', categories: [['student'], ['unemployed'], ['blue collar'], ['white collar']] },
      { name: 'coverage_level', categories: [['basic'], ['standard'], ['premium']] },
      { name: 'charges', low: 3000, high: 33_000 },
    ],
  },
  {
    name: 'medical cost personal',
    columns: [
      ...shared('sex', [15, 55]),
      { name: 'region', categories: [['northeast'], ['northwest'], ['southeast'], ['southwest']] },
      { name: 'charges', low: 1000, high: 65_000 },
    ],
  },
];

/** A feature: a column, or one category of it, and the public constants that standardise it. */
interface Feature {
  readonly name: string;
  readonly column: number;
  /** The category that it indicates; undefined for the number itself. */
  readonly category?: number;
  readonly mean: number;
  readonly deviation: number;
}

/** Regions have no order: an indicator each but for the first. Everything else is a number. */
function featuresOf({ columns }: OwnTable): readonly Feature[] {
  return columns.slice(0, -1).flatMap((column, at): readonly Feature[] => {
    const { name } = column;
    if ('categories' in column) {
      const k = column.categories.length;
      if (name === 'region') {
        return column.categories.slice(1).map(([word], i) => ({
          name: word,
          column: at,
          category: i + 1,
          mean: 1 / k,
          deviation: sqrt(1 / k - 1 / k ** 2),
        }));
      }
      return [{ name, column: at, mean: (k - 1) / 2, deviation: sqrt((k * k - 1) / 12) }];
    }
    const width = column.high - column.low;
    const whole = name === 'bmi' ? width ** 2 : (width + 1) ** 2 - 1;
    return [{ name, column: at, mean: (column.low + column.high) / 2, deviation: sqrt(whole / 12) }];
  });
}

/** The public scale of charges: that of the made table, or the middle and a quarter of the range. */
function responseScale({ name, columns }: OwnTable): { readonly centre: number; readonly unit: number } {
  if (name === TABLES[0].name) return chargeScale();
  const response = columns[columns.length - 1];
  if (!('low' in response)) throw new TypeError('"columns" expected a response that is a number');
  return { centre: (response.low + response.high) / 2, unit: (response.high - response.low) / 4 };
}

/** As printed for the insurance data. The orders are ours. */
const RATE = 0.5;

const DECAY = 0.501;

const SHARE = 0.8;

const ORDERS = 5;

/** Fewer records leave no fit to compare with. */
const LEAST = 100;

/** Rows in a random order, `width` entries each with the intercept, and their responses. */
interface Design {
  readonly width: number;
  readonly train: number;
  readonly rows: Float64Array;
  readonly responses: Float64Array;
}

function designOf(table: OwnTable, { rows, columns }: OwnRecords, seed: string): Design {
  const features = featuresOf(table);
  const { centre, unit } = responseScale(table);
  const width = features.length + 1;
  const order = permutation(rows, seededRandom(`${seed}/insurance/split`));
  const design = {
    width,
    train: round(SHARE * rows),
    rows: new Float64Array(rows * width),
    responses: new Float64Array(rows),
  };
  const charges = columns[columns.length - 1];
  for (let i = 0, k = 0; i < rows; i++) {
    const row = order[i];
    design.rows[k++] = 1;
    for (const { column, category, mean, deviation } of features) {
      const value = columns[column][row];
      design.rows[k++] = ((category === undefined ? value : Number(value === category)) - mean) / deviation;
    }
    design.responses[i] = (charges[row] - centre) / unit;
  }
  return design;
}

/** Mean squared error on the rows that test, over the variance of their responses. */
function testShare({ width, train, rows, responses }: Design, theta: ArrayLike<number>): number {
  let [errors, sum, squares] = [0, 0, 0];
  for (let r = train; r < responses.length; r++) {
    let residual = responses[r];
    sum += residual;
    squares += residual * residual;
    for (let i = 0; i < width; i++) residual -= theta[i] * rows[r * width + i];
    errors += residual * residual;
  }
  const count = responses.length - train;
  return errors / count / (squares / count - (sum / count) ** 2);
}

/** One stream: test errors, and the average. */
interface OwnRun {
  readonly last: number;
  readonly average: number;
  readonly theta: readonly number[];
}

/** Streams of one budget, each in an order of its own: test errors, and averages. */
function streamsOf(design: Design, budget: PlainRequest, seed: string): readonly OwnRun[] {
  const { width, train, rows, responses } = design;
  return Array.from({ length: ORDERS }, (_, replication) => {
    const random = seededRandom(`${seed}/insurance/own/${replication}`);
    const start = new Float64Array(width);
    for (let j = 0; j < start.length; j++) start[j] = uniform(random);
    const order = permutation(train, random);
    let next = 0;
    const plan = planOf({
      ...budget,
      model: { kind: 'huber', features: width - 1 },
      rate: RATE,
      decay: DECAY,
      start: [...start],
      inference: [],
    });
    const population: StreamPopulation<StreamRecord> = {
      create: () => ({ features: new Float64Array(width - 1), response: 0 }),
      draw(record) {
        const row = order[next++];
        record.features.set(rows.subarray(row * width + 1, (row + 1) * width));
        record.response = responses[row];
      },
    };
    const state = streamReplication(onlineSgd, {
      plan,
      population,
      players: train,
      seed: `${seed}/insurance/own/coins/${replication}`,
    });
    const theta = averageIterate(state.scaling);
    return { last: testShare(design, state.iterate), average: testShare(design, theta), theta: [...theta] };
  });
}

function compute(records: OwnRecords, seed: string): readonly Reproduction[] {
  const { rows } = records;
  if (rows < LEAST) throw new RefusedValue(`"data" expected at least ${LEAST} records, got ${rows}`);
  const table = TABLES.find(({ name }) => name === records.table);
  if (table === undefined) throw new RangeError('"table" expected one that is known');
  const design = designOf(table, records, seed);
  const { width, train, responses } = design;
  const squares = solveLeastSquares(responses.subarray(0, train), (r) =>
    design.rows.subarray(r * width, (r + 1) * width),
  );
  const streams = BUDGETS.map(({ label, budget }) => ({ label, runs: streamsOf(design, budget, seed) }));
  const shown = (entries: readonly number[]): string => {
    const { mean, error } = measuredMean(entries);
    return plusMinus(mean, error, 4);
  };
  const means = streams.map(({ runs }) => columnMeans(runs.map(({ theta }) => theta)));
  return [
    {
      title: `Test MSE as a share of the variance of the charges: ${table.name}, ${rows} records, ${design.train} of them play`,
      columns: ['', 'LDP-SGD', 'LDP-ASGD'],
      rows: [
        ['OLS', '', testShare(design, squares).toFixed(4)],
        ...streams.map(({ label, runs }) => [
          label,
          shown(runs.map(({ last }) => last)),
          shown(runs.map(({ average }) => average)),
        ]),
      ],
      notes: [
        `Huber loss with c = 1.345, Mallows weights, η = ${RATE}, α = ${DECAY}, a start from Unif(0, 1); means ± standard errors of ${ORDERS} orders.`,
        'Columns and charges are standardised by public constants; the inference paper prints 0.0607 for OLS and 0.0722 for μ = 1.',
        'OLS and all errors are computed in the clear: this is a study of a file, not a private release.',
      ],
    },
    {
      title: 'Coefficients of standardised columns, averages of LDP-ASGD',
      columns: ['', 'OLS', ...streams.map(({ label }) => label)],
      rows: ['intercept', ...featuresOf(table).map(({ name }) => name)].map((name, j) => [
        name,
        squares[j].toFixed(4),
        ...means.map((mean) => plusMinus(mean[j].mean, mean[j].error, 4)),
      ]),
      notes: [],
    },
  ];
}

/**
 * The insurance example on a file: that of the papers, or the smaller table “medical cost personal”. Both are public and not ours to
 * ship.
 *
 * @theorem online-inference Table 3
 */
export const insuranceOwnData: OwnData = { tables: TABLES, compute };

import { seededRandom } from 'ldpkit';
import { normal, uniform, uniformInteger } from 'ldpkit/mechanism';

const { abs, sqrt } = Math;

/** Mean and standard deviation of a column, by its published range or categories: what it is standardised with. */
interface Standard {
  readonly mean: number;
  readonly deviation: number;
}

/** One column: its published values, and its coefficients in Table 3, which are those of standardised columns. */
export interface InsuranceColumn {
  readonly name: string;
  /** The OLS coefficient that the paper prints, which charges are made with here, and the printed LDP-SGD one. */
  readonly coefficient: number;
  readonly printedPrivate: number;
  /** Whole numbers from `low` to `high`, all equally likely; for bmi any number between them. Categories are numbered from 0. */
  readonly low: number;
  readonly high: number;
  readonly standard: Standard;
  /** Whether the paper says that it is standardised: only numerical columns, against its own Table 3. */
  readonly numerical: boolean;
}

function wholeStandard(low: number, high: number): Standard {
  return { mean: (low + high) / 2, deviation: sqrt(((high - low + 1) ** 2 - 1) / 12) };
}

function columnOf(
  name: string,
  [coefficient, printedPrivate]: readonly [number, number],
  [low, high]: readonly [number, number],
  numerical: boolean,
): InsuranceColumn {
  // The one column that is not a whole number.
  const standard = name === 'bmi' ? { mean: 34, deviation: 32 / sqrt(12) } : wholeStandard(low, high);
  return { name, coefficient, printedPrivate, low, high, standard, numerical };
}

/**
 * The columns of the insurance table, the response aside.
 *
 * Source: inference paper, Tables 2 and 3; the order of categories is that of Section 6.2.
 * @theorem online-inference Table 2
 */
export const INSURANCE_COLUMNS: readonly InsuranceColumn[] = [
  columnOf('age', [0.0627, 0.0679], [18, 65], true),
  columnOf('gender', [0.1131, 0.1298], [0, 1], false),
  columnOf('bmi', [0.1044, 0.0664], [18, 50], true),
  columnOf('children', [0.0774, 0.0828], [0, 5], true),
  columnOf('smoker', [0.5659, 0.5483], [0, 1], false),
  columnOf('medical history', [0.4052, 0.4009], [0, 3], false),
  columnOf('family history', [0.4051, 0.4264], [0, 3], false),
  columnOf('exercise', [0.1389, 0.1409], [0, 3], false),
  columnOf('occupation', [0.1516, 0.1767], [0, 3], false),
  columnOf('coverage level', [0.4625, 0.4634], [0, 2], false),
];

/** The printed test MSE of OLS, the variance of the noise here. */
export const INSURANCE_NOISE = 0.0607;

/** The published range of charges, in dollars. */
const CHARGES = [3445.01, 32561.56] as const;

/** Noise goes no further than this many standard deviations, so that charges stay in their range. */
const RANGE = 4;

const WIDTH = INSURANCE_COLUMNS.length;

/** A synthetic table. */
export interface InsuranceTable {
  readonly rows: number;
  /** Values as published, `rows` × 10, row-major. */
  readonly values: Float32Array;
  /** In dollars. */
  readonly charges: Float64Array;
}

/** The standardised charge of a dollar, and back: an affine map, which regression does not mind. */
export interface ChargeScale {
  /** Dollars at the standardised charge 0, and of one unit. */
  readonly centre: number;
  readonly unit: number;
}

/** The scale on which the largest and the least possible charge are the ends of the published range. */
export function chargeScale(): ChargeScale {
  const range = RANGE * sqrt(INSURANCE_NOISE);
  const spread = range + INSURANCE_COLUMNS.reduce((sum, column) => sum + column.coefficient * halfRange(column), 0);
  return { centre: (CHARGES[0] + CHARGES[1]) / 2, unit: (CHARGES[1] - CHARGES[0]) / 2 / spread };
}

function halfRange({ low, high, standard }: InsuranceColumn): number {
  return (high - low) / 2 / standard.deviation;
}

/**
 * A synthetic insurance table: columns independent and uniform over their published ranges and categories, charges linear in
 * the standardised columns with the printed OLS coefficients, plus normal noise of the printed test MSE: mean 0 and variance
 * {@link insuranceVariance}, .999, as a standardised charge has it. None of it is anybody's data.
 */
export function insuranceTable(rows: number, seed: string): InsuranceTable {
  const random = seededRandom(`${seed}/insurance/table`);
  const values = new Float32Array(rows * WIDTH);
  const charges = new Float64Array(rows);
  const { centre, unit } = chargeScale();
  const deviation = sqrt(INSURANCE_NOISE);
  for (let row = 0; row < rows; row++) {
    let charge = 0;
    for (let j = 0; j < WIDTH; j++) {
      const column = INSURANCE_COLUMNS[j];
      const { name, low, high, coefficient, standard } = column;
      const value =
        name === 'bmi' ? low + (high - low) * uniform(random) : low + uniformInteger(high - low + 1, random);
      values[row * WIDTH + j] = value;
      charge += (coefficient * (values[row * WIDTH + j] - standard.mean)) / standard.deviation;
    }
    let noise = normal(random);
    while (abs(noise) > RANGE) noise = normal(random);
    charges[row] = centre + unit * (charge + deviation * noise);
  }
  return { rows, values, charges };
}

/**
 * How columns become features. `standardised`: all columns, categories too, by public constants; what the printed coefficients
 * are those of. `codes`: what the paper says it did: numerical columns are standardised, categories stay their numbers from 0.
 */
export type InsuranceEncoding = 'standardised' | 'codes';

/** Offsets and scales by encoding: feature = (value − offset)·scale. */
const OFFSETS: Readonly<Record<InsuranceEncoding, Float64Array>> = {
  standardised: Float64Array.from(INSURANCE_COLUMNS, ({ standard }) => standard.mean),
  codes: Float64Array.from(INSURANCE_COLUMNS, ({ standard, numerical }) => (numerical ? standard.mean : 0)),
};
const SCALES: Readonly<Record<InsuranceEncoding, Float64Array>> = {
  standardised: Float64Array.from(INSURANCE_COLUMNS, ({ standard }) => 1 / standard.deviation),
  codes: Float64Array.from(INSURANCE_COLUMNS, ({ standard, numerical }) => (numerical ? 1 / standard.deviation : 1)),
};

/**
 * The variance that a charge would have if the printed OLS coefficients were those of independent columns of an encoding and the
 * printed test error their noise: .999 for `standardised` and .771 for `codes`. The charge is standardised: its variance is 1.
 *
 * @theorem online-inference Table 3
 */
export function insuranceVariance(encoding: InsuranceEncoding): number {
  return INSURANCE_COLUMNS.reduce(
    (sum, { coefficient, standard }, j) => sum + (coefficient * standard.deviation * SCALES[encoding][j]) ** 2,
    INSURANCE_NOISE,
  );
}

/** The encoded columns of a row. */
export function fillInsuranceFeatures(
  { values }: InsuranceTable,
  row: number,
  encoding: InsuranceEncoding,
  target: Float64Array,
): void {
  const offsets = OFFSETS[encoding];
  const scales = SCALES[encoding];
  for (let j = 0, k = row * WIDTH; j < WIDTH; j++, k++) target[j] = (values[k] - offsets[j]) * scales[j];
}

/** Coefficients [intercept, …] of features of one encoding as those of standardised ones: the same linear function. */
export function toStandardisedCoefficients(theta: ArrayLike<number>, encoding: InsuranceEncoding): Float64Array {
  const result = Float64Array.from(theta);
  for (let j = 0; j < WIDTH; j++) {
    const slope = theta[j + 1] * SCALES[encoding][j];
    result[j + 1] = slope / SCALES.standardised[j];
    result[0] += slope * (OFFSETS.standardised[j] - OFFSETS[encoding][j]);
  }
  return result;
}

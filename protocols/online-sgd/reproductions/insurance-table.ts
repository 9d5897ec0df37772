import { normal } from '../../../src/random/normal.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { uniform, uniformInteger } from '../../../src/random/uniform.ts';

const { abs, sqrt } = Math;

/** Mean and standard deviation of a numerical column, by its published range: what it is standardised with. */
interface Standard {
  readonly mean: number;
  readonly deviation: number;
}

/** One column: its published values, and its OLS coefficient in Table 3. */
export interface InsuranceColumn {
  readonly name: string;
  /** The OLS coefficient that the paper prints, which charges are made with here, and the printed LDP-SGD one. */
  readonly coefficient: number;
  readonly printedPrivate: number;
  /** Whole numbers from `low` to `high`, all equally likely; for bmi any number between them. */
  readonly low: number;
  readonly high: number;
  /** Set for numerical columns; categories are encoded by their number, 0 first. */
  readonly standard?: Standard;
}

function wholeStandard(low: number, high: number): Standard {
  return { mean: (low + high) / 2, deviation: sqrt(((high - low + 1) ** 2 - 1) / 12) };
}

/**
 * The columns of the insurance table, the response aside.
 *
 * Source: inference paper, Tables 2 and 3; the order of categories is that of Section 6.2.
 * @theorem online-inference Table 2
 */
export const INSURANCE_COLUMNS: readonly InsuranceColumn[] = [
  { name: 'age', coefficient: 0.0627, printedPrivate: 0.0679, low: 18, high: 65, standard: wholeStandard(18, 65) },
  { name: 'gender', coefficient: 0.1131, printedPrivate: 0.1298, low: 0, high: 1 },
  {
    name: 'bmi',
    coefficient: 0.1044,
    printedPrivate: 0.0664,
    low: 18,
    high: 50,
    standard: { mean: 34, deviation: 32 / sqrt(12) },
  },
  { name: 'children', coefficient: 0.0774, printedPrivate: 0.0828, low: 0, high: 5, standard: wholeStandard(0, 5) },
  { name: 'smoker', coefficient: 0.5659, printedPrivate: 0.5483, low: 0, high: 1 },
  { name: 'medical history', coefficient: 0.4052, printedPrivate: 0.4009, low: 0, high: 3 },
  { name: 'family history', coefficient: 0.4051, printedPrivate: 0.4264, low: 0, high: 3 },
  { name: 'exercise', coefficient: 0.1389, printedPrivate: 0.1409, low: 0, high: 3 },
  { name: 'occupation', coefficient: 0.1516, printedPrivate: 0.1767, low: 0, high: 3 },
  { name: 'coverage level', coefficient: 0.4625, printedPrivate: 0.4634, low: 0, high: 2 },
];

/** The printed test MSE of OLS, the variance of the noise here. */
export const INSURANCE_NOISE = 0.0607;

/** The published range of charges, in dollars. */
const CHARGES = [3445.01, 32561.56] as const;

/** Noise goes no further than this many standard deviations, so that charges stay in their range. */
const REACH = 4;

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
  const reach = REACH * sqrt(INSURANCE_NOISE);
  const spread = reach + INSURANCE_COLUMNS.reduce((sum, column) => sum + column.coefficient * halfRange(column), 0);
  return { centre: (CHARGES[0] + CHARGES[1]) / 2, unit: (CHARGES[1] - CHARGES[0]) / 2 / spread };
}

function halfRange({ low, high, standard }: InsuranceColumn): number {
  return (high - low) / 2 / (standard?.deviation ?? 1);
}

/**
 * A synthetic insurance table: columns independent and uniform over their published ranges and categories, charges linear in
 * the encoded columns with the printed OLS coefficients, plus normal noise of the printed test MSE. The intercept, which is not
 * printed, makes the standardised charge 0 in the mean. None of it is anybody's data.
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
      const { low, high, coefficient, standard } = column;
      // The one column that is not a whole number.
      const value = j === 2 ? low + (high - low) * uniform(random) : low + uniformInteger(high - low + 1, random);
      values[row * WIDTH + j] = value;
      charge += (coefficient * (values[row * WIDTH + j] - (low + high) / 2)) / (standard?.deviation ?? 1);
    }
    let noise = normal(random);
    while (abs(noise) > REACH) noise = normal(random);
    charges[row] = centre + unit * (charge + deviation * noise);
  }
  return { rows, values, charges };
}

/**
 * How columns become features. `printed`: numerical columns are standardised, categories stay their numbers from 0. `centred`: all
 * columns are standardised, by public constants as well; the same model, better conditioned.
 */
export type InsuranceEncoding = 'printed' | 'centred';

/** Offsets and scales by encoding: feature = (value − offset)·scale. */
const OFFSETS: Readonly<Record<InsuranceEncoding, Float64Array>> = {
  printed: Float64Array.from(INSURANCE_COLUMNS, ({ standard }) => standard?.mean ?? 0),
  centred: Float64Array.from(INSURANCE_COLUMNS, ({ low, high }) => (low + high) / 2),
};
const SCALES: Readonly<Record<InsuranceEncoding, Float64Array>> = {
  printed: Float64Array.from(INSURANCE_COLUMNS, ({ standard }) => 1 / (standard?.deviation ?? 1)),
  centred: Float64Array.from(
    INSURANCE_COLUMNS,
    ({ low, high, standard }) => 1 / (standard ?? wholeStandard(low, high)).deviation,
  ),
};

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

/** Coefficients [intercept, …] of features of one encoding as those of the printed one: the same linear function. */
export function toPrintedCoefficients(theta: ArrayLike<number>, encoding: InsuranceEncoding): Float64Array {
  const result = Float64Array.from(theta);
  for (let j = 0; j < WIDTH; j++) {
    const slope = theta[j + 1] * SCALES[encoding][j];
    result[j + 1] = slope / SCALES.printed[j];
    result[0] += slope * (OFFSETS.printed[j] - OFFSETS[encoding][j]);
  }
  return result;
}

/** The true intercept of the standardised charge on the printed features. */
export function insuranceIntercept(): number {
  return -INSURANCE_COLUMNS.reduce(
    (sum, { coefficient, low, high, standard }) =>
      sum + (standard === undefined ? (coefficient * (low + high)) / 2 : 0),
    0,
  );
}

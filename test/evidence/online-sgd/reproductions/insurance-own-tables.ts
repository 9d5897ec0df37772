import type { OwnColumn, OwnTable } from 'ldpkit/testing';
import { chargeScale } from './insurance-table.ts';

const { sqrt } = Math;

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
export const TABLES: readonly OwnTable[] = [
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
export interface Feature {
  readonly name: string;
  readonly column: number;
  /** The category that it indicates; undefined for the number itself. */
  readonly category?: number;
  readonly mean: number;
  readonly deviation: number;
}

/** Regions have no order: an indicator each but for the first. Everything else is a number. */
export function featuresOf({ columns }: OwnTable): readonly Feature[] {
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
export function responseScale({ name, columns }: OwnTable): { readonly centre: number; readonly unit: number } {
  if (name === TABLES[0].name) return chargeScale();
  const response = columns[columns.length - 1];
  if (!('low' in response)) throw new TypeError('"columns" expected a response that is a number');
  return { centre: (response.low + response.high) / 2, unit: (response.high - response.low) / 4 };
}

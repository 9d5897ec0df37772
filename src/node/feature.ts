/** A number taken out of a date: the hour 0–23, the weekday 0 (Sunday)–6, the month 1–12, the day of the year 1–366. */
export type Part = 'hour' | 'weekday' | 'month' | 'dayOfYear';

/** One value of a categorical column. */
export type Category = string | number;

/** The same number for every record; with it a linear model has an intercept. */
export interface ConstantFeature {
  readonly kind: 'constant';
  readonly constant: number;
}

/** A bounded number, mapped linearly (after the transform) from [minimum, maximum] to `range`. */
export interface NumberFeature {
  readonly kind: 'number';
  readonly name: string | undefined;
  readonly column: string;
  readonly part: Part | undefined;
  readonly transform: 'identity' | 'log1p';
  readonly minimum: number;
  readonly maximum: number;
  readonly range: readonly [low: number, high: number];
  /** Whether a number out of bounds is moved to the nearest bound; if not, it is an error. */
  readonly clip: boolean;
}

/** The high end of `range` if the value is listed, else the low end. */
export interface IndicatorFeature {
  readonly kind: 'indicator';
  readonly name: string | undefined;
  readonly column: string;
  readonly part: Part | undefined;
  readonly listed: readonly Category[];
  /** All values that may occur, if the schema says so; any other is an error. */
  readonly categories: readonly Category[] | undefined;
  readonly range: readonly [low: number, high: number];
}

/** Two features: the sine and the cosine of 2π·value/period. */
export interface CycleFeature {
  readonly kind: 'cycle';
  readonly name: string | undefined;
  readonly column: string;
  readonly part: Part | undefined;
  readonly period: number;
}

/** One entry of the list of features; a cycle gives two coordinates, every other kind gives one. */
export type Feature = ConstantFeature | NumberFeature | IndicatorFeature | CycleFeature;

/** What is predicted: one of two named values, or whether a number lies strictly above a threshold. */
export type Label =
  | { readonly kind: 'classes'; readonly column: string; readonly positive: Category; readonly negative: Category }
  | { readonly kind: 'above'; readonly column: string; readonly above: number };

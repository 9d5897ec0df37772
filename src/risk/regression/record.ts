import { clipNumber, fieldOf } from '../../check/datum.ts';
import { RefusedKind, RefusedValue } from '../../check/refusal.ts';
import type { OnlineModel } from './model.ts';

/** One player's private record. */
export interface OnlineDatum {
  /** As many finite numbers as the model has features, without the intercept. */
  readonly features: ArrayLike<number>;
  /** The response that the model explains: see `ResponseKind`. */
  readonly response: number;
}

/** Refuses data that do not have the shape of a record. No message contains a value, here and below. */
export function checkShape(model: OnlineModel, datum: OnlineDatum): void {
  if (datum === null || typeof datum !== 'object') throw new RefusedKind('"datum" expected { features, response }');
  const { features, response } = datum;
  // Messages are made elsewhere: a compiler that sees two messages with a number makes its text once, before it knows
  // whether there is anything to refuse.
  if (features === null || typeof features !== 'object' || typeof features.length !== 'number') refuseFeature(model);
  if (features.length !== model.features) refuseLength(model);
  if (typeof response !== 'number') throw new RefusedKind('"response" expected a number');
}

/** Refuses what is no record of the model; returns ‖x‖², intercept included. Copies features to `copy` from `at` on. */
export function checkRecord(model: OnlineModel, datum: OnlineDatum, copy?: Float64Array, at: number = 0): number {
  checkShape(model, datum);
  const { features, response } = datum;
  const { length } = features;
  let squared = model.intercept ? 1 : 0;
  let i = 0;
  // Two at a time: there are few features, and one turn of the loop costs as much as a feature.
  for (; i + 1 < length; i += 2) {
    const first = features[i];
    const second = features[i + 1];
    if (typeof first !== 'number' || typeof second !== 'number') refuseFeature(model);
    squared += first * first;
    squared += second * second;
    if (copy === undefined) continue;
    copy[at + i] = first;
    copy[at + i + 1] = second;
  }
  if (i < length) {
    const last = features[i];
    if (typeof last !== 'number') refuseFeature(model);
    squared += last * last;
    if (copy !== undefined) copy[at + i] = last;
  }
  // One comparison covers NaN, the infinities, and numbers whose squares overflow.
  if (!(squared < Infinity)) refuseNorm();
  if (!isResponse(model, response)) refuseResponse(model);
  return squared;
}

export function isResponse({ responses, dimension, width }: OnlineModel, response: number): boolean {
  switch (responses) {
    case 'number':
      return response - response === 0;
    case 'binary':
      return response === 0 || response === 1;
    case 'sign':
      return response === -1 || response === 1;
    case 'class':
      return Number.isInteger(response) && response >= 0 && response <= dimension / width;
  }
}

export function refuseFeature({ features }: OnlineModel): never {
  throw new RefusedKind(`"features" expected an array of ${features} numbers`);
}

function refuseLength({ features }: OnlineModel): never {
  throw new RefusedValue(`"features" expected ${features} numbers`);
}

export function refuseNorm(): never {
  throw new RefusedValue('"features" expected finite numbers with a finite l2 norm');
}

export function refuseResponse({ responses, dimension, width }: OnlineModel): never {
  const expected = {
    number: 'a finite number',
    binary: '0 or 1',
    sign: '-1 or 1',
    class: `a class from 0 to ${dimension / width}`,
  };
  throw new RefusedValue(`"response" expected ${expected[responses]}`);
}

/** Features this large have squares that a double holds, however many there are. */
const LARGEST_FEATURE = 1e140;

/**
 * The record that a device uses, a copy. Finite features of finite norm are unchanged, others are moved within ±10¹⁴⁰;
 * the response to the nearest that the model accepts. What is missing, or no number, becomes 0. Never throws.
 */
export function clipOnlineRecord({ model }: { readonly model: OnlineModel }, datum: unknown): OnlineDatum {
  const given = fieldOf(datum, 'features');
  const features = Float64Array.from({ length: model.features }, (_, i) => clipNumber(fieldOf(given, i), Infinity));
  const squared = features.reduce((sum, x) => sum + x * x, 1);
  const bounded = squared < Infinity ? features : features.map((x) => clipNumber(x, LARGEST_FEATURE));
  return { features: bounded, response: clipResponse(model, fieldOf(datum, 'response')) };
}

function clipResponse({ responses, dimension, width }: OnlineModel, given: unknown): number {
  const response = clipNumber(given, Number.MAX_VALUE);
  switch (responses) {
    case 'number':
      return response;
    case 'binary':
      return response > 0.5 ? 1 : 0;
    case 'sign':
      return response < 0 ? -1 : 1;
    case 'class':
      return Math.round(Math.min(dimension / width, Math.max(0, response)));
  }
}

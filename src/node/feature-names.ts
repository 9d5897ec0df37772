import type { Feature } from './feature.ts';

/**
 * One name for each coordinate: `age`, `log(1 + capital_gain)`, `origin ∈ {ATL}`, `sin hour`, `cos hour`.
 *
 * The short name of a sine, a cosine or a part of a date says neither the period nor the column; where that makes two
 * coordinates sound alike, both get the long one: `sin(2π·hour of date/12)`.
 */
export function featureNames(features: readonly Feature[]): readonly string[] {
  const short = features.flatMap((feature) => names(feature, false));
  const long = features.flatMap((feature) => names(feature, true));
  const count = new Map<string, number>();
  for (const name of short) count.set(name, (count.get(name) ?? 0) + 1);
  return short.map((name, index) => (count.get(name) === 1 ? name : long[index]));
}

function names(feature: Feature, long: boolean): readonly string[] {
  if (feature.kind === 'constant') return ['constant'];
  const { name, part, column } = feature;
  const source = part === undefined ? column : long ? `${part} of ${column}` : part;
  if (feature.kind === 'cycle') {
    const { period } = feature;
    return ['sin', 'cos'].map((wave) => (long ? `${wave}(2π·${source}/${period})` : `${wave} ${name ?? source}`));
  }
  if (name !== undefined) return [name];
  if (feature.kind === 'indicator') return [`${source} ∈ {${feature.listed.join(', ')}}`];
  return [feature.transform === 'log1p' ? `log(1 + ${source})` : source];
}

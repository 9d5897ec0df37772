import type { DefinedTally } from '../../src/core/channel.ts';
import type { DefinedParameters } from '../../src/core/define.ts';
import type { SurveyQuantity, SurveyStudy } from '../../src/simulation/study.ts';
import { type FrequencySetting, VARIANTS } from './parameters.ts';
import { frequency } from './protocol.ts';
import type { FrequencyEstimate, FrequencyQuery } from './server.ts';

/** The levels of the quantiles that a run shows, and their names. */
const QUANTILES = [
  [0.25, 'lower quartile'],
  [0.5, 'median'],
  [0.75, 'upper quartile'],
] as const;

/** How often each category occurs, as the command line and the simulator run it. */
export const study: SurveyStudy<
  DefinedParameters<FrequencySetting>,
  number,
  Uint32Array,
  DefinedTally<'counts'>,
  FrequencyEstimate,
  FrequencyQuery
> = {
  kind: 'survey',
  protocol: frequency,
  summary:
    'how often each category occurs, or a number falls into each bin, with intervals, from one report per player',
  variants: VARIANTS,
  form: 'categories',
  flights: {
    title: 'Hours of departure of three million US flights, January to June 2001 (vega-datasets)',
    label: { column: 'date', part: 'hour', classes: Array.from({ length: 24 }, (_, hour) => hour) },
  },
  request: ({ names, edges }) => (edges === undefined ? { categories: names.length } : { edges }),
  datum: ([cell]: ArrayLike<number> & Iterable<number>) => cell,
  quantities: ({ names, edges }, { frequencies, intervals, distribution }) => [
    ...names.map((name, c): SurveyQuantity => ({ group: SHARE, name, value: frequencies[c], ...intervals[c] })),
    ...(edges === undefined ? [] : QUANTILES).map(([, name], i): SurveyQuantity => {
      const { value, lower, upper } = distribution!.quantiles[i];
      return { group: 'quantile', name, value, lower, upper };
    }),
  ],
  truth({ names, edges }, { players, datum }) {
    const cells = Float64Array.from({ length: players }, (_, i) => datum(i)[0]);
    if (edges === undefined) {
      const counts = new Float64Array(names.length);
      for (const cell of cells) counts[cell]++;
      return Array.from(counts, (count) => count / players);
    }
    cells.sort();
    const below = edges.map((edge) => cells.findIndex((cell) => cell >= edge)).map((at) => (at < 0 ? players : at));
    const shares = names.map((_, c) => ((c === names.length - 1 ? players : below[c + 1]) - below[c]) / players);
    return [...shares, ...QUANTILES.map(([level]) => cells[Math.ceil(level * players) - 1])];
  },
};

const SHARE = 'share of the players';

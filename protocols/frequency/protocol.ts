import type { DefinedTally } from '../../src/core/channel.ts';
import { type DefinedParameters, type DefinedProtocol, defineProtocol } from '../../src/core/define.ts';
import { countsFor, outputsOf } from '../../src/mechanism/frequency.ts';
import type { SurveyQuantity, SurveyStudy } from '../../src/simulation/study.ts';
import { type FrequencySetting, VARIANTS } from './parameters.ts';
import { categoryOf, playing } from './player.ts';
import { checkQuery, estimate, type FrequencyEstimate, type FrequencyQuery, report } from './server.ts';

/**
 * How often each of k categories occurs, or a number falls into each of k bins, from one report per player: randomized
 * response, Hadamard response or subset selection.
 *
 * Guarantee: pure ε of the whole report, any two data of one player; drawn exactly, from whole numbers.
 *
 * Source: Warner (1965); Kairouz, Bonawitz, Ramage (2016); Acharya, Sun, Zhang (2019); Ye, Barg (2018).
 */
export const frequency: DefinedProtocol<
  FrequencySetting,
  number,
  Uint32Array,
  'counts',
  FrequencyEstimate,
  FrequencyQuery
> = /* @__PURE__ */ defineProtocol({
  ...playing,
  report,
  tally: {
    sums: ({ mechanism }) => ({ counts: outputsOf(mechanism) }),
    add(_, { counts }, report) {
      for (const entry of report) counts[entry]++;
    },
  },
  estimate,
  privacy: {
    ...playing.privacy,
    releases({ mechanism: { name, guarantee, squaredError, categories } }) {
      const scale = Math.sqrt(squaredError / categories);
      return [{ what: 'the category', count: 1, mechanism: name, sensitivity: Math.SQRT2, scale, guarantee }];
    },
    neighbourDistance: () => Math.SQRT2,
  },
  audit: {
    pairs({ mechanism: { categories }, edges }) {
      const datum = (category: number): number => edges?.[category] ?? category;
      const last = categories - 1;
      return [
        { name: 'first and last', first: datum(0), second: datum(last) },
        { name: 'first and second', first: datum(0), second: datum(1) },
        { name: 'the middle and the last', first: datum(last >> 1), second: datum(last) },
      ];
    },
    logLikelihoodRatio(parameters, { first, second }) {
      const { mechanism } = parameters;
      const [one, other] = [first, second].map((datum) => countsFor(mechanism, categoryOf(parameters, datum)));
      return (report) => mechanism.exactEpsilon * (Number(one(report)) - Number(other(report)));
    },
  },
  /** Σ of the variances: of the noise, and 1 − Σf² of who is asked. */
  forecast: ({ mechanism: { squaredError, categories } }, { players }) => ({
    what: 'root mean squared error of a frequency (unbiased, of the population)',
    assumption: 'all categories equally frequent',
    error: Math.sqrt((squaredError + 1 - 1 / categories) / (categories * players)),
    floor: 0,
  }),
});

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
  checkQuery: (_, query: FrequencyQuery) => void checkQuery(query),
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

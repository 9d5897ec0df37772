import type { DefinedTally } from '../../src/core/channel.ts';
import { type DefinedParameters, type DefinedProtocol, defineProtocol } from '../../src/core/define.ts';
import { completed, unitLogRatio, unitRelease } from '../../src/core/vector-channel.ts';
import type { SurveyStudy } from '../../src/simulation/study.ts';
import { type MeanSetting, noiseOf, VARIANTS } from './parameters.ts';
import { playing } from './player.ts';
import { coordinateOf, fillPoint, type MeanDatum } from './record.ts';
import { addReport, checkQuery, estimate, type MeanEstimate, type MeanQuery, type MeanSums, report } from './server.ts';

/** A corner of the box or, in the ball, a multiple of the first axis; `at` is from −1 to 1. */
function datumAt({ domain, lower, upper }: MeanSetting, at: number): MeanDatum {
  const place = (j: number): number => (lower[j] + upper[j]) / 2 + (at * (upper[j] - lower[j])) / 2;
  return lower.map((_, j) => (domain === 'box' || j === 0 ? Math.max(lower[j], Math.min(upper[j], place(j))) : 0));
}

/**
 * The mean of a bounded number, or of a vector whose coordinates or whose length are bounded, from one report per
 * player: one bit, or k-closest encoding.
 *
 * Guarantee: pure ε of the whole report, any two data of one player; drawn exactly, from whole numbers.
 *
 * Source: Duchi, Jordan, Wainwright (2018); Isik, Chen, Özgür, Weissman, No (2023).
 */
export const mean: DefinedProtocol<MeanSetting, MeanDatum, Uint32Array, MeanSums, MeanEstimate, MeanQuery> =
  /* @__PURE__ */ defineProtocol({
    ...playing,
    report,
    tally: {
      sums: ({ lower, mechanism }) => ({
        sums: lower.length,
        squares: mechanism.name === 'k-closest' ? lower.length : 0,
      }),
      add: addReport,
    },
    estimate,
    privacy: {
      ...playing.privacy,
      releases({ mechanism }) {
        if (mechanism.name === 'k-closest') return [unitRelease('the vector, completed to the sphere', mechanism)];
        const { name, scale, guarantee } = mechanism;
        return [{ what: 'one coordinate', count: 1, mechanism: name, sensitivity: 2, scale, guarantee }];
      },
      neighbourDistance: () => 2,
    },
    audit: {
      pairs: (parameters) => [
        { name: 'the two ends', first: datumAt(parameters, -1), second: datumAt(parameters, 1) },
        { name: 'the middle and an end', first: datumAt(parameters, 0), second: datumAt(parameters, 1) },
        { name: 'halfway', first: datumAt(parameters, -0.5), second: datumAt(parameters, 0.5) },
      ],
      logLikelihoodRatio(parameters, { first, second }) {
        const { lower, mechanism } = parameters;
        if (mechanism.name === 'k-closest') {
          const [one, other] = [first, second].map((datum) => {
            const point = new Float64Array(lower.length);
            fillPoint(parameters, datum, point);
            return completed(point, lower.length);
          });
          return unitLogRatio(mechanism, one, other);
        }
        const { scale } = mechanism;
        return ([word]) => {
          const sign = (word & 1) === 1 ? 1 : -1;
          const chance = (datum: MeanDatum): number => scale + sign * coordinateOf(parameters, datum, word >> 1);
          return Math.log(chance(first) / chance(second));
        };
      },
    },
    /** Where half of the bounds is 1: the largest noise, and of who is asked at most 1/3 for a uniform number. */
    forecast: (setting, { players }) => ({
      what: 'standard error of the mean of a coordinate, where half of its range is 1',
      assumption: 'numbers in the middle for the noise, uniform between the bounds for the sampling',
      error: Math.sqrt((noiseOf(setting) + (setting.mechanism.name === 'k-closest' ? 1 / 3 : 0)) / players),
      floor: 0,
    }),
  });

/** The mean of bounded numbers, as the command line and the simulator run it. */
export const study: SurveyStudy<
  DefinedParameters<MeanSetting>,
  MeanDatum,
  Uint32Array,
  DefinedTally<MeanSums>,
  MeanEstimate,
  MeanQuery
> = {
  kind: 'survey',
  protocol: mean,
  summary: 'the mean of one or several bounded numbers, with intervals, from one report per player',
  variants: VARIANTS,
  checkQuery: (_, query: MeanQuery) => void checkQuery(query),
  form: 'numbers',
  // Public bounds: an hour early to four hours late; no domestic flight was longer than 5,095 miles.
  flights: {
    title: 'Three million US flights, January to June 2001 (vega-datasets)',
    coordinates: [
      { name: 'minutes late', column: 'delay', minimum: -60, maximum: 240 },
      { name: 'miles', column: 'distance', minimum: 0, maximum: 5100 },
    ],
  },
  request: ({ bounds }) => ({ bounds: bounds!.map((pair) => [...pair]) }),
  datum: (cells) => cells,
  quantities: ({ names }, { mean: means, intervals }) =>
    names.map((name, j) => ({ group: name, name: `mean of ${name}`, value: means[j], ...intervals[j] })),
  truth({ names }, { players, datum }) {
    const sums = new Float64Array(names.length);
    for (let i = 0; i < players; i++) {
      const cells = datum(i);
      for (let j = 0; j < sums.length; j++) sums[j] += cells[j];
    }
    return Array.from(sums, (sum) => sum / players);
  },
};

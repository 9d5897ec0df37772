import type { DefinedTally } from '../../src/core/channel.ts';
import type { DefinedParameters } from '../../src/core/define.ts';
import type { SurveyStudy } from '../../src/simulation/study.ts';
import { type MeanSetting, VARIANTS } from './parameters.ts';
import { mean } from './protocol.ts';
import type { MeanDatum } from './record.ts';
import type { MeanEstimate, MeanQuery, MeanSums } from './server.ts';

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

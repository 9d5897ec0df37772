import { attackPlayer } from '../hostile/attack.ts';
import { liesAbout, STRANGERS } from '../hostile/lies.ts';
import type { Law } from './law.ts';

/** One lie in so many is tried here; all of them are in test/protocols/hostile. */
const STRIDE = 19;

/** What holds of a protocol on a device, where its parameters are of the grade `deployment` and remember their request. */
export const deviceLaws: readonly Law[] = [
  {
    sentence: 'a device plays what was agreed, or nothing, and whether it answers tells nothing of the datum',
    *broken({ protocol, parameters, trial }) {
      if (parameters.grade !== 'deployment' || parameters.request === undefined || protocol.make === undefined) return;
      const data = [...trial.data.slice(0, 2), ...Object.values(trial.refused).slice(0, 2)];
      const lies = [...liesAbout(parameters), ...STRANGERS].filter((_, i) => i % STRIDE === 0);
      yield* attackPlayer(protocol, parameters, data, lies);
    },
  },
];

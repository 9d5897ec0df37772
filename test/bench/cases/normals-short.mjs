import { seededRandom } from 'ldpkit';
import { fillNormal } from 'ldpkit/mechanism';
import { fillRate } from '../rate.mjs';

// What the simulator does for each player: a seek, and as many normals as the report has dimensions.
const random = seededRandom('bench');
const target = new Float64Array(66);
let player = 0;

export default {
  name: 'players of 66 normals after a seek, per second',
  run: () =>
    fillRate(1000, () => {
      for (let i = 0; i < 1000; i++) {
        random.seek(player++);
        fillNormal(target, random);
      }
    }),
};

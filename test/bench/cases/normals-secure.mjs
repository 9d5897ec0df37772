import { fillNormal } from '../../../dist/src/random/normal.js';
import { secureRandom } from '../../../dist/src/random/secure.js';
import { fillRate } from '../rate.mjs';

const random = secureRandom();
const target = new Float64Array(1 << 20);

export default {
  name: 'normals from a secure source, per second',
  peer: 'normals.py',
  peerField: 'perSecond',
  floor: 0.5,
  run: () => fillRate(target.length, () => fillNormal(target, random)),
};

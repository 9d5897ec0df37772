import { secureRandom } from 'ldpkit';
import { fillNormal } from 'ldpkit/mechanism';
import { fillRate } from '../rate.mjs';

const random = secureRandom();
const target = new Float64Array(1 << 20);

export default {
  name: 'normals from a secure source, per second',
  peer: 'normals.py',
  peerField: 'perSecond',
  floor: 1.4,
  run: () => fillRate(target.length, () => fillNormal(target, random)),
};

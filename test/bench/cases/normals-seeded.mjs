import { seededRandom } from 'ldpkit';
import { fillNormal } from 'ldpkit/mechanism';
import { fillRate } from '../rate.mjs';

const random = seededRandom('bench');
const target = new Float64Array(1 << 20);

export default {
  name: 'normals from a seeded source, per second',
  peer: 'normals.py',
  peerField: 'perSecond',
  floor: 2,
  run: () => fillRate(target.length, () => fillNormal(target, random)),
};

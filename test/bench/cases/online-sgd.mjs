import { onlineSgd } from 'ldpkit/protocols/online-sgd';
import { stepRate } from '../streams/linear.mjs';

export default {
  name: 'online LDP-SGD with random scaling, p = 4, simulated, updates per second',
  peer: 'online_sgd.py',
  peerField: 'updatesPerSecond',
  floor: 2,
  run: () => stepRate(onlineSgd),
};

import { onlineSgd } from 'ldpkit/protocols/online-sgd';
import { stepRate } from '../streams/linear.mjs';

const { player, server } = onlineSgd;

// As in a deployment: each player makes a report, and the server checks it before it accepts. The peer has no reports.
export default {
  name: 'the same, one report after the other, updates per second',
  peer: 'online_sgd.py',
  peerField: 'updatesPerSecond',
  floor: 1.2,
  run: () => stepRate({ player, server }),
};

export { frequencyPlayer } from './player.ts';
export { frequency } from './protocol.ts';
export { study } from './study.ts';

export { meanPlayer } from './player.ts';
export { mean } from './protocol.ts';
export { study } from './study.ts';

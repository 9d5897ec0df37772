// The entry of a player: what else a device needs is in `device`.
export { player } from './device.ts';

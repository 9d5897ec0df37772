// How players are called in a stream.
import { playerMark } from '../../dist/src/core/door.js';

/** The name of a player's report in a stream of a plan in which everybody answers once. */
export function markName(player) {
  const mark = playerMark(player);
  return `0000${Buffer.from(mark.buffer, mark.byteOffset, mark.byteLength).toString('hex')}`;
}

import { totalmem } from 'node:os';
import { fileRefusal } from './file-refusal.ts';

/**
 * Room for the records of a file, which says how many there are: no more than the memory of this machine has.
 *
 * @throws RangeError for a file that asks for more.
 */
export function roomFor<Room>(bytes: number, path: string, make: () => Room): Room {
  const refusal = fileRefusal('data', 'no more records than memory holds', path);
  if (!(bytes <= totalmem())) throw refusal;
  try {
    return make();
  } catch (error) {
    // Of the language: there is no room in one piece.
    if (error instanceof RangeError) throw refusal;
    throw error;
  }
}

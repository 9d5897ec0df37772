import type { Random } from '../../../src/random/random.ts';
import { scripted } from './scripted.ts';

/** Calls back with every sequence of `length` words from an alphabet. */
export function everyStream(alphabet: readonly number[], length: number, visit: (words: number[]) => void): void {
  const count = alphabet.length ** length;
  const words = new Array<number>(length);
  for (let index = 0; index < count; index++) {
    let rest = index;
    for (let i = 0; i < length; i++) {
      words[i] = alphabet[rest % alphabet.length];
      rest = Math.floor(rest / alphabet.length);
    }
    visit(words);
  }
}

/** What a law draws from these words and how many are left; 'over' if they do not suffice. */
export function outcome(words: readonly number[], draw: (random: Random) => unknown): string {
  const random = scripted(...words);
  try {
    const value = draw(random);
    return `${value} ${random.words.length - random.next}`;
  } catch (error) {
    if ((error as Error).message === 'the script is over') return 'over';
    throw error;
  }
}

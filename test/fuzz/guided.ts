import { readFileSync } from 'node:fs';
import { Session as Inspector } from 'node:inspector';
import { fileURLToPath } from 'node:url';
import { bits, type Random } from '../../src/random/random.ts';
import { judge } from './law.ts';
import { mutated, mutationFrom } from './mutation.ts';
import type { Trial } from './trial.ts';

export { seededRandom } from '../../src/random/seeded.ts';
export { trials } from './trial.ts';

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
    }[];
  }[];
}

/** Counts which blocks of a script ran how often, since it was asked last. */
export interface Watch {
  /** One text for each block and, roughly, how often it ran; and how often all blocks ran together. */
  seen(): { readonly features: readonly string[]; readonly work: number };
  /** Stops counting. */
  stop(): void;
}

/** Where the product's own modules stand in a bundle, which writes the path of each module above it. */
function productParts(url: string): (at: number) => boolean {
  const text = readFileSync(fileURLToPath(url), 'utf8');
  const modules = Array.from(text.matchAll(/^\/\/ (\S+\.ts)$/gm), ({ index, 1: path }) => ({
    from: index,
    product: /^(?:src|protocols)\//.test(path),
  }));
  return (at) => modules.findLast(({ from }) => from <= at)?.product === true;
}

/** Watches the product's modules in a bundle by the precise coverage of V8. */
export function watch(url: string): Watch {
  const isProduct = productParts(url);
  const inspector = new Inspector();
  inspector.connect();
  const post = (method: string, parameters: object = {}): unknown => {
    let answer: unknown;
    // On the same thread the answer comes before `post` returns.
    inspector.post(method, parameters, (error, result) => {
      if (error !== null) throw error;
      answer = result;
    });
    return answer;
  };
  post('Profiler.enable');
  post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return {
    seen() {
      const features: string[] = [];
      let work = 0;
      for (const script of (post('Profiler.takePreciseCoverage') as Coverage).result) {
        if (script.url !== url) continue;
        for (const { ranges } of script.functions) {
          if (!isProduct(ranges[0].startOffset)) continue;
          for (const { startOffset, endOffset, count } of ranges) {
            // Few runs are distinguished one by one (how far a loop came), many by their size.
            const often = count <= 64 ? count : 64 * Math.ceil(Math.log2(count));
            if (count > 0) features.push(`${startOffset}-${endOffset}:${often}`);
            work += count;
          }
        }
      }
      return { features, work };
    },
    stop() {
      post('Profiler.stopPreciseCoverage');
      inspector.disconnect();
    },
  };
}

/** What came of a guided run. */
export interface GuidedRun {
  readonly executions: number;
  readonly accepted: number;
  /** Reports that reached something new, kept to go on from. */
  readonly corpus: number;
  /** Blocks with their counts that were reached. */
  readonly features: number;
  /** Size of the corpus after 10, 100, 1000 … executions. */
  readonly growth: readonly number[];
  /** What was found, with the bytes in hexadecimal; absent when nothing was. */
  readonly found?: string;
}

/** Where a run begins: with an honest report, or with nothing but the words of a frame, in no order. */
export type Beginning = 'honest' | 'nothing';

/** Inputs made before they are tried: what making them runs is then not counted. */
const BATCH = 32;
/** However little time there is. */
const FEWEST_BATCHES = 20;

/**
 * Mutates reports, keeps those that make the decoder run something new, and goes on from them.
 *
 * Law: a report is kept when it reaches a block that none before it reached, or reached that often.
 */
export function guided(
  trial: Trial,
  settings: { readonly milliseconds: number; readonly from: Beginning; readonly watch: Watch; readonly random: Random },
): GuidedRun {
  const { milliseconds, from, random } = settings;
  const nothing = [new Uint8Array(0)];
  const corpus: Uint8Array[] = from === 'honest' ? [trial.own[0]] : [...nothing];
  // Who begins with nothing has no other reports to splice in either.
  const known = from === 'honest' ? trial : { ...trial, own: nothing, strangers: nothing };
  const words = wordsOf(trial);
  const reached = new Set<string>();
  const growth: number[] = [];
  let [executions, accepted, most] = [0, 0, 0];
  let deepest = corpus[0];
  // The first answers still count what ran before the watch began.
  for (let i = 0; i < 10; i++) {
    judge(trial, { given: corpus[0], bytes: corpus[0] });
    settings.watch.seen();
  }
  const end = performance.now() + milliseconds;
  // On a busy machine the time may be over before it began.
  for (let batches = 0; batches < FEWEST_BATCHES || performance.now() < end; batches++) {
    const batch = Array.from({ length: BATCH }, () => {
      // A third of the time the find that made most run, a third one of the latest, a third any.
      const choice = bits(random) % 3;
      const recent = choice === 1 ? Math.min(corpus.length, 4) : corpus.length;
      let bytes = choice === 0 ? deepest : corpus[corpus.length - 1 - (bits(random) % recent)];
      for (let left = 1 + (bits(random) % 3); left > 0; left--) bytes = step(bytes, words, random, known);
      return bytes;
    });
    settings.watch.seen();
    for (const bytes of batch) {
      const verdict = judge(trial, { given: bytes, bytes });
      const { features, work } = settings.watch.seen();
      const fresh = features.filter((feature) => !reached.has(feature));
      for (const feature of fresh) reached.add(feature);
      if (fresh.length > 0) {
        corpus.push(bytes);
        if (work > most) [most, deepest] = [work, bytes];
      }
      if (verdict.accepted) accepted++;
      executions++;
      if (Number.isInteger(Math.log10(executions))) growth.push(corpus.length);
      if (verdict.complaint !== undefined) {
        const found = `${verdict.complaint}: ${Buffer.from(bytes).toString('hex')}`;
        return { executions, accepted, corpus: corpus.length, features: reached.size, growth, found };
      }
    }
  }
  return { executions, accepted, corpus: corpus.length, features: reached.size, growth };
}

/** A word of a frame, and where it begins. */
interface Word {
  readonly from: number;
  readonly bytes: Uint8Array;
}

/** The words a frame is made of, as an attacker reads them in its description; the values are the last. */
function wordsOf({ own, header }: Trial): Word[] {
  const [frame] = own;
  const cuts = [0, 4, 5, 6, 7, header - 20, header - 4, header, frame.length];
  return cuts.slice(1).map((to, i) => ({ from: cuts[i], bytes: frame.slice(cuts[i], to).fill(0, header - cuts[i]) }));
}

function step(bytes: Uint8Array, words: readonly Word[], random: Random, trial: Trial): Uint8Array {
  if (bytes.length > 0 && bits(random) % 2 > 0) return mutated(bytes, mutationFrom(random), trial);
  // Any word where any word begins, over what is there; what is behind it is cut off half of the time.
  const word = words[bits(random) % words.length].bytes;
  const at = Math.min(bytes.length, words[bits(random) % words.length].from);
  const end = bits(random) % 2 === 0 ? at + word.length : Math.max(bytes.length, at + word.length);
  const written = new Uint8Array(end);
  written.set(bytes.subarray(0, end));
  written.set(word, at);
  return written;
}

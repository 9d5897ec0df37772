import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf, type Json } from 'ldpkit';
import { fileRefusal, makeFolder, parseJson } from 'ldpkit/node';

/** Version of the files. */
const FORMAT = 1;

/** Which chunk it is, and all that its numbers depend on. */
export interface ChunkIdentity {
  readonly experiment: string;
  /** Version of the experiment. */
  readonly version: number;
  /** Version of this package. */
  readonly package: string;
  readonly seed: string;
  /** Key of the cell. */
  readonly key: string;
  readonly setting: Json;
  /** Mark of the code: see `PaperExperiment.smallRun`. */
  readonly mark: string;
  readonly chunk: number;
}

/** Chunks that are kept in a folder, so that a long computation goes on where it was stopped. */
export interface KeptChunks {
  /**
   * The result of a chunk, or `absent`, or `unfit` where a file is there that is damaged or of another seed, version or setting.
   */
  read(identity: ChunkIdentity): Promise<{ readonly result: Json } | 'absent' | 'unfit'>;
  /** Keeps a chunk; a file is there whole or not at all. */
  write(identity: ChunkIdentity, result: Json): Promise<void>;
}

/** Keeps nothing. */
export const NOTHING_KEPT: KeptChunks = {
  read: async () => 'absent',
  write: async () => {},
};

/**
 * Chunks kept below a folder, in a file each, with all that they depend on and a digest over that and the result.
 *
 * @throws RangeError (from `write`) naming the option when the folder cannot be written to.
 */
export function keptChunks(folder: string): KeptChunks {
  const cells = join(folder, 'cells');
  const pathOf = ({ key, chunk }: ChunkIdentity): string => join(cells, `${key}.${chunk}.json`);
  return {
    async read(identity) {
      let text: string;
      try {
        text = await readFile(pathOf(identity), 'utf8');
      } catch (error) {
        return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'absent' : 'unfit';
      }
      const result = resultIn(text, identity);
      return result === undefined ? 'unfit' : { result };
    },
    async write(identity, result) {
      const path = pathOf(identity);
      const draft = `${path}.${process.pid}.draft`;
      try {
        await makeFolder(cells);
        await writeFile(
          draft,
          `${JSON.stringify({ ...headOf(identity), result, digest: digest(identity, result) })}\n`,
        );
        await rename(draft, path);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
        throw fileRefusal('out', 'a folder that can be written to', folder);
      }
    },
  };
}

function headOf(identity: ChunkIdentity): { readonly [name: string]: Json } {
  const { experiment, version, seed, key, setting, mark, chunk } = identity;
  return { format: FORMAT, experiment, version, package: identity.package, seed, key, setting, mark, chunk };
}

function digest(identity: ChunkIdentity, result: Json): string {
  return digestOf({ ...headOf(identity), result });
}

/** The result, if the text is a file of this very chunk. The digest covers the head, so that no field needs a look of its own. */
function resultIn(text: string, identity: ChunkIdentity): Json | undefined {
  try {
    const parsed = parseJson(text);
    if ('fault' in parsed) return undefined;
    const kept = parsed.value as { readonly result?: Json; readonly digest?: Json } | null;
    if (kept === null || kept.result === undefined) return undefined;
    return kept.digest === digest(identity, kept.result) ? kept.result : undefined;
  } catch {
    return undefined;
  }
}

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** What came of reading one file: how many rows, or the refusal without the path; what it cost so far. */
export interface Read {
  readonly outcome: string;
  readonly seconds: number;
  readonly memory: number;
}

/** Megabytes of the heap of the child, which a table of a few rows does not need. */
const HEAP = 512;

/** Reads a column of Parquet files in one child of little memory. Where it does not come to the end, the last file is what ended it. */
export function readTables(folder: string, column: string, files: readonly Uint8Array[]): readonly Read[] {
  mkdirSync(folder, { recursive: true });
  const paths = files.map((content, i) => {
    const path = join(folder, `${i}.parquet`);
    writeFileSync(path, content);
    return path;
  });
  const words = [`--max-old-space-size=${HEAP}`, resolve(__dirname, 'table.mjs'), column, ...paths];
  const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 600_000 });
  const reads: Read[] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => {
      const read: Read = JSON.parse(line === '' ? '{}' : line);
      return { ...read, outcome: String(read.outcome).replace(/, got "\/.*"$/, '') };
    });
  const ended = `nothing, and the child said: ${stderr.slice(0, 500)}`;
  return files.map((_, i) => reads[i] ?? { outcome: ended, seconds: Infinity, memory: Infinity });
}

/** What is said of a file that lies. */
export const DAMAGED = '"data" expected a Parquet file that is not damaged';

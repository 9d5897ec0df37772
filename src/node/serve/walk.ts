import { statSync } from 'node:fs';
import { join } from 'node:path';
import { optionalModule } from './log.ts';

// A program of its own: goes over all pages of the store in a folder, and fails where they do not hold what the store says of itself. Where
// a page is damaged, lmdb may end the process.

/** What lmdb says of a database, and of the file that it is in. */
interface Stats {
  readonly entryCount: number;
  readonly pageSize: number;
  readonly lastPageNumber: number;
}

const [, , path] = process.argv;
const { open } = await optionalModule<typeof import('lmdb')>('lmdb');
const root = open({ path, readOnly: true, maxDbs: 4, encoding: 'binary' });
const { lastPageNumber, pageSize } = root.getStats() as Stats;
// Pages at the end may never have been written. Where values are missing with them, to read them ends this process.
const short = statSync(join(path, 'data.mdb')).size < (lastPageNumber + 1) * pageSize;
for (const name of [...root.getKeys()]) {
  const database = root.openDB({ name: String(name), keyEncoding: 'binary', encoding: 'binary' });
  // In one turn, and so of one state of the store, which another collector may write.
  if (database.getKeysCount() !== (database.getStats() as Stats).entryCount) process.exitCode = 1;
  if (short) for (const { value } of database.getRange()) Buffer.from(value as Uint8Array);
}

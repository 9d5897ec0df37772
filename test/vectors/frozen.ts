import { readFileSync } from 'node:fs';
import { join } from 'node:path';

// A published seed, a stored report and a stored estimate rely on what is frozen. It was recorded from this package, so it says that
// nothing changed, not that it is right. A changed report with the same law, or a changed estimate, is "value-breaking" in the
// change log; a changed law is forbidden: it needs a variant of its own.

/** What was recorded of a protocol: in the file of this name beside this one, a row of JSON each. */
export function recorded<Row>(name: string): readonly Row[] {
  const rows = readFileSync(join(__dirname, `${name}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n');
  return rows.map((row): Row => JSON.parse(row));
}

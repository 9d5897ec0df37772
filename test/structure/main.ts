import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseProject, readTexts } from '../architecture/project.ts';
import { countCheckout, tableOf } from './count.ts';
import { DRAWING, DRAWN, drawing } from './drawing.ts';

/** Does what the words ask for: see run.mjs. */
export function main(root: string, [command, folder = root]: readonly string[]): void {
  if (command === 'count') {
    process.stdout.write(`${tableOf(countCheckout(resolve(folder)))}\n`);
  } else if (command === 'draw') {
    writeFileSync(join(root, DRAWING), drawing(parseProject(readTexts(root, DRAWN))));
    process.stdout.write(`${DRAWING}\n`);
  } else {
    throw new TypeError(`expected count or draw, got ${command}`);
  }
}

// Calls functions of the evidence, as a list of { module, name, args } on the standard input says: what draws figures
// needs packages that only ECMAScript modules can import.
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { translated } from '../../../evidence/translate.mjs';

const folder = await translated();
const results = [];
for (const { module, name, args } of JSON.parse(await text(process.stdin))) {
  const exported = await import(pathToFileURL(join(folder, 'engine', `${module}.js`)).href);
  results.push(exported[name](...args));
}
process.stdout.write(JSON.stringify(results));

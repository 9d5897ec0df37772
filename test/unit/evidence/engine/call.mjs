// Calls functions of the evidence, as a message with a list of { module, name, args } says, and answers with their results as JSON: what
// draws figures needs packages that only ECMAScript modules can import.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { translated } from '../../../evidence/translate.mjs';

process.on('message', async (calls) => {
  const folder = await translated();
  const results = [];
  for (const { module, name, args } of calls) {
    const exported = await import(pathToFileURL(join(folder, 'engine', `${module}.js`)).href);
    results.push(exported[name](...args));
  }
  process.send(JSON.stringify(results));
});

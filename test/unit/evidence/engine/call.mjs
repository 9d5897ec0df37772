// Calls functions of the built package, as a list of { module, name, args } on the standard input says: what draws figures
// needs packages that only ECMAScript modules can import.
import { text } from 'node:stream/consumers';

const results = [];
for (const { module, name, args } of JSON.parse(await text(process.stdin))) {
  const exported = await import(new URL(`../../../../dist/src/node/reproduction/${module}.js`, import.meta.url).href);
  results.push(exported[name](...args));
}
process.stdout.write(JSON.stringify(results));

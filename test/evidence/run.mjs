// The commands of a checkout on what is built in dist/:
//
//   npm run validate -- --only "noninteractive Theorem 11"
//   npm run reproduce -- table-1
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { translated } from './translate.mjs';

await import(pathToFileURL(join(await translated(), 'main.js')).href);

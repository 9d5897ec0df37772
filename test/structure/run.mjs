// What can be seen of the whole code:
//
//   npm run count [-- FOLDER]     how much there is of it, in this checkout or in another one that is built
//   npm run draw                  the drawing of its layers, docs/figures/layers.svg
import { runMain } from '../environment/typescript-main.mjs';

await runMain('test/structure/main.ts');

// What tests and measurements of the playground import; the page does not.
export { CRITICAL, GROUPS, jackknife } from './collection.ts';
export { chunksOf, joined, recordsOf } from './people.ts';
export { createBench } from './tasks.ts';

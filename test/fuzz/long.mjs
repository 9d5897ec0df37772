// Millions of mutated reports of every protocol of one report. About 15 s for each million.
//
//   node test/fuzz/long.mjs [--reports 2000000] [--seed TEXT] [--protocol NAME]
import { parseArgs } from 'node:util';
import { load } from './bundle.mjs';

const { values: options } = parseArgs({
  options: {
    reports: { type: 'string', default: '2000000' },
    seed: { type: 'string', default: 'fuzz' },
    protocol: { type: 'string' },
  },
});
const { module } = await load('long');
const trials = module.trials(options.protocol);
const each = Math.ceil(Number(options.reports) / trials.length);
let total = 0;
for (const trial of trials) {
  const begin = performance.now();
  const { tried, accepted, found } = module.run(trial, each, module.seededRandom(`${options.seed} ${trial.name}`));
  const rate = Math.round((1000 * tried) / (performance.now() - begin));
  total += tried;
  process.stdout.write(`${trial.name.padEnd(54)} ${tried} tried, ${accepted} accepted, ${rate}/s\n`);
  if (found !== undefined) {
    process.stdout.write(`FOUND: ${found}\n`);
    process.exitCode = 1;
  }
}
process.stdout.write(`${total} mutated reports\n`);

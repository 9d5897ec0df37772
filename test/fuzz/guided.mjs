// Mutated reports that are kept where they make the decoder run something new, by the coverage that V8 counts.
//
//   node test/fuzz/guided.mjs [--seconds 3] [--seed TEXT] [--protocol NAME] [--from honest|nothing]
import { parseArgs } from 'node:util';
import { load } from './bundle.mjs';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    seed: { type: 'string', default: 'guided' },
    protocol: { type: 'string' },
    from: { type: 'string' },
  },
});
const { url, module } = await load('guided');
const watch = module.watch(url);
let total = 0;
for (const trial of module.trials(options.protocol)) {
  for (const from of options.from === undefined ? ['honest', 'nothing'] : [options.from]) {
    const random = module.seededRandom(`${options.seed} ${trial.name} ${from}`);
    const milliseconds = 1000 * Number(options.seconds);
    const { executions, accepted, corpus, features, growth, found } = module.guided(trial, {
      milliseconds,
      from,
      watch,
      random,
    });
    total += executions;
    process.stdout.write(
      `${trial.name.padEnd(54)} from ${from.padEnd(8)} ${executions} tried, ${accepted} accepted, ` +
        `corpus ${corpus} (${growth.join(', ')}), ${features} features\n`,
    );
    if (found !== undefined) {
      process.stdout.write(`FOUND: ${found}\n`);
      process.exitCode = 1;
    }
  }
}
watch.stop();
process.stdout.write(`${total} guided executions\n`);

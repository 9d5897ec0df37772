// How often the intervals of the playground hold what they are about, at its first settings:
//
//   npm run build && node test/browser/intervals.mjs [--repetitions 60] [--players 100000] [--epsilon 1]
//
// Each repetition has the same people and fresh noise. The interval of the risk is about the true risk of the model that
// it comes with; those of w about the mean of w over all repetitions, and about the best model without privacy.
import { parseArgs } from 'node:util';
import { hinge } from 'ldpkit/protocols/hinge';
import { datasetPopulation, simulate } from 'ldpkit/simulate';
import { moduleOf } from './chromium.mjs';

const { values: options } = parseArgs({
  options: {
    repetitions: { type: 'string', default: '60' },
    players: { type: 'string', default: '100000' },
    epsilon: { type: 'string', default: '1' },
  },
});
const repetitions = Number(options.repetitions);
const { createBench, recordsOf, joined, chunksOf, jackknife, CRITICAL, GROUPS } = await moduleOf('evidence.ts');

const people = { source: 'classes', players: Number(options.players), dimension: 10, positive: 0.5, wrong: 0.1 };
const example = { animals: [] };
const request = { variant: 'lifted', epsilon: Number(options.epsilon), degree: 1, dimension: 10 };
// The noise of a simulation has the same variance and is made in a third of the time.
const parameters = hinge.make({ ...request, grade: 'simulation' });
const bench = createBench({ request: parameters.request, digest: parameters.digest, people, example });
const chunks = Array.from({ length: chunksOf(people) }, (_, chunk) => chunk);
const truth = bench.truth(chunks);
const population = datasetPopulation(joined(chunks.map((chunk) => recordsOf(people, example, chunk))));
const share = people.players / GROUPS;

const found = [];
for (let seed = 0; seed < repetitions; seed++) {
  const groups = Array.from({ length: GROUPS }, (_, g) =>
    simulate(hinge, parameters, population, { seed, from: Math.round(g * share), to: Math.round((g + 1) * share) }),
  );
  const total = (without) => {
    const tally = hinge.server.empty(parameters);
    for (const [g, group] of groups.entries()) if (g !== without) hinge.server.merge(parameters, tally, group);
    return tally;
  };
  const { w, risk, standardError, known } = bench.fit(total(), chunks);
  const widths = jackknife(groups.map((_, g) => bench.fit(total(g), []).w)).map((deviation) => CRITICAL * deviation);
  found.push({ w, widths, risk, error: 1.96 * standardError, known: known.risk });
}
const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
const average = truth.w.map((_, j) => mean(found.map(({ w }) => w[j])));
const holds = (centre) =>
  mean(found.flatMap(({ w, widths }) => Array.from(w, (x, j) => Math.abs(x - centre[j]) <= widths[j])));
process.stdout.write(
  `${JSON.stringify({
    repetitions,
    players: people.players,
    epsilon: request.epsilon,
    risk: {
      holds: mean(found.map(({ risk, error, known }) => Math.abs(risk - known) <= error)),
      saidLessTrue: mean(found.map(({ risk, known }) => risk - known)),
      halfWidth: mean(found.map(({ error }) => error)),
      excess: mean(found.map(({ known }) => known - truth.risk)),
    },
    w: {
      holdsMean: holds(average),
      holdsTruth: holds(truth.w),
      halfWidth: mean(found.flatMap(({ widths }) => [...widths])),
    },
  })}\n`,
);

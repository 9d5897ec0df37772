// All flights, collected: every player of `ldpkit run hinge --grade deployment` sends its report to a real collector over HTTP,
// and the model that the collector estimates is the one of that command, to the bit.
//
//   npm run build && node test/cluster/flights.mjs [--players 3000000]
//
// With fewer players the model is compared with that of a simulation of the same players. The last line counts the checks.
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { seededRandom } from 'ldpkit';
import { encodeBatch } from 'ldpkit/client';
import { flightsSchema, loadDataset, locateFlights } from 'ldpkit/node';
import { hinge, lifted } from 'ldpkit/protocols/hinge';
import { datasetPopulation, simulate } from 'ldpkit/simulate';
import { check, finish, MAIN, planFolder, serving } from './serving.mjs';

const { values: options } = parseArgs({ options: { players: { type: 'string' } } });
const dataset = await loadDataset({ data: locateFlights(), schema: flightsSchema() });
const players = Number(options.players ?? dataset.players);
const population = datasetPopulation(dataset);
const parameters = lifted({ epsilon: 1, degree: 1, dimension: dataset.dimension, grade: 'deployment' });
/** What the command asks: the first feature of the flights is a constant. */
const query = { radius: 1, intercept: 0 };
/** The seed of the first run of the command at ε = 1. */
const seed = 'ldpkit lifted 1 1';

const { folder, plan, remove } = planFolder(hinge, parameters);
const { url, end } = await serving(plan, ['--folder', folder, '--query', JSON.stringify(query)]);

const BATCH = 1000;
const random = seededRandom(seed);
const headers = { 'content-type': 'application/vnd.ldpkit.batch' };

/** The reports of some players as one request. The order of the requests is that of the players: sums are rounded in it. */
function batchOf(from, to) {
  return encodeBatch(
    Array.from({ length: to - from }, (_, i) => {
      random.seek(from + i);
      const report = hinge.player.randomize(parameters, population.datum(from + i), random);
      return { player: `flight ${from + i}`, bytes: hinge.report.encode(parameters, report) };
    }),
  );
}

try {
  const start = performance.now();
  let counted = 0;
  for (let from = 0; from < players; from += BATCH) {
    const body = batchOf(from, Math.min(players, from + BATCH));
    const answer = await fetch(`${url}plans/${parameters.digest}/reports`, { method: 'POST', headers, body });
    for (const { outcome } of (await answer.json()).receipts) if (outcome === 'counted') counted++;
  }
  const seconds = (performance.now() - start) / 1000;
  process.stdout.write(`${players} reports made, sent and counted in ${seconds.toFixed(0)} s\n`);
  check('every report has a receipt that says counted', counted === players);
  const collected = await (await fetch(`${url}plans/${parameters.digest}/estimate`)).json();
  const tally = simulate(hinge, parameters, population, { seed, to: players });
  const { w } = hinge.server.estimate(parameters, tally, query);
  check('the model is that of a simulation of these players, to the bit', `${collected.w}` === `${w}`);
  if (players === dataset.players) {
    const run = 'run hinge --grade deployment --variant lifted --epsilon 1 --json'.split(' ');
    const text = execFileSync(process.execPath, [MAIN, ...run], { encoding: 'utf8', maxBuffer: 1 << 26 });
    check('and that of the command', `${collected.w}` === `${JSON.parse(text).estimate.w}`);
  }
  // What must fail: the same players with other coins.
  const others = simulate(hinge, parameters, population, { seed: 'others', to: players });
  check('and not that of other coins', `${collected.w}` !== `${hinge.server.estimate(parameters, others, query).w}`);
} finally {
  await end();
  remove();
}
finish();

// Memory of a collector by the number of reports it has taken, over HTTP in batches of 1,000:
//
//   npm run build && node test/bench/collector-memory.mjs [--most 1e7] [--figure docs/figures/collector-memory.svg]
//
// Linux only: of the resident memory, what belongs to the process alone (RssAnon), and what is pages of the store's files, which
// the system drops when it needs the room (RssFile).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { seededRandom } from 'ldpkit';
import { encodeBatch } from 'ldpkit/client';
import { hinge, lifted } from 'ldpkit/protocols/hinge';
import { planFolder, serving } from '../cluster/serving.mjs';
import { translated } from '../evidence/translate.mjs';

const { values: options } = parseArgs({
  options: { most: { type: 'string', default: '1e7' }, figure: { type: 'string' } },
});
const parameters = lifted({ epsilon: 1, degree: 1, dimension: 10, grade: 'deployment' });
const random = seededRandom('reports to collect');
const datum = { features: new Float64Array(10).fill(0.3), label: 1 };
const reports = Array.from({ length: 2000 }, () =>
  hinge.report.encode(parameters, hinge.player.randomize(parameters, datum, random)),
);
const { folder, plan, remove } = planFolder(hinge, parameters);
const { url, pid, end } = await serving(plan, ['--folder', folder]);

const BATCH = 1000;
let players = 0;
const points = [];

/** The figure of what was measured. */
async function figureOf(measured) {
  const { figureSvg } = await import(pathToFileURL(join(await translated(), 'engine', 'figure.js')).href);
  return figureSvg({
    kind: 'curves',
    name: 'collector-memory',
    title: 'Memory of a collector by the reports it has taken',
    x: { label: 'reports', logarithmic: true },
    y: { label: 'MB of its own', logarithmic: false },
    curves: [{ name: 'memory', style: 0, dashed: false, points: measured }],
    levels: [{ name: 'nothing', value: 0 }],
  });
}

/** Sends one batch of players who have not answered yet, again where the collector asks for it. */
async function sendBatch() {
  const batch = Array.from({ length: BATCH }, () => ({
    player: `player ${players}`,
    bytes: reports[players++ % reports.length],
  }));
  const body = encodeBatch(batch);
  const headers = { 'content-type': 'application/vnd.ldpkit.batch' };
  for (;;) {
    const answer = await fetch(`${url}plans/${parameters.digest}/reports`, { method: 'POST', headers, body });
    await answer.arrayBuffer();
    if (answer.status < 300) return;
    if (answer.status !== 503) throw new Error(`the collector answered ${answer.status}`);
  }
}

/** Megabytes of a line of the process's status. */
function megabytes(name) {
  const [, kilobytes] = new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(kilobytes) / 1000);
}

try {
  const most = Number(options.most);
  let start = performance.now();
  let before = 0;
  for (const stop of [1e5, 3e5, 1e6, 3e6, 1e7, 3e7].filter((count) => count <= most)) {
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        while (players < stop) await sendBatch();
      }),
    );
    const seconds = (performance.now() - start) / 1000;
    process.stdout.write(
      `${players} reports: ${megabytes('RssAnon')} MB of its own, ${megabytes('RssFile')} MB of files, ` +
        `${Math.round((players - before) / seconds)} reports/s\n`,
    );
    points.push({ x: players, y: megabytes('RssAnon') });
    start = performance.now();
    before = players;
  }
  if (options.figure !== undefined) writeFileSync(options.figure, await figureOf(points));
} finally {
  await end();
  remove();
}

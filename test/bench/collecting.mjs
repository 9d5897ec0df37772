// How many reports a collector takes, on loopback, with the load generator autocannon on the same machine:
//
//   npm run build && node test/bench/collecting.mjs [--seconds 6]
//
// One line for each way to send: reports a second, and the times in which half and 99 % of the requests are answered.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { certify, seededRandom } from 'ldpkit';
import { encodeBatch } from 'ldpkit/client';
import { hinge, lifted } from 'ldpkit/protocols/hinge';

const { values: options } = parseArgs({ options: { seconds: { type: 'string', default: '6' } } });
const main = fileURLToPath(new URL('../../dist/src/node/main.js', import.meta.url));
const parameters = lifted({ epsilon: 1, degree: 1, dimension: 10, grade: 'deployment' });
const random = seededRandom('reports to collect');
const datum = { features: new Float64Array(10).fill(0.3), label: 1 };
const reports = Array.from({ length: 2000 }, () =>
  Buffer.from(hinge.report.encode(parameters, hinge.player.randomize(parameters, datum, random))),
);
const folder = mkdtempSync(join(tmpdir(), 'ldpkit-collecting-'));
const plan = join(folder, 'plan.json');
writeFileSync(plan, JSON.stringify(certify(hinge, parameters)));
const server = spawn(process.execPath, [main, 'serve', plan, '--folder', folder, '--port', '0', '--rate', '0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const url = await new Promise((resolve) => {
  server.stdout.setEncoding('utf8').on('data', (text) => {
    const found = /listening on (\S+)/.exec(text);
    if (found !== null) resolve(found[1]);
  });
});

let players = 0;
const next = () => ({ player: `player ${players}`, bytes: reports[players++ % reports.length] });

/** Sends for a while by so many connections; `size` reports in a request, or a single one. */
async function load(size, connections) {
  const path = `/plans/${parameters.digest}/${size === 1 ? 'report' : 'reports'}`;
  const setupRequest = (request) => {
    if (size > 1) return { ...request, body: Buffer.from(encodeBatch(Array.from({ length: size }, next))) };
    const { player, bytes } = next();
    const headers = { 'content-type': 'application/octet-stream', 'ldpkit-player': player };
    return { ...request, headers, body: bytes };
  };
  const headers = { 'content-type': 'application/vnd.ldpkit.batch' };
  const { requests, latency, non2xx, errors } = await autocannon({
    ...{ url, connections, duration: Number(options.seconds) },
    requests: [{ method: 'POST', path, headers, setupRequest }],
  });
  const rate = Math.round(requests.average * size);
  const failed = non2xx + errors;
  process.stdout.write(
    `${size} a request, ${connections} connections: ${rate} reports/s, p50 ${latency.p50} ms, p99 ${latency.p99} ms, ${failed} failed\n`,
  );
}

try {
  await load(100, 10);
  await load(1, 50);
  await load(1, 200);
} finally {
  server.kill('SIGTERM');
  await new Promise((resolve) => server.once('exit', resolve));
  rmSync(folder, { recursive: true, force: true });
}

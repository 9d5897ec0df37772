// One primary key of PostgreSQL beside one server of JetStream: the same reports in the same batches, each player counted once.
//
//   npm run build && node test/bench/postgresql.mjs [--rows 200000]
//
// PostgreSQL (Debian's, where it is installed) has a store of its own for this, and takes an INSERT … ON CONFLICT DO NOTHING of
// 100 rows a transaction from each of 10 connections of psql: mark (primary key) and report, both as they arrive. JetStream takes
// the same as messages with the expectation that their subject has none, from one process that waits for 10 times 100 answers.
// One line for each: rows a second, and the processor time in µs that a row takes in the servers (on Linux).
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, headers as headersOf } from '@nats-io/transport-node';
import { requestsOf } from '../../dist/src/node/serve/requests.js';
import { processorTime } from './processor-time.mjs';

const { values: options } = parseArgs({ options: { rows: { type: 'string', default: '200000' } } });
const [LANES, BATCH, BYTES] = [10, 100, 66];
const batches = Math.ceil(Number(options.rows) / LANES / BATCH);
const rows = batches * LANES * BATCH;
const folder = mkdtempSync(join(tmpdir(), 'ldpkit-postgresql-'));
/** A mark and a report, new each time. */
const row = () => [randomBytes(18), randomBytes(BYTES)];

const say = (what, seconds, time) =>
  process.stdout.write(
    `${what}: ${Math.round(rows / seconds)} rows/s; processor time a row: ${(time / rows).toFixed(1)} µs (load ${loadavg()[0].toFixed(1)})\n`,
  );

/** The folder of PostgreSQL's programs, of the newest version that is installed; undefined where there is none. */
function programs() {
  try {
    const versions = readdirSync('/usr/lib/postgresql').sort((a, b) => Number(b) - Number(a));
    return `/usr/lib/postgresql/${versions[0]}/bin`;
  } catch {
    return undefined;
  }
}

async function postgresql(bin) {
  const data = join(folder, 'data');
  mkdirSync(data);
  // It refuses to run as root: then as the user that Debian makes for it.
  const root = process.getuid?.() === 0;
  if (root) {
    const id = (word) => Number(spawnSync('id', [word, 'postgres'], { encoding: 'utf8' }).stdout);
    chmodSync(folder, 0o755);
    chownSync(data, id('-u'), id('-g'));
  }
  const as = (words) =>
    root ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', ...words] : words;
  const run = (words) => {
    const [program, ...rest] = as(words);
    const { status, stderr } = spawnSync(program, rest, { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  };
  run([join(bin, 'initdb'), '-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync']);
  const [program, ...words] = as([join(bin, 'postgres'), '-D', data, '-k', data, '-c', 'listen_addresses=']);
  const server = spawn(program, words, { stdio: 'ignore' });
  const psql = ['-h', data, '-U', 'postgres', '-q', '-v', 'ON_ERROR_STOP=1'];
  try {
    while (spawnSync(join(bin, 'psql'), [...psql, '-c', 'SELECT 1']).status !== 0) await pause(200);
    run([join(bin, 'psql'), ...psql, '-c', 'CREATE TABLE reports (mark bytea PRIMARY KEY, report bytea NOT NULL)']);
    const hex = (bytes) => `'\\x${bytes.toString('hex')}'`;
    const files = Array.from({ length: LANES }, (_, lane) => {
      const path = join(folder, `${lane}.sql`);
      const statement = () => {
        const values = Array.from({ length: BATCH }, () => `(${row().map(hex)})`);
        return `INSERT INTO reports VALUES ${values} ON CONFLICT DO NOTHING;\n`;
      };
      writeFileSync(path, Array.from({ length: batches }, statement).join(''));
      chmodSync(path, 0o644);
      return path;
    });
    const before = processorTime(server.pid, true);
    const begun = performance.now();
    const senders = files.map((path) => spawn(join(bin, 'psql'), [...psql, '-f', path], { stdio: 'inherit' }));
    await Promise.all(senders.map((sender) => new Promise((resolve) => sender.once('exit', resolve))));
    const seconds = (performance.now() - begun) / 1000;
    // The processes of the connections have ended, and belong to their parent.
    await pause(500);
    say('PostgreSQL, one primary key', seconds, processorTime(server.pid, true) - before);
  } finally {
    server.kill('SIGINT');
    await new Promise((resolve) => server.once('exit', resolve));
  }
}

async function oneServer() {
  const port = 24_333;
  const server = spawn('nats-server', ['-a', '127.0.0.1', '-p', `${port}`, '-js', '-sd', join(folder, 'nats')], {
    stdio: 'ignore',
  });
  await pause(1000);
  const connection = await connect({ servers: `127.0.0.1:${port}` });
  try {
    const manager = await jetstreamManager(connection);
    await manager.streams.add({ name: 'reports', subjects: ['reports.*'], storage: 'file' });
    const { askAll } = requestsOf(connection, 10_000);
    const expected = headersOf();
    expected.set('Nats-Expected-Last-Subject-Sequence', '0');
    const publish = (_, reply) => {
      const [mark, report] = row();
      connection.publish(`reports.${mark.toString('hex')}`, report, { reply, headers: expected });
    };
    const lane = async () => {
      for (let batch = 0; batch < batches; batch++) await askAll(BATCH, publish, () => undefined);
    };
    const before = processorTime(server.pid);
    const begun = performance.now();
    await Promise.all(Array.from({ length: LANES }, lane));
    say('JetStream, one server', (performance.now() - begun) / 1000, processorTime(server.pid) - before);
    const { messages } = (await manager.streams.info('reports')).state;
    if (messages !== rows) throw new Error(`${messages} messages of ${rows}`);
  } finally {
    await connection.close();
    server.kill('SIGKILL');
  }
}

try {
  const bin = programs();
  if (bin === undefined)
    process.stdout.write('PostgreSQL: not measured, since it is not installed (Debian: postgresql)\n');
  else await postgresql(bin);
  if (spawnSync('nats-server', ['--version']).status !== 0)
    process.stdout.write('JetStream: not measured, since nats-server is not installed\n');
  else await oneServer();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

// A simulation on several workers, with faults that are played and not described:
//
//   npm run build && node test/cluster/simulating.mjs
//
// It needs nats-server, and starts one on a port of its own. The same run is played here, and by workers of which one is killed
// (SIGKILL) while it has a job, and one is stopped for so long that its job goes to another and is done twice. The documents
// have to be equal to the bit, but for their times. The last line counts the checks.
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { serialize } from 'node:v8';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { check, finish, MAIN } from './serving.mjs';

const root = new URL('../../', import.meta.url);
const { bits, seededRandom } = await import(new URL('dist/src/index.js', root).href);
const evidence = fileURLToPath(new URL('test/evidence/run.mjs', root));
const folder = mkdtempSync(join(tmpdir(), 'ldpkit-simulating-'));
const children = [];

/** Waits until something holds; what does not within half a minute is a failure of its own. */
async function until(what, holds) {
  for (let tries = 0; tries < 1500; tries++) {
    if (await holds()) return;
    await pause(20);
  }
  throw new Error(`never: ${what}`);
}

function start(program, words) {
  const child = spawn(program, words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const started = { child, said: '', ended: undefined };
  child.stderr.setEncoding('utf8').on('data', (text) => {
    started.said += text;
  });
  started.ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  children.push(child);
  return started;
}

const worker = (name) =>
  start(process.execPath, [MAIN, 'work', url, '--threads', '1', '--name', name, '--folder', join(folder, name)]);

const ldpkit = (words) => run(process.execPath, [MAIN, ...words]);

function run(program, words) {
  return new Promise((resolve) => {
    execFile(program, words, { cwd: folder, maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

const withoutEffort = (text) =>
  JSON.stringify(JSON.parse(text), (key, value) => (key === 'effort' ? undefined : value));

const withoutTimes = (text) =>
  JSON.stringify(JSON.parse(text), (key, value) => (/^(seconds|reportsPerSecond)$/.test(key) ? undefined : value));

/** 200,000 people in four blocks. */
function writePeople() {
  const random = seededRandom('people');
  const uniform = () => bits(random) / 2 ** 32;
  const lines = ['age,hours,happy'];
  for (let i = 0; i < 200_000; i++) {
    const [age, hours] = [Math.floor(90 * uniform()), Math.floor(50 * uniform())];
    lines.push(`${age},${hours},${uniform() < (age + hours) / 140 ? 'yes' : 'no'}`);
  }
  writeFileSync(join(folder, 'people.csv'), `${lines.join('\n')}\n`);
  const features = [
    { constant: 1 },
    { column: 'age', minimum: 0, maximum: 90 },
    { column: 'hours', minimum: 0, maximum: 50 },
  ];
  const label = { column: 'happy', positive: 'yes', negative: 'no' };
  writeFileSync(join(folder, 'people.json'), JSON.stringify({ label, features, normalize: 'unit' }));
  const happy = { column: 'happy', classes: ['yes', 'no'] };
  writeFileSync(join(folder, 'happy.json'), JSON.stringify({ label: happy }));
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const port = await freePort();
const url = `nats://127.0.0.1:${port}`;
const RUN =
  'run hinge --data people.csv --schema people.json --epsilon 1 --variant sampled --repetitions 5 --json'.split(' ');
const SURVEY = 'run frequency --data people.csv --schema happy.json --epsilon 1,2 --json'.split(' ');

try {
  writePeople();
  mkdirSync(join(folder, 'nats'));
  start('nats-server', ['-js', '-a', '127.0.0.1', '-p', `${port}`, '-sd', join(folder, 'nats')]);
  let connection;
  await until('the server answers', async () => {
    connection = await connect({ servers: `127.0.0.1:${port}` }).catch(() => undefined);
    return connection !== undefined;
  });
  const manager = await jetstreamManager(connection);
  const pending = async () => (await manager.consumers.info('ldpkit-jobs', 'workers')).num_ack_pending;
  const results = async () => (await manager.streams.info('ldpkit-results', { subjects_filter: '>' })).state;

  const alone = await ldpkit(RUN);
  let a = worker('a');
  await until('a worker waits', () => a.said.includes('waiting for jobs'));
  const running = ldpkit([...RUN, '--workers', url]);
  // A worker that is stopped keeps the job it has: one that is stopped between two jobs goes on.
  await until('a worker is stopped with a job, after a few results', async () => {
    const state = await results().catch(() => undefined);
    if (state === undefined || state.messages < 2) return false;
    a.child.kill('SIGSTOP');
    await pause(100);
    if ((await pending()) === 1) return true;
    a.child.kill('SIGCONT');
    return false;
  });
  a.child.kill('SIGKILL');
  await a.ended;
  check('a worker was killed while it had a job', (await pending()) === 1);
  const [subject] = Object.keys((await results()).subjects);
  const twice = await connection.request(subject, serialize('another result'), { timeout: 5000 });
  check('a second result of a job is refused by the server', twice.json().error?.err_code === 10077);
  const b = worker('b');
  // It reads the records for its first job.
  await until('another worker has a job', () => b.said.includes('reading'));
  b.child.kill('SIGSTOP');
  a = worker('a');
  const many = await running;
  check('with a worker killed and one stopped, the run ends', many.code === 0);
  check('its document is that of one process, to the bit', withoutTimes(many.stdout) === withoutTimes(alone.stdout));
  check(
    'it says what each worker did',
    /worker a: \d+ jobs, [\d.]+ s of work, [\d,]+ players a second/.test(many.stderr),
  );
  check('nothing of the run is left in the queue', (await results()).messages === 0);
  b.child.kill('SIGCONT');
  // The run is over: what is heard of it now is of the job that another worker did meanwhile.
  await until('the stopped worker ends its job', async () => (await results()).messages === 1);
  check('the worker that was stopped did a job that was done already, and goes on', b.child.exitCode === null);
  check('files were fetched once, by their content', readdirSync(join(folder, 'b')).length === 2);

  const [survey, surveyAlone] = [await ldpkit([...SURVEY, '--workers', url]), await ldpkit(SURVEY)];
  check('a survey by workers is the same', withoutTimes(survey.stdout) === withoutTimes(surveyAlone.stdout));
  const otherCoins = await ldpkit([...SURVEY, '--seed', 'other']);
  check('a control: other coins are seen', withoutTimes(otherCoins.stdout) !== withoutTimes(surveyAlone.stdout));

  const VALIDATE = ['validate', '--only', 'euclidean-median-theorem-17-oracle', '--json'];
  const chunks = (words) => run(process.execPath, [evidence, ...words]);
  const theoremsAlone = await chunks(VALIDATE);
  const chunkWorker = (name) => start(process.execPath, [evidence, 'work', url, '--threads', '1', '--name', name]);
  const c = chunkWorker('c');
  // Chunks take a tenth of a second: who began together with the worker might be done before one is seen.
  await until('a worker waits for chunks', () => c.said.includes('waiting for chunks'));
  const measuring = chunks([...VALIDATE, '--workers', url]);
  await until('a worker has a chunk', async () => {
    const state = await manager.consumers.info('ldpkit-evidence-jobs', 'workers').catch(() => undefined);
    return (state?.num_ack_pending ?? 0) > 0;
  });
  c.child.kill('SIGKILL');
  const d = chunkWorker('d');
  const theorems = await measuring;
  check('a validation by workers, one of them killed, ends', theorems.code === 0);
  check('and is that of one process', withoutEffort(theorems.stdout) === withoutEffort(theoremsAlone.stdout));
  d.child.kill('SIGTERM');
  check('a worker that is told to end ends', (await d.ended) === 0);

  const stranger = connection.subscribe('ldpkit.hello', {
    callback(_, message) {
      message.respond(JSON.stringify({ name: 'stranger', version: 'ldpkit 0.0.0' }));
    },
  });
  const refused = await ldpkit([...SURVEY, '--workers', url]);
  const both = /expected workers of ldpkit \S+, V8 .*, got stranger of ldpkit 0\.0\.0/;
  check('a worker of another version is refused, and both are said', refused.code === 2 && both.test(refused.stderr));
  stranger.unsubscribe();
  const old = { run: 'old', number: 0, version: 'ldpkit 0.0.0', job: {} };
  await connection.request('ldpkit.jobs.old.0', serialize(old), { timeout: 5000 });
  const code = await Promise.race([a.ended, b.ended]);
  const said = `${a.said}${b.said}`;
  check(
    'a job of another version is refused, and both are said',
    code === 2 && said.includes('got jobs of ldpkit 0.0.0'),
  );

  for (const { child } of [a, b]) child.kill('SIGKILL');
  const jobs = async () => (await manager.streams.info('ldpkit-jobs', { subjects_filter: '>' })).state;
  for (const name of ['ldpkit-jobs', 'ldpkit-results']) await manager.streams.purge(name);
  const deaf = ldpkit([...SURVEY, '--workers', url]);
  await until('a job waits', async () => (await jobs()).messages > 0);
  const [waiting] = Object.keys((await jobs()).subjects);
  await connection.request(waiting.replace('jobs', 'results'), Buffer.from('no result'), { timeout: 5000 });
  const unread = await deaf;
  const left = (await jobs()).messages + (await results()).messages;
  check('a result that cannot be read ends the run, which takes its jobs back', unread.code === 1 && left === 0);
  await connection.close();
} catch (error) {
  check(`the script ran to its end: ${error.stack}`, false);
} finally {
  for (const child of children) child.kill('SIGKILL');
  await pause(200);
  rmSync(folder, { recursive: true, force: true });
}
finish();

// What people and programs do wrong, or on purpose, to a collector that runs:
//
//   npm run build && node test/cluster/bad-input.mjs
//
// A wrong digest, a plan that is unknown or over, a ticket that is forged, used or of another plan, a truncated batch, a body that
// would grow a thousandfold, one that comes a byte a second, a name of 10 kB, a clock that is wrong by a day, two coordinators, and
// a disk that is read-only at the start. Each has a clear answer, and nothing that was counted is lost. Where nats-server is
// installed, also before a cluster of one server. The last line counts the checks.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { certify, seededRandom } from 'ldpkit';
import { collector, encodeBatch } from 'ldpkit/client';
import { hinge, lifted } from 'ldpkit/protocols/hinge';
import { oneBit, userLevelMean } from 'ldpkit/protocols/user-level-mean';
import { check, finish, MAIN, planFolder, serving } from './serving.mjs';

const random = seededRandom('bad input');
const [parameters, other] = [1, 2].map((epsilon) => lifted({ epsilon, degree: 1, dimension: 3, grade: 'deployment' }));
const { digest } = parameters;
const datum = { features: Float64Array.of(0.6, 0, 0.8), label: 1 };
const reportOf = (of) => hinge.report.encode(of, hinge.player.randomize(of, datum, random));
const { folder, plan, remove } = planFolder(hinge, parameters);
const write = (name, text) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

async function post(url, path, body, headers) {
  const type = 'application/octet-stream';
  const answer = await fetch(`${url}plans/${path}`, {
    method: 'POST',
    headers: { 'content-type': type, ...headers },
    body,
  });
  return { status: answer.status, said: await answer.json() };
}
const standing = async (url, of = digest) => (await fetch(`${url}plans/${of}/status`)).json();
const ldpkit = (...words) => execFileSync(process.execPath, [MAIN, ...words], { encoding: 'utf8' });

/** Tickets of a plan. */
const ticketsOf = (file, count) =>
  ldpkit('tickets', file, '--secret', join(folder, 'secret'), '--count', `${count}`).trim().split('\n');

/** Everything that one request can do wrong, to a collector with tickets; how many it should have counted in the end. */
async function oneByOne(door, url, tickets, foreign) {
  const checked = (what, holds) => check(`${door}: ${what}`, holds);
  const [mine, second] = tickets;
  const player = (name) => ({ 'ldpkit-player': name });
  const bytes = reportOf(parameters);
  const outcome = async (name, report = bytes) =>
    (await post(url, `${digest}/report`, report, player(name))).said.outcome;
  checked('a ticket counts once', (await outcome(mine)) === 'counted');
  const unknown = await post(url, `${digest.replace(/./g, 'f')}/report`, bytes, player(second));
  checked(
    'a wrong digest, or a plan that is unknown: 404',
    unknown.status === 404 && unknown.said.error.includes('plan'),
  );
  checked('a report of another plan is refused', (await outcome(second, reportOf(other))) === 'refused');
  const forged = second.slice(0, -1) + (second.endsWith('A') ? 'E' : 'A');
  checked('a forged ticket is forbidden', (await outcome(forged)) === 'forbidden');
  checked(
    'a used ticket, with another report, is a duplicate',
    (await outcome(mine, reportOf(parameters))) === 'duplicate',
  );
  checked('a ticket of another plan is forbidden', (await outcome(foreign)) === 'forbidden');
  const batch = { 'content-type': 'application/vnd.ldpkit.batch' };
  const whole = encodeBatch([{ player: second, bytes }]);
  const cut = await post(url, `${digest}/reports`, whole.subarray(0, -1), batch);
  checked(
    'a truncated batch: 400, and nothing of it is counted',
    cut.status === 400 && cut.said.error.includes('missing'),
  );
  const bomb = gzipSync(Buffer.alloc(64 << 20));
  const bombs = await Promise.all(
    ['gzip', 'br', 'deflate'].map((encoding) =>
      post(url, `${digest}/reports`, bomb, { ...batch, 'content-encoding': encoding }),
    ),
  );
  checked(
    `${bomb.length} bytes that stand for 64 MiB: 415`,
    bombs.every(({ status }) => status === 415),
  );
  const long = await post(url, `${digest}/report`, bytes, player('x'.repeat(10_000)));
  checked('a name of 10 kB: 400', long.status === 400 && long.said.error.includes('256 characters'));
  const dated = { date: new Date(0).toUTCString(), ...player(second) };
  checked(
    'a device whose clock is wrong is counted',
    (await post(url, `${digest}/report`, bytes, dated)).said.outcome === 'counted',
  );
  checked('two reports are counted, and nothing else', (await standing(url)).counted <= 2);
}

/** One who sends a byte a second: how long that goes on, in s, and what the server said. */
function slowly(url, start) {
  return new Promise((resolve) => {
    const begun = performance.now();
    const { port, hostname } = new URL(url);
    let said = '';
    const socket = connect(Number(port), hostname, () => socket.write(start));
    const timer = setInterval(() => socket.write('x'), 1000);
    socket.on('data', (data) => {
      said += data;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(timer);
      resolve({ seconds: (performance.now() - begun) / 1000, said });
    });
  });
}

/** Two hundred who send a byte a second, while others are served. */
async function slowLoris(url) {
  const body = `POST /plans/${digest}/reports HTTP/1.1\r\nhost: a\r\ncontent-type: application/vnd.ldpkit.batch\r\ncontent-length: 100000\r\n\r\n`;
  const head = 'POST /plans HTTP/1.1\r\nhost: a\r\nx-slow: ';
  const slow = Array.from({ length: 200 }, (_, i) => slowly(url, i % 2 ? body : head));
  await pause(1000);
  const begun = performance.now();
  const { outcome } = await collector(url).send(digest, 'beside them', reportOf(parameters));
  const seconds = (performance.now() - begun) / 1000;
  check(
    `beside 200 who send a byte a second a report is counted (${seconds.toFixed(2)} s)`,
    outcome === 'counted' && seconds < 5,
  );
  const ended = await Promise.all(slow);
  const longest = Math.max(...ended.map((one) => one.seconds));
  // The limit is 30 s, the server looks every 5 s, and the rest is for a busy machine.
  check(
    `each of them is told that it takes too long, and cut off (${longest.toFixed(0)} s)`,
    longest < 55 && ended.every(({ said }) => said === '' || said.includes(' 408 ')),
  );
}

/** Two programs on one folder, both coordinators of a plan in rounds, who end each round at the same moment. */
async function twoCoordinators(door, words) {
  const rounds = oneBit({ epsilon: 2, players: 400, samples: 2, grade: 'deployment' });
  const file = write('rounds.json', JSON.stringify(certify(userLevelMean, rounds)));
  const both = await Promise.all(
    [0, 1].map((at) => serving(file, [...words(at), '--coordinator', 'let me', '--minimum-players', '1'])),
  );
  const headers = { authorization: 'Bearer let me' };
  let [player, ends, last] = [0, 0, undefined];
  for (;;) {
    const asked = await collector(both[0].url).round(rounds.digest);
    if (asked === undefined) break;
    const round = userLevelMean.rounds.remake(rounds, asked);
    for (let i = 0; i < 40; i++) {
      last = userLevelMean.report.encode(round, userLevelMean.player.randomize(round, { samples: [0.2, 0.4] }, random));
      await collector(both[i % 2].url).send(rounds.digest, `player ${player++}`, last);
    }
    const closed = await Promise.all(
      both.map(({ url }) => post(url, `${rounds.digest}/close?round=${ends}`, '', headers)),
    );
    ends++;
    if (!closed.every(({ status }) => status === 200)) break;
  }
  const all = await Promise.all(both.map(({ url }) => standing(url, rounds.digest)));
  check(
    `${door}: two coordinators end each of ${rounds.shares.length} rounds once, and nobody is lost`,
    ends === rounds.shares.length && all.every(({ round, counted }) => round === null && counted === player),
  );
  const late = await collector(both[0].url).send(rounds.digest, 'straggler', last);
  check(`${door}: a report of a plan whose last round is over is late`, late.outcome === 'late');
  for (const { end } of both) await end();
}

/** The same folder by a program whose clock is a day late and one whose clock is a day early. */
async function wrongClock() {
  const store = join(folder, 'clock');
  let counted = 0;
  for (const days of [1, -1]) {
    const shift = `const now = Date.now; Date.now = () => now() + ${days * 86_400_000};`;
    process.env.NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(shift)}`;
    const { url, end } = await serving(plan, ['--folder', store]).finally(() => delete process.env.NODE_OPTIONS);
    const outcomes = [];
    for (const name of ['one', `of day ${days}`]) {
      outcomes.push((await collector(url).send(digest, name, reportOf(parameters))).outcome);
    }
    counted = (await standing(url)).counted;
    check(
      `a collector whose clock is wrong by ${days} day counts each player once`,
      outcomes.join() === (days === 1 ? 'counted,counted' : 'duplicate,counted'),
    );
    await end();
  }
  check('and no report is lost between the two', counted === 3);
}

/** A disk that cannot be written at the start, and what was on it before. */
async function readOnly(door, words) {
  const disk = join(folder, `disk-${door}`);
  mkdirSync(disk);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', disk], { stdio: 'ignore' }).status !== 0) {
    process.stdout.write('--   a read-only disk: not played, since this user may not mount one\n');
    return;
  }
  try {
    const first = await serving(plan, [...words, '--folder', disk]);
    const { outcome } = await collector(first.url).send(digest, `on the disk, ${door}`, reportOf(parameters));
    await first.end();
    spawnSync('mount', ['-o', 'remount,ro', disk]);
    const { status, stderr } = spawnSync(
      process.execPath,
      [MAIN, 'serve', plan, ...words, '--folder', disk, '--port', '0'],
      {
        encoding: 'utf8',
        timeout: 60_000,
      },
    );
    check(
      `${door}: with a disk that is read-only at the start the collector says so, and ends`,
      outcome === 'counted' &&
        status !== 0 &&
        status !== null &&
        /^ldpkit: "folder" expected a folder that can be written to/m.test(stderr),
    );
    spawnSync('mount', ['-o', 'remount,rw', disk]);
    const again = await serving(plan, [...words, '--folder', disk]);
    const same = await collector(again.url).send(digest, `on the disk, ${door}`, reportOf(parameters));
    check(`${door}: nothing that was on it is lost`, same.outcome === 'duplicate');
    await again.end();
  } finally {
    spawnSync('umount', ['-l', disk]);
  }
}

/** A cluster of one server, while something is done. */
async function withServer(does) {
  if (spawnSync('nats-server', ['--version'], { stdio: 'ignore' }).status !== 0) {
    process.stdout.write('--   a cluster: not played, since there is no nats-server\n');
    return;
  }
  const port = '26222';
  const node = spawn('nats-server', ['-a', '127.0.0.1', '-p', port, '-js', '-sd', join(folder, 'nats')], {
    stdio: 'ignore',
  });
  try {
    await pause(1000);
    await does(`nats://127.0.0.1:${port}`);
  } finally {
    node.kill('SIGKILL');
  }
}

try {
  const tickets = ticketsOf(plan, 4);
  const [foreign] = ticketsOf(write('other.json', JSON.stringify(certify(hinge, other))), 1);
  const words = ['--tickets', join(folder, 'secret'), '--folder'];
  const alone = await serving(plan, [...words, join(folder, 'alone')]);
  await oneByOne('folder', alone.url, tickets, foreign);
  await alone.end();
  const open = await serving(plan, ['--folder', join(folder, 'open')]);
  const loris = slowLoris(open.url);
  await twoCoordinators('folder', () => ['--folder', join(folder, 'rounds')]);
  await wrongClock();
  await readOnly('folder', []);
  await withServer(async (servers) => {
    const clustered = ['--cluster', servers];
    const door = await serving(plan, [...clustered, ...words, join(folder, 'journal')]);
    await oneByOne('cluster', door.url, tickets.slice(2), foreign);
    await door.end();
    await twoCoordinators('cluster', (at) => [...clustered, '--folder', join(folder, `journal ${at}`)]);
    await readOnly('cluster', clustered);
  });
  await loris;
  await open.end();
} finally {
  remove();
}
finish();

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { hinge, lifted } from '../../../../protocols/hinge/index.ts';
import { privUnit } from '../../../../protocols/online-sgd/parameters.ts';
import { onlineSgd } from '../../../../protocols/online-sgd/protocol.ts';
import { oneBit, userLevelMean } from '../../../../protocols/user-level-mean/index.ts';
import { collector, encodeBatch, type SentReceipt } from '../../../../src/client/collector-client.ts';
import { createSequentialCollector } from '../../../../src/core/collector.ts';
import { createRoundsCollector } from '../../../../src/core/rounds-collector.ts';
import { seededRandom } from '../../../../src/random/seeded.ts';
import { commandHost } from '../command-host.ts';
import { MAIN } from '../command-line.ts';
import { newFolder, startCollector, writePlan } from './collector.ts';
import { get, parameters, plan, post, reports } from './sending.ts';

const { digest } = parameters;
const random = seededRandom('other reports to collect');
const ldpkit = commandHost();

/** What a collector says that ends before it listens. */
async function refusal(words: readonly string[]): Promise<string> {
  const { status, stderr } = await ldpkit(tmpdir(), ['serve', ...words, '--port', '0']);
  expect(status).toBe(2);
  return stderr;
}

describe('ldpkit serve', () => {
  test('after a kill holds exactly the reports that have a receipt, or were on their way', async () => {
    const folder = newFolder();
    const words = [writePlan(folder, hinge, parameters), '--folder', folder];
    const first = await startCollector(words);
    const outcomes = reports.map(async (bytes, i) => {
      const { said } = await post(first.address, `${plan}/report`, bytes, { 'ldpkit-player': `player ${i}` });
      return (said as SentReceipt).outcome;
    });
    // Some have receipts, some not.
    await Promise.race(outcomes.slice(100));
    await first.kill();
    const settled = await Promise.allSettled(outcomes);
    const received = settled.flatMap((one, i) => (one.status === 'fulfilled' ? [i] : []));
    const second = await startCollector(words);
    const { counted } = (await get(second.address, `${plan}/status`)) as { counted: number };
    expect(counted).toBeGreaterThanOrEqual(received.length);
    // Whoever has no receipt sends the same bytes again: in the end each is counted once.
    const sending = collector(second.address);
    const again = await Promise.all(reports.map((bytes, i) => sending.send(digest, `player ${i}`, bytes)));
    for (const i of received) expect(again[i].outcome).toBe('duplicate');
    expect(await get(second.address, `${plan}/status`)).toMatchObject({ counted: reports.length });
    await second.stop();
  });

  test('gives a clear answer to what is no report of its plan, and counts nothing of it', async () => {
    const folder = newFolder();
    const other = lifted({ epsilon: 2, degree: 1, dimension: 3, grade: 'deployment' });
    const { address, stop } = await startCollector([writePlan(folder, hinge, parameters), '--folder', folder]);
    const me = { 'ldpkit-player': 'me' };
    expect((await post(address, 'plans/ffff/report', reports[0], me)).status).toBe(404);
    expect((await post(address, `${plan}/report`, reports[0])).said.error).toContain('ldpkit-player');
    expect((await post(address, `${plan}/report`, reports[0], { 'ldpkit-player': 'x'.repeat(10_000) })).status).toBe(
      400,
    );
    expect((await post(address, `${plan}/report`, reports[0], { ...me, 'content-encoding': 'gzip' })).status).toBe(415);
    expect((await post(address, `${plan}/report`, reports[0], { ...me, 'content-type': 'text/html' })).status).toBe(
      415,
    );
    // A body that is too large is refused while it is still on its way: the client may see the answer, or a closed line.
    const large = await post(address, `${plan}/report`, new Uint8Array(9 << 20), me).catch(() => undefined);
    expect(large?.status ?? 413).toBe(413);
    const batch = { 'content-type': 'application/vnd.ldpkit.batch' };
    const cut = encodeBatch([{ player: 'me', bytes: reports[0] }]).subarray(0, -1);
    expect((await post(address, `${plan}/reports`, cut, batch)).said.error).toContain('its end is missing');
    const foreign = hinge.report.encode(
      other,
      hinge.player.randomize(other, { features: Float64Array.of(0, 0, 1), label: 1 }, random),
    );
    const mixed = encodeBatch([foreign, new Uint8Array(0), reports[0]].map((bytes, i) => ({ player: `${i}`, bytes })));
    const { said } = await post(address, `${plan}/reports`, mixed, batch);
    expect(said.receipts?.map(({ outcome }) => outcome)).toEqual(['refused', 'refused', 'counted']);
    expect((await post(address, `${plan}/close`, new Uint8Array(0))).status).toBe(403);
    expect(await get(address, `${plan}/status`)).toMatchObject({ counted: 1 });
    expect(await stop()).toBe(0);
  });

  test('admits who has a ticket, or is on the list, and nobody else; and no more than it was told', async () => {
    const folder = newFolder();
    const file = writePlan(folder, hinge, parameters);
    const secret = join(folder, 'secret');
    const { stdout } = await ldpkit(folder, ['tickets', file, '--secret', secret, '--count', '2']);
    const [one, two] = stdout.trim().split('\n');
    const ofOne = ['--minimum-players', '1', '--maximum-players', '1'];
    const byTicket = await startCollector([file, '--folder', folder, '--tickets', secret, ...ofOne]);
    const sending = collector(byTicket.address);
    expect((await sending.send(digest, 'no ticket', reports[0])).outcome).toBe('forbidden');
    expect((await sending.send(digest, one, reports[0])).outcome).toBe('counted');
    expect((await sending.send(digest, one, reports[1])).outcome).toBe('duplicate');
    expect((await sending.send(digest, two, reports[1])).outcome).toBe('full');
    await byTicket.stop();
    const ids = join(folder, 'ids');
    writeFileSync(ids, 'ada\ngrace\n');
    const byList = await startCollector([file, '--folder', folder, '--ids', ids]);
    const listed = collector(byList.address);
    expect((await listed.send(digest, 'eve', reports[2])).outcome).toBe('forbidden');
    expect((await listed.send(digest, 'ada', reports[2])).outcome).toBe('counted');
    await byList.stop();
  });

  test('refuses a folder of another plan, a plan that was changed, and the same plan twice', async () => {
    const folder = newFolder();
    const file = writePlan(folder, hinge, parameters);
    expect(await refusal([file, file, '--folder', folder])).toContain('plans that are all different');
    const changed = join(folder, 'changed.json');
    writeFileSync(
      changed,
      JSON.stringify({ protocol: 'hinge', request: { ...parameters.request, epsilon: 2 }, digest }),
    );
    expect(await refusal([changed, '--folder', folder])).toContain('"plan" expected the digest');
    expect(await refusal([join(folder, 'none.json')])).toContain('a file that can be read');
  });

  test('refuses options that do not go together, a cluster that is not there, and rounds in two partitions', async () => {
    const folder = newFolder();
    const file = writePlan(folder, hinge, parameters);
    const gone = 'nats://127.0.0.1:1';
    expect(await refusal([file, '--replicas', '3'])).toContain('"replicas" expected none without --cluster');
    expect(await refusal([file, '--cluster', gone, '--maximum-players', '9'])).toContain(
      '"maximum-players" expected none beside --cluster',
    );
    expect(await refusal([file, '--cluster', 'http://a'])).toContain('addresses such as nats://a:4222');
    expect(await refusal([file, '--cluster', gone])).toContain('NATS servers that answer');
    const rounds = oneBit({ epsilon: 2, players: 400, samples: 2, grade: 'deployment' });
    const inRounds = [writePlan(folder, userLevelMean, rounds), '--cluster', gone, '--partitions', '2'];
    expect(await refusal(inRounds)).toContain('"partitions" expected 1 in rounds and streams');
  });

  test('shows an OpenAPI document of all its routes, metrics, and a page that loads nothing', async () => {
    const folder = newFolder();
    const { address, stop } = await startCollector([writePlan(folder, hinge, parameters), '--folder', folder]);
    const { paths } = (await get(address, 'openapi.json')) as { paths: Record<string, object> };
    expect(Object.keys(paths).sort()).toEqual([
      '/',
      '/metrics',
      '/openapi.json',
      '/plans',
      '/plans/{digest}',
      '/plans/{digest}/close',
      '/plans/{digest}/estimate',
      '/plans/{digest}/events',
      '/plans/{digest}/report',
      '/plans/{digest}/reports',
      '/plans/{digest}/round',
      '/plans/{digest}/status',
    ]);
    expect(await (await fetch(`${address}metrics`)).text()).toContain(`ldpkit_players{plan="${digest}"} 0`);
    const page = await (await fetch(address)).text();
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/(?:src|href)=["']?(?:https?:)?\/\//);
    await stop();
  });

  test('over HTTPS where it is given a key', async () => {
    const folder = newFolder();
    const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name));
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
    const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', cert];
    execFileSync('openssl', ['req', '-x509', ...made, ...subject], { stdio: 'ignore' });
    const file = writePlan(folder, hinge, parameters);
    const { address, stop } = await startCollector([file, '--folder', folder, '--key', key, '--cert', cert]);
    expect(address).toMatch(/^https:/);
    // The certificate is nobody's: a client that checks it refuses to send.
    await expect(fetch(`${address}plans`)).rejects.toThrow();
    await stop();
  });
});

describe('ldpkit serve, in rounds and streams', () => {
  test('closes a round when it has its reports, also after a restart, with the estimate of one process', async () => {
    const folder = newFolder();
    const rounds = oneBit({ epsilon: 2, players: 400, samples: 2, grade: 'deployment' });
    const words = [writePlan(folder, userLevelMean, rounds), '--folder', folder, '--minimum-players', '1'];
    const coordinator = ['--coordinator', 'let me'];
    const here = createRoundsCollector(userLevelMean, rounds);
    const coins = seededRandom('rounds to collect');
    let player = 0;
    let last: unknown;
    let { address, stop } = await startCollector([...words, ...coordinator]);
    for (let closed = 0; here.round !== undefined; closed++) {
      if (closed === 1) {
        await stop();
        ({ address, stop } = await startCollector([...words, ...coordinator]));
      }
      const sending = collector(address);
      const round = userLevelMean.rounds.remake(rounds, await sending.round(rounds.digest));
      expect(round).toEqual(here.round);
      const sent = Array.from({ length: 40 }, () => {
        const report = userLevelMean.player.randomize(round, { samples: [0.25, 0.5] }, coins);
        const bytes = userLevelMean.report.encode(round, report);
        here.receive(bytes, player);
        last = bytes;
        return sending.send(rounds.digest, `${player++}`, bytes);
      });
      for (const { outcome } of await Promise.all(sent)) expect(outcome).toBe('counted');
      here.close();
      const { round: open } = (await get(address, `plans/${rounds.digest}/status`)) as { readonly round: number };
      // Sent again, as after a lost answer, it ends no other round.
      for (const query of [`?round=${open}`, `?round=${open}`, '?round=7']) {
        const closed = await post(address, `plans/${rounds.digest}/close${query}`, new Uint8Array(0), {
          authorization: 'Bearer let me',
        });
        expect(closed.status).toBe(200);
      }
      // A straggler is told that it is late, and is not counted.
      expect((await sending.send(rounds.digest, 'late', last as Uint8Array)).outcome).toBe('late');
      if (here.round === undefined) {
        expect(await sending.round(rounds.digest)).toBeUndefined();
        const { mean } = (await get(address, `plans/${rounds.digest}/estimate`)) as { mean: readonly number[] };
        expect(mean).toEqual(Array.from(here.estimate().mean));
      }
    }
    await stop();
  });

  test('closes a round by time, as soon as it has the reports it needs', async () => {
    const folder = newFolder();
    const rounds = oneBit({ epsilon: 2, players: 400, samples: 2, grade: 'deployment' });
    const words = [writePlan(folder, userLevelMean, rounds), '--folder', folder, '--close-after', '1'];
    const { address, stop } = await startCollector(words);
    const sending = collector(address);
    const round = userLevelMean.rounds.remake(rounds, await sending.round(rounds.digest));
    const coins = seededRandom('a round by time');
    const status = async () => (await get(address, `plans/${rounds.digest}/status`)) as { readonly round: number };
    // Well after its time: without reports it stays open.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect((await status()).round).toBe(0);
    const sent = Array.from({ length: 40 }, (_, i) => {
      const report = userLevelMean.player.randomize(round, { samples: [0.25, 0.5] }, coins);
      return sending.send(rounds.digest, `${i}`, userLevelMean.report.encode(round, report));
    });
    await Promise.all(sent);
    while ((await status()).round === 0) await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await status()).toMatchObject({ round: 1, countedInRound: 0 });
    await stop();
  });

  test('publishes the step of a stream, and goes on after a kill where it was', async () => {
    const folder = newFolder();
    const stream = privUnit({
      epsilon: 4,
      grade: 'deployment',
      model: { kind: 'huber', features: 2 },
    });
    const words = [writePlan(folder, onlineSgd, stream), '--folder', folder];
    const here = createSequentialCollector(onlineSgd, stream);
    const coins = seededRandom('a stream to collect');
    for (let part = 0; part < 2; part++) {
      const running = await startCollector(words);
      const sending = collector(running.address);
      for (let i = 0; i < 15; i++) {
        const step = onlineSgd.player.remake(stream, await sending.round(stream.digest));
        expect(step).toEqual(here.step());
        const report = onlineSgd.player.randomize(step, { features: [1, 0.5], response: 0.7 }, coins);
        const bytes = onlineSgd.report.encode(stream, report);
        const outcome = here.receive(bytes, 15 * part + i).outcome;
        expect((await sending.send(stream.digest, `${15 * part + i}`, bytes)).outcome).toBe(outcome);
      }
      await running.kill();
    }
  });
});

test('ldpkit demo gives an estimate of fewer devices than a collector waits for by default', async () => {
  const { status, stdout } = await ldpkit(newFolder(), ['demo', '--devices', '3', '--exit']);
  expect(status).toBe(0);
  expect(stdout).toContain('3 receipts say "counted"; the collector counts 3\n');
});

/** A demonstration with a folder of its own for temporary files, whose devices have begun to answer. */
async function startDemo(folder: string) {
  const env = { ...process.env, TMPDIR: folder };
  const demo = spawn(process.execPath, [MAIN, 'demo', '--devices', '1000000'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const address = await new Promise<string>((found) => {
    demo.stdout.setEncoding('utf8').on('data', (text: string) => {
      const [, page] = /^live page: (\S+)$/m.exec(text) ?? [];
      if (page !== undefined) found(page);
    });
  });
  return { demo, address, ended: new Promise((done) => demo.on('close', done)) };
}

test('ldpkit demo that is told to end while devices answer ends its collector, and leaves no folder', async () => {
  const folder = newFolder();
  const { demo, address, ended } = await startDemo(folder);
  demo.kill('SIGTERM');
  expect(await ended).toBe(130);
  await expect(fetch(address)).rejects.toThrow();
  expect(readdirSync(folder)).toEqual([]);
});

test('ldpkit demo whose collector dies ends when devices get no more receipts, and leaves no folder', async () => {
  const folder = newFolder();
  const { demo, ended } = await startDemo(folder);
  const processes = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const [collector] = processes.map((line) => line.trim().split(/\s+/).map(Number)).filter(([, of]) => of === demo.pid);
  process.kill(collector[0], 'SIGKILL');
  expect(await ended).toBe(1);
  expect(readdirSync(folder)).toEqual([]);
});

test('ldpkit demo whose collector ends before it listens says so in a line', async () => {
  const folder = newFolder();
  const ending = join(folder, 'ending.mjs');
  writeFileSync(ending, "if (process.argv[2] === 'serve') process.exit(2);");
  const env = { ...process.env, NODE_OPTIONS: `--import=${ending}` };
  const { status, stderr } = spawnSync(process.execPath, [MAIN, 'demo', '--exit'], { env, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'ldpkit: the collector has ended, and the demonstration with it\n',
  });
});

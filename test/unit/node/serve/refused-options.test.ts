import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { hinge, lifted } from '../../../../protocols/hinge/index.ts';
import { openLog } from '../../../../src/node/serve/log.ts';
import { commandHost } from '../command-host.ts';
import { newFolder, writePlan } from './collector.ts';

const ldpkit = commandHost();
const parameters = lifted({ epsilon: 1, degree: 1, dimension: 3, grade: 'deployment' });

/** What a command about the plan is refused with. */
async function refusalOf(folder: string, command: string, ...words: string[]): Promise<string> {
  const plan = writePlan(folder, hinge, parameters);
  const { status, stdout, stderr } = await ldpkit(folder, [command, plan, ...words]);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  return stderr;
}

describe('ldpkit serve refuses in one line', () => {
  test('a folder that is a file', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'taken'), '');
    expect(await refusalOf(folder, 'serve', '--folder', 'taken')).toBe(
      'ldpkit: "folder" expected a folder, got "taken"\n',
    );
  });

  test('a list of certificates, and says how one is written', async () => {
    const folder = newFolder();
    const { status, stderr } = await ldpkit(folder, ['certify', 'frequency', '--json']).then(({ stdout }) => {
      writeFileSync(join(folder, 'plans.json'), stdout);
      return ldpkit(folder, ['serve', 'plans.json']);
    });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr:
        'ldpkit: "plan" expected one certificate, as ldpkit certify prints it with --variant and --json, got "plans.json"\n',
    });
  });

  test('a port on which another program listens', async () => {
    const other = createServer();
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const { port } = other.address() as { readonly port: number };
    expect(await refusalOf(newFolder(), 'serve', '--port', `${port}`)).toBe(
      `ldpkit: "port" expected one that no other program listens on, got ${port}\n`,
    );
    await new Promise((done) => other.close(done));
  });

  test('an option that is typed twice', async () => {
    expect(await refusalOf(newFolder(), 'serve', '--port', '8081', '--port', '8082')).toBe(
      'ldpkit: "port" expected to be typed once, got "8082"\n',
    );
  });

  test('more players before an estimate than the collector takes, also by default', async () => {
    const folder = newFolder();
    const refused = (fewest: number, most: string) =>
      `ldpkit: "maximum-players" expected at least --minimum-players (${fewest}), from which on estimates are given, got ${most}\n`;
    const typed = ['--minimum-players', '100', '--maximum-players', '5'];
    expect(await refusalOf(folder, 'serve', ...typed)).toBe(refused(100, '5'));
    expect(await refusalOf(folder, 'serve', '--maximum-players', '99')).toBe(refused(100, '99'));
    expect(existsSync(join(folder, 'collected'))).toBe(false);
  });

  test('an empty address, with which Node listens on all', async () => {
    expect(await refusalOf(newFolder(), 'serve', '--port', '0', '--host', '')).toBe(
      'ldpkit: "host" expected an address of this machine, got ""\n',
    );
  });

  test('files that are no key and certificate, no ids, and no secret, by the option that names them', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'empty'), '');
    const refused = (...words: string[]) => refusalOf(folder, 'serve', '--port', '0', ...words);
    expect(await refused('--key', 'empty', '--cert', 'empty')).toBe(
      'ldpkit: "key" expected a key in PEM that belongs to the certificate in PEM "empty", got "empty"\n',
    );
    expect(await refused('--ids', 'empty')).toBe('ldpkit: "ids" expected one id or more, one a line, got "empty"\n');
    expect(await refused('--tickets', 'empty')).toBe(
      'ldpkit: "tickets" expected a secret of at least 16 bytes, got "empty"\n',
    );
  });

  test.each(['192.0.2.1', '300.1.1.1'])('an address that is not of this machine: %s', async (host) => {
    expect(await refusalOf(newFolder(), 'serve', '--port', '0', '--host', host)).toBe(
      `ldpkit: "host" expected an address of this machine, got "${host}"\n`,
    );
  });

  test.each([
    ['--close-every', '5', '5'],
    ['--close-after', '60', '60'],
    ['--coordinator', 'a secret', '"a text"'],
  ])('%s where no plan has rounds, before it makes a folder', async (option, typed, got) => {
    const folder = newFolder();
    expect(await refusalOf(folder, 'serve', option, typed)).toBe(
      `ldpkit: "${option.slice(2)}" expected none: no plan has rounds, got ${got}\n`,
    );
    expect(existsSync(join(folder, 'collected'))).toBe(false);
  });

  test('a query with a field that the protocol does not know, before it makes a folder', async () => {
    const folder = newFolder();
    const known = hinge.fields!.query.join(', ');
    expect(await refusalOf(folder, 'serve', '--query', '{"raduis":2}')).toBe(
      `ldpkit: "query" expected no fields but ${known}, got "raduis"\n`,
    );
    expect(await refusalOf(folder, 'serve', '--query', '2')).toBe('ldpkit: "query" expected an object, got 2\n');
    expect(existsSync(join(folder, 'collected'))).toBe(false);
  });

  test('a query that no reports can answer, before it makes a folder', async () => {
    const folder = newFolder();
    expect(await refusalOf(folder, 'serve', '--port', '0', '--query', '{"radius":-1}')).toBe(
      'ldpkit: "radius" expected a finite number > 0, got -1\n',
    );
    expect(existsSync(join(folder, 'collected'))).toBe(false);
  });

  test('a plan whose request has a field that the protocol does not know', async () => {
    const folder = newFolder();
    const plan = writePlan(folder, hinge, parameters);
    const document = JSON.parse(readFileSync(plan, 'utf8'));
    document.request.degre = 2;
    writeFileSync(join(folder, 'other.json'), JSON.stringify(document));
    const { status, stderr } = await ldpkit(folder, ['serve', 'other.json', '--port', '0']);
    expect([status, stderr]).toEqual([
      2,
      `ldpkit: "request" expected no fields but ${hinge.fields!.request.join(', ')}, got "degre"\n`,
    ]);
  });
});

test.each([
  ['a damaged store', 'is not damaged', (path: string) => writeFileSync(path, Buffer.alloc(4096))],
  [
    'the beginning of a store',
    'is not damaged',
    (path: string) => writeFileSync(path, Buffer.from(Uint32Array.of(0, 0, 0, 0, 0, 0, 0xbeefc0de).buffer)),
  ],
  ['a folder in the place of a store', 'can be read and written', (path: string) => mkdirSync(path)],
])('ldpkit serve and export refuse %s, which opened would end the process', async (_, said, spoil) => {
  const folder = newFolder();
  const store = join('collected', parameters.digest, 'reports');
  mkdirSync(join(folder, store), { recursive: true });
  spoil(join(folder, store, 'data.mdb'));
  const message = `ldpkit: "folder" expected one whose store ${said}, got "${store}"\n`;
  const words = ['--folder', 'collected'];
  expect(await refusalOf(folder, 'serve', '--port', '0', ...words)).toBe(message);
  expect(await refusalOf(folder, 'export', '--out', 'reports.parquet', ...words)).toBe(message);
});

/** A store with 3000 reports, written as a collector does, and how a part of its file is to be spoilt. */
async function spoiltStore(folder: string, spoil: (file: Buffer) => Buffer): Promise<string> {
  const { digest } = parameters;
  const log = await openLog(join(folder, 'collected', digest), digest);
  const bytes = new Uint8Array(50).fill(42);
  const offers = Array.from({ length: 3000 }, (_, i) => ({ round: 0, mark: Buffer.from(`player ${i}`), bytes }));
  await log.append(offers, Infinity);
  await log.shut();
  const store = join('collected', digest, 'reports');
  const path = join(folder, store, 'data.mdb');
  writeFileSync(path, spoil(readFileSync(path)));
  return store;
}

test.each([
  ['cut off', (file: Buffer) => file.subarray(0, Math.floor(file.length / 2))],
  [
    'zero in its middle',
    (file: Buffer) => file.fill(0, Math.floor(file.length / 2), Math.floor(file.length / 2) + 65536),
  ],
  ['overwritten near its beginning', (file: Buffer) => file.fill('other', 8192, 32768)],
  ['overwritten near its end', (file: Buffer) => file.fill('other', file.length - 32768)],
  // The number of a transaction: the larger one counts, and may be that of the one before the last.
  ...[0, 1].map(
    (page) =>
      [
        `of other transactions, by a bit of page ${page}`,
        (file: Buffer) => {
          file[page * file.readUInt32LE(48) + 153] ^= 8;
          return file;
        },
      ] as const,
  ),
])('ldpkit serve and export refuse a store that is %s, and lose no report in silence', async (_, spoil) => {
  const folder = newFolder();
  const store = await spoiltStore(folder, spoil);
  const message = `ldpkit: "folder" expected one whose store is not damaged, got "${store}"\n`;
  expect(await refusalOf(folder, 'serve', '--port', '0')).toBe(message);
  expect(await refusalOf(folder, 'export', '--folder', 'collected', '--out', 'reports.parquet')).toBe(message);
});

test('ldpkit export refuses a store in which one bit of a report has changed', async () => {
  const folder = newFolder();
  await spoiltStore(folder, (file) => {
    file[file.lastIndexOf(Buffer.alloc(50, 42)) + 20] ^= 4;
    return file;
  });
  expect(await refusalOf(folder, 'export', '--folder', 'collected', '--out', 'reports.parquet')).toBe(
    'ldpkit: "folder" expected one whose reports are not damaged\n',
  );
});

test('control: ldpkit export writes all reports of a store that is not damaged', async () => {
  const folder = newFolder();
  await spoiltStore(folder, (file) => file);
  const plan = writePlan(folder, hinge, parameters);
  const { stdout } = await ldpkit(folder, ['export', plan, '--folder', 'collected', '--out', 'reports.parquet']);
  expect(stdout).toBe(`wrote 3000 reports of plan ${parameters.digest} to reports.parquet\n`);
  // All their bytes are 42, and so they are no reports of the plan.
  const tallied = await ldpkit(folder, ['tally', plan, 'reports.parquet']);
  expect(tallied.stderr).toMatch(/^not counted: 3,000 reports of the file, the first since "report" expected/);
});

test.each(['none/reports.parquet', '/dev/full'])(
  'ldpkit export refuses %s, into which nothing is written',
  async (out) => {
    const folder = newFolder();
    await spoiltStore(folder, (file) => file);
    expect(await refusalOf(folder, 'export', '--folder', 'collected', '--out', out)).toBe(
      `ldpkit: "out" expected a file that can be written, got "${out}"\n`,
    );
  },
);

test('ldpkit export refuses a folder in which nothing was collected, and makes none', async () => {
  const folder = newFolder();
  const said = await refusalOf(folder, 'export', '--folder', 'colected', '--out', 'reports.parquet');
  expect(said).toBe(`ldpkit: "folder" expected one in which plan ${parameters.digest} was collected, got "colected"\n`);
  expect(readdirSync(folder)).toEqual([`${parameters.digest}.json`]);
});

test('ldpkit work says that it waits only where a server answers, and names its word', async () => {
  const { status, stdout, stderr } = await ldpkit(newFolder(), ['work', 'somewhere']);
  const expected = 'ldpkit: "url" expected addresses such as nats://a:4222,nats://b:4222, got "somewhere"\n';
  expect({ status, stdout, stderr }).toEqual({ status: 2, stdout: '', stderr: expected });
});

test('a coordinator whose text no header carries as it was typed is refused, without the text', async () => {
  for (const text of ['geheim é', ' secret', '']) {
    expect(await refusalOf(newFolder(), 'serve', '--coordinator', text)).toBe(
      'ldpkit: "coordinator" expected characters of ASCII, without a space at its ends\n',
    );
  }
});

test('ldpkit tickets takes no plan for its secret: everybody may read it', async () => {
  const folder = newFolder();
  const plan = `${parameters.digest}.json`;
  expect(await refusalOf(folder, 'tickets', '--secret', plan)).toBe(
    `ldpkit: "secret" expected another file than the plan, which is public, got "${plan}"\n`,
  );
});

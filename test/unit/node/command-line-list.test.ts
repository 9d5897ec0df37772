import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { printed } from '../../../protocols/hinge/parameters.ts';
import { hinge } from '../../../protocols/hinge/protocol.ts';
import { parseSchema } from '../../../src/node/schema.ts';
import { formatCertificate } from '../../../src/privacy/certificate.ts';
import { blocksOf } from '../../documentation/markdown.ts';
import { commandHost } from './command-host.ts';
import { ROOT } from './command-line.ts';
import { scratchFolder } from './scratch.ts';

const host = commandHost();
const write = scratchFolder();
const ldpkit = (...words: readonly string[]) => host(tmpdir(), words);

describe('ldpkit', () => {
  test('tells its version', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(await ldpkit('--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
  });

  test.each([
    ['--help', ['run', 'list', 'certify', 'verify', 'audit']],
    [
      'run hinge --help',
      '--data --schema --epsilon --variant --delta --degree --radius --players --train --repetitions --seed --threads --out --json'.split(
        ' ',
      ),
    ],
    ['list --help', ['--json']],
    ['certify hinge --help', '--variant --epsilon --delta --degree --dimension --grade --html --json'.split(' ')],
    ['verify --help', ['--json']],
    [
      'audit hinge --help',
      '--variant --epsilon --grade --trials --confidence --seed --threads --last-bits --json'.split(' '),
    ],
  ])('%s names what there is', async (words, names) => {
    const { status, stdout, stderr } = await ldpkit(...words.split(' '));
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(names.filter((name) => !stdout.includes(`  ${name} `))).toEqual([]);
  });

  test.each([
    ['hinge', /the model satisfies ‖w‖ ≤ radius \(default: 1\)/, /auto/],
    ['generalized-linear', /≤ radius; auto: the server picks it/, /one loss/],
    ['gradient-waves', /--variant <name> variant of the protocol \(default: the first\)/, /--variant <list>/],
    ['noisy-newton', /--grade <word> simulation: where a curator holds/, /deployment:/],
  ])('run %s --help offers what it takes, and not what it refuses', async (name, has, lacks) => {
    const help = (await ldpkit('run', name, '--help')).stdout.replace(/\s+/g, ' ');
    expect(help).toMatch(has);
    expect(help).not.toMatch(lacks);
  });

  test('export --help says that of a cluster no folder is read', async () => {
    const { stdout } = await ldpkit('export', '--help');
    expect(stdout.replace(/\s+/g, ' ')).toContain('where accepted reports are kept; with --cluster not read');
  });

  test('run --help shows what all protocols have, and says where the rest is', async () => {
    const { status, stdout } = await ldpkit('run', '--help');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ {2}--epsilon <list> /m);
    expect(stdout).toContain('ldpkit run hinge --help');
    expect(stdout).not.toMatch(/--(?:moved|profile|burn-in|loss|data) /);
  });

  test.each(['run', 'certify', 'audit', 'forecast'])(
    '%s --help shows the options of the protocol alone',
    async (name) => {
      const [records, stream] = await Promise.all([
        ldpkit(name, 'hinge', '--help'),
        ldpkit(name, '--help', 'online-sgd'),
      ]);
      expect([records.status, stream.status]).toEqual([0, 0]);
      expect([/^ {2}--degree /m.test(records.stdout), /^ {2}--mu /m.test(records.stdout)]).toEqual([true, false]);
      expect([/^ {2}--degree /m.test(stream.stdout), /^ {2}--mu /m.test(stream.stdout)]).toEqual([false, true]);
    },
  );

  test.each(['', 'no-such-command', 'run', 'run no-such-protocol', 'certify no-such-protocol', 'list hinge'])(
    'ends with 2 and says what it expected: %s',
    async (words) => {
      const { status, stdout, stderr } = await ldpkit(...words.split(' ').filter((word) => word !== ''));
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toMatch(/^(?:Usage: ldpkit|error: |ldpkit: "protocol" expected one of .*\bhinge\b.*, got)/);
      expect(stderr).not.toMatch(/^ +at /m);
    },
  );
});

describe('ldpkit list', () => {
  test('names the protocols and their variants', async () => {
    const { status, stdout } = await ldpkit('list');
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^hinge: linear model .*\n {2}variants: lifted, gaussian, direct, sampled, copies, printed\n/m,
    );
  });

  test('has every protocol of the package, and what each command offers for it', async () => {
    const { stdout } = await ldpkit('list', '--json');
    const listed = JSON.parse(stdout) as readonly { readonly protocol: string; readonly commands: object }[];
    const folders = readdirSync(join(ROOT, 'protocols'), { withFileTypes: true }).filter((one) => one.isDirectory());
    expect(listed.map(({ protocol }) => protocol)).toEqual(folders.map(({ name }) => name).sort());
    expect(listed).toContainEqual(
      expect.objectContaining({
        protocol: 'online-sgd',
        commands: {
          run: 'the flights in the order of time, or the records of a file',
          certify: 'every variant',
          audit: 'the first step',
          forecast: 'the error of a coordinate, its interval',
        },
      }),
    );
  });

  test('prints JSON', async () => {
    const { stdout } = await ldpkit('list', '--json');
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({
        protocol: 'hinge',
        variants: ['lifted', 'gaussian', 'direct', 'sampled', 'copies', 'printed'],
      }),
    );
  });
});

describe('ldpkit certify', () => {
  const request = { epsilon: 1, delta: 1e-6, degree: 2, dimension: 5 };
  const words = 'certify hinge --variant printed --epsilon 1 --delta 1e-6 --degree 2 --dimension 5'.split(' ');

  test('prints the certificate of the protocol', async () => {
    const { status, stdout } = await ldpkit(...words);
    expect(status).toBe(0);
    expect(stdout).toBe(`${formatCertificate(hinge.theory.certificate(printed(request))).join('\n')}\n`);
    expect(stdout).toContain('Certificate of hinge (printed)');
  });

  test('prints it as JSON', async () => {
    const { stdout } = await ldpkit(...words, '--json');
    expect(JSON.parse(stdout)).toMatchObject(JSON.parse(JSON.stringify(hinge.theory.certificate(printed(request)))));
  });

  test('certifies every variant where none is named', async () => {
    const [{ stdout: json }, { stdout: text }] = await Promise.all([
      ldpkit('certify', 'hinge', '--json'),
      ldpkit('certify', 'hinge'),
    ]);
    const variants = ['lifted', 'gaussian', 'direct', 'sampled', 'copies', 'printed'];
    expect(JSON.parse(json).map(({ variant }: { variant: string }) => variant)).toEqual(variants);
    expect(text.match(/(?<=^Certificate of hinge \()\w+/gm)).toEqual(variants);
  });

  test.each([
    ['--dimension 0', '"dimension" expected a whole number >= 1, got 0'],
    ['--epsilon 0', '"epsilon" expected a finite number > 0, got 0'],
    ['--delta 1', '"delta" expected a number strictly between 0 and 1, got 1'],
    ['--degree -1', '"degree" expected a whole number >= 0, got -1'],
    [
      '--variant lifted --degree 5 --dimension 40',
      '"degree" expected powers of v up to d + 1 with at most 100000 entries in dimension 40, got 5',
    ],
    [
      '--dimension 100000',
      '"dimension" expected powers of v up to d + 1 with at most 100000 entries in dimension 100000, got 100000',
    ],
    ['--variant best', '"variant" expected one of lifted, gaussian, direct, sampled, copies, printed, got "best"'],
  ])('refuses %s', async (option, message) => {
    expect(await ldpkit('certify', 'hinge', ...option.split(' '))).toEqual({
      status: 2,
      stdout: '',
      stderr: `ldpkit: ${message}\n`,
    });
  });
});

describe('docs/command-line.md', () => {
  const page = readFileSync(join(ROOT, 'docs/command-line.md'), 'utf8');
  const blocks = blocksOf(page);
  const examples = blocks.flatMap(({ mark, code }, index) =>
    mark === 'sh' && blocks[index + 1]?.mark === 'text' && blocks[index + 1].follows
      ? [{ command: code, printed: blocks[index + 1].code }]
      : [],
  );

  test.each(examples)('shows what is printed by $command', async ({ command, printed: expected }) => {
    const [npx, name, ...words] = command.split(' ');
    expect([npx, name]).toEqual(['npx', 'ldpkit']);
    const { stdout } = await ldpkit(...words);
    expect(stdout.trimEnd()).toBe(expected);
  });

  test('has such examples, and an example of a schema that is accepted', () => {
    expect(examples.map(({ command }) => command.split(' ')[2])).toEqual([
      'list',
      'certify',
      'certify',
      'audit',
      'run',
    ]);
    const schemas = blocks.filter(({ mark, code }) => mark === 'json' && code.includes('"normalize"'));
    const { dimension, title } = parseSchema(JSON.parse(schemas[0].code));
    expect([schemas.length, dimension, title]).toEqual([1, 8, 'People']);
  });

  test('has all protocols in the table of what each of them is played on, as README.md and the program have', async () => {
    const folders = readdirSync(join(ROOT, 'protocols')).sort();
    const listed: { readonly protocol: string }[] = JSON.parse((await ldpkit('list', '--json')).stdout);
    expect(listed.map(({ protocol }) => protocol)).toEqual(folders);
    const [, section] = readFileSync(join(ROOT, 'README.md'), 'utf8').split(/^## Protocols$/m);
    const linked = section.split(/^## /m)[0].matchAll(/\]\(protocols\/([\w-]+)\/README\.md\)/g);
    expect(Array.from(linked, ([, name]) => name).sort()).toEqual(folders);
    const [, table] = page.split('| protocols | keys |');
    const [rows] = table.split('\n\n');
    const named = rows.matchAll(/^\| (`[^|]*`) \|/gm);
    expect(
      Array.from(named, ([, cell]) => cell.match(/[\w-]+/g) ?? [])
        .flat()
        .sort(),
    ).toEqual(folders);
  });

  test('names every key of the document', async () => {
    const keys = Array.from(page.matchAll(/^\| (`[^|]*`) \|/gm), ([, cell]) => cell.match(/\w+/g) ?? []).flat();
    const membersOf = (file: string, names: readonly string[]): readonly string[] => {
      const text = readFileSync(join(ROOT, 'src/node/kinds', file), 'utf8');
      return names.flatMap((name) => {
        const [, declared] = text.split(new RegExp(`export interface ${name}\\b`));
        const [head] = declared.split('{');
        const [body] = declared.split('\n}');
        // What the head picks from other interfaces, and the members.
        const found = [...head.matchAll(/'(\w+)'/g), ...body.matchAll(/^ {2}readonly (\w+)\??:/gm)];
        return found.map(([, key]) => key);
      });
    };
    const heads = membersOf('../report/result.ts', ['RunHead', 'StudyHead', 'EpsilonHead', 'CertificateRecord']);
    const members = [
      ...heads,
      ...membersOf('records/summary.ts', ['RunDocument']),
      ...membersOf('../run-program.ts', ['Origin']),
    ];
    expect(members.length).toBeGreaterThan(20);
    expect(members).toContain('uncertainty');
    expect(members.filter((key) => !keys.includes(key))).toEqual([]);
  });
});

describe('a refusal is in the words that were typed', () => {
  test.each([
    ['forecast online-sgd --dimension 10001', '"dimension" expected a whole number from 1 to 10000, got 10001'],
    ['certify online-sgd --dimension 10001', '"dimension" expected a whole number from 1 to 10000, got 10001'],
    ['certify noisy-newton --dimension 10001', '"dimension" expected a whole number from 1 to 10000, got 10001'],
    ['forecast influence-sgd --players 1', '"players" expected a whole number >= 2, got 1'],
    ['forecast hinge --players 0.5', '"players" expected a whole number >= 1, got 0.5'],
    ['run hinge --out --json', '"out" expected a value, and no other option, got "--json"'],
  ])('%s', async (words, message) => {
    expect(await ldpkit(...words.split(' '))).toEqual({ status: 2, stdout: '', stderr: `ldpkit: ${message}\n` });
  });
});

test('ldpkit verify shows nothing of a file that is none of ldpkit certify', async () => {
  for (const text of ['{}', '[]', '[7]', '"secret"', '[{ "schema": "secret" }]']) {
    const file = write('other.json', text);
    const message = `"certificate" expected a certificate, which ldpkit certify --json prints where a claim is not refuted, got ${JSON.stringify(file)}`;
    expect(await ldpkit('verify', file)).toEqual({ status: 2, stdout: '', stderr: `ldpkit: ${message}\n` });
  }
});

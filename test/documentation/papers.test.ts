// docs/papers.md: no cell is empty, and every command, file and name that it tells of exists.
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { commandHost } from '../unit/node/command-host.ts';
import { sourcesIn } from './importable.ts';
import { type PapersWorld, rowsOf, wrongsOf } from './papers.ts';
import type { Measured } from './validation-page.ts';

const root = resolve(__dirname, '../..');

function found(sources: readonly string[], pattern: RegExp): ReadonlySet<string> {
  return new Set(sources.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name)));
}

const page = readFileSync(join(root, 'docs/papers.md'), 'utf8');
const rows = rowsOf(page);
let world: PapersWorld;

const ldpkit = commandHost();

beforeAll(async () => {
  const sources = [...sourcesIn(root, ['src', 'protocols', 'test/evidence']).values()];
  const { stdout } = await ldpkit(tmpdir(), ['list']);
  const lines = stdout.split('\n');
  const variants = new Set<string>();
  const protocols = new Set<string>();
  for (const [i, line] of lines.entries()) {
    const protocol = /^([a-z-]+): /.exec(line)?.[1];
    if (protocol === undefined) continue;
    protocols.add(protocol);
    for (const variant of lines[i + 1].replace(/^.*: /, '').split(', ')) variants.add(`${protocol} ${variant}`);
  }
  // The names that a wrong one is answered with.
  const { stderr } = await ldpkit(tmpdir(), ['reproduce', 'no-such-table']);
  const reproductions = new Set((/one of (.*), got/.exec(stderr)?.[1] ?? '').split(', '));
  const measured: Measured = JSON.parse(readFileSync(join(root, 'test/evidence/measured.json'), 'utf8'));
  const validations = new Set(measured.validations.map(({ name }) => name));
  const options = new Map<string, ReadonlySet<string>>();
  // Each protocol has options of its own; those are asked for that the page, or a control below, tells of.
  const told = [...page.matchAll(/ldpkit ((?:run|certify|audit|forecast) ([a-z-]+))/g)];
  const ofProtocols = told.filter(([, , protocol]) => protocols.has(protocol)).map(([, words]) => words);
  for (const words of new Set([...ofProtocols, 'run hinge', 'certify hinge', 'reproduce', 'validate'])) {
    const help = await ldpkit(tmpdir(), [...words.split(' '), '--help']);
    options.set(words, found([help.stdout], /^ {2}(--[a-z-]+)/gm));
  }
  world = {
    names: found(sources, /^export (?:async )?(?:function|const|interface|type) (\w+)/gm),
    variants,
    protocols,
    reproductions,
    validations,
    options: (command, subject) => options.get(`${command} ${subject}`) ?? options.get(command) ?? new Set(),
    exists: (path) => existsSync(join(root, path)),
  };
});

describe('docs/papers.md', () => {
  test('has a row for everything, and every command, file and name in it exists', () => {
    expect(rows.length).toBeGreaterThanOrEqual(56);
    expect(rows.flatMap((row) => wrongsOf(row, world))).toEqual([]);
  });

  test('names every experiment that can be reproduced', () => {
    const cells = rows.flat().join(' ');
    expect([...world.reproductions].filter((name) => !cells.includes(`npm run reproduce -- ${name}`))).toEqual([]);
  });

  test('is caught with an empty cell, or a command, option, variant, validation, test, file or name that is none', () => {
    const row = ['Item', '`sphereConstant`', 'by import', 'none: x', 'none: x', '`errata/budget`', 'no figure'];
    const wrongWith = (at: number, cell: string) =>
      wrongsOf(
        row.map((was, i) => (i === at ? cell : was)),
        world,
      );
    expect(wrongsOf(row, world)).toEqual([]);
    expect(wrongsOf(row.slice(1), world)).toHaveLength(1);
    for (const cell of ['', '—', '`noSuchFunction`', 'src/none.ts', '`errata/none`']) {
      expect(wrongWith(2, cell)).toHaveLength(1);
    }
    for (const command of [
      'dance hinge',
      'run none',
      'run hinge --none',
      'run hinge --variant none',
      'certify hinge --variant privUnit',
      'reproduce none',
      'validate --only none',
    ]) {
      expect(wrongWith(6, `\`ldpkit ${command}\``)).toHaveLength(1);
    }
  });
});

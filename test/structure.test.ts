import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { FLOORS, PROTOCOL_ORDER } from './architecture/arrows.ts';
import { SOUND } from './architecture/fixture.ts';
import { parseProject, readTexts, type Texts } from './architecture/project.ts';
import { forwarding, moduleLets, tableOf, tagTests } from './structure/count.ts';
import { DRAWING, DRAWN, drawing } from './structure/drawing.ts';

const root = resolve(__dirname, '..');
const project = parseProject(readTexts(root, DRAWN));
const drawn = drawing(project);

const SIZE = /(\d[\d,]*) lines/g;
const withoutSizes = (text: string): string => text.replaceAll(SIZE, 'lines');
const sizesOf = (text: string): readonly number[] =>
  Array.from(text.matchAll(SIZE), ([, digits]) => Number(digits.replaceAll(',', '')));

describe('the drawing of the layers', () => {
  test('is the one of these imports: npm run draw makes it anew', () => {
    expect(withoutSizes(readFileSync(resolve(root, DRAWING), 'utf8'))).toBe(withoutSizes(drawn));
  });

  test('has sizes that are true to a tenth, so that not every change of a few lines draws it anew', () => {
    const kept = sizesOf(readFileSync(resolve(root, DRAWING), 'utf8'));
    const now = sizesOf(drawn);
    expect(kept.length).toBe(now.length);
    for (const [i, size] of now.entries()) expect(Math.abs(kept[i] - size)).toBeLessThanOrEqual(100 + size / 10);
    expect(sizesOf('<text>1,200 lines</text><text>24,100 lines</text>')).toEqual([1200, 24_100]);
  });

  test('shows every floor, protocol and declared arrow', () => {
    for (const name of [...FLOORS, ...Object.keys(PROTOCOL_ORDER), 'online-sgd', 'test/evidence']) {
      expect(drawn).toContain(`${name}</text>`);
    }
    expect(drawn).toContain('<title>hinge imports generalized-linear</title>');
    expect(drawn).toContain('<title>core imports privacy</title>');
  });

  test('changes with an import of another floor, with a protocol and with a hundred lines', () => {
    const sound = drawing(parseProject(SOUND));
    const floor = {
      'src/optimize/oracle.ts': "import { first } from '../check/number.ts';\nexport const oracle = first;",
    };
    const protocol = { 'protocols/dice/index.ts': 'export const dice = 1;' };
    const lines = { 'src/check/a.ts': '//\n'.repeat(100) };
    for (const changes of [floor, protocol, lines]) {
      expect(drawing(parseProject({ ...SOUND, ...changes }))).not.toBe(sound);
    }
    expect(drawing(parseProject({ ...SOUND, 'src/check/a.ts': '//\n' }))).toBe(sound);
  });

  test('has arrows that are imports: what is declared is used', () => {
    const arrows = new Set<string>();
    for (const { path, arrows: own } of project.sources.values()) {
      const [top, name] = path.split('/');
      for (const { target } of own) {
        const [place, other] = target?.split('/') ?? [];
        if (top === 'protocols' && place === 'protocols' && other !== name) arrows.add(`${name} → ${other}`);
      }
    }
    const declared = Object.entries(PROTOCOL_ORDER).flatMap(([name, others]) =>
      others.map((other) => `${name} → ${other}`),
    );
    expect([...arrows].sort()).toEqual(declared.sort());
  });
});

describe('the count of the code', () => {
  const sourcesOf = (changes: Texts) => [...parseProject({ ...SOUND, ...changes }).sources.values()];

  test('finds files that only forward, also under another name', () => {
    const changes = {
      'src/check/a.ts': "export { first } from './number.ts';",
      'src/check/b.ts': "import { first } from './number.ts';\nexport const second = first;",
      'src/check/c.ts': "import { first } from './number.ts';\nexport const third = first([1], 0);",
    };
    const entries = Object.keys(SOUND);
    expect(forwarding(sourcesOf(changes), entries)).toEqual(['src/check/a.ts', 'src/check/b.ts']);
  });

  test('finds variables that outlive a call, and no others', () => {
    const before = moduleLets(sourcesOf({}));
    const text = 'let a = 1, b = 2;\nexport const c = () => { let d = a + b; return d; };';
    expect(moduleLets(sourcesOf({ 'src/check/a.ts': text })) - before).toBe(2);
  });

  test('finds what is compared with a tag, asked for, or switched on', () => {
    const text = `export const a = (p: any, kind: string) => p.kind === 'x' || kind !== 'y' || 'kind' in p;
      export function b(p: any): void { switch (p.kind) { default: p.kind = 1; } }`;
    expect(tagTests(sourcesOf({ 'src/check/a.ts': text }), 'kind')).toBe('4 in 1 files');
    expect(tagTests(sourcesOf({}), 'kind')).toBe('0 in 0 files');
  });

  test('writes a table', () => {
    expect(tableOf([['files', '3']])).toBe('| counted | amount |\n|---|---:|\n| files | 3 |');
  });
});

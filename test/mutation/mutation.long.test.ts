import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import { declarationsOf } from './declarations.ts';
import { EXCEPTIONS } from './exceptions.ts';
import { mutantsIn } from './mutants.ts';
import { report } from './report.ts';
import { type Outcome, tryMutants } from './study.ts';
import { weave } from './weave.ts';

const root = resolve(__dirname, '../..');

/** The mutants of a text, as `original → replacement`. */
function editsOf(text: string): string[] {
  const source = ts.createSourceFile('fixture.ts', text, ts.ScriptTarget.Latest, true);
  return mutantsIn(source, source).map(({ original, replacement }) => `${original} → ${replacement}`);
}

describe('mutants', () => {
  test('are fifths of factors, next whole numbers elsewhere, and fifths of all other numbers', () => {
    expect(editsOf('const a = 2 * b;')).toEqual(['2 * b → (2) / (b)', '2 → 2.4', '2 → 1.6']);
    expect(editsOf('const a = b ** 2;')).toEqual(['2 → 3']);
    expect(editsOf('const a = 0.5;')).toEqual(['0.5 → 0.6', '0.5 → 0.4']);
  });

  test('are signs, products, roots, extrema and the direction of comparisons', () => {
    expect(editsOf('a - b;')).toEqual(['a - b → (a) + (b)']);
    expect(editsOf('a -= b;')).toEqual(['a -= b → a += b']);
    expect(editsOf('f(-a);')).toEqual(['-a → a']);
    expect(editsOf('a / b;')).toEqual(['a / b → (a) * (b)']);
    expect(editsOf('Math.sqrt(a);')).toEqual(['Math.sqrt(a) → (a)']);
    expect(editsOf('max(a, b);')).toEqual(['max(a, b) → min(a, b)']);
    expect(editsOf('a <= b;')).toEqual(['a <= b → (a) >= (b)']);
  });

  test('are none of types, texts, indices, places, loop heads, tolerances, versions and refusals', () => {
    for (const text of [
      'type A = 1 | 2;',
      "const a = 'x' + b;",
      'a[i + 1];',
      'a.slice(1, 2);',
      'new Float64Array(2 * n);',
      'for (let i = 0; ; i += 1) {}',
      'for (; i < 80; ) {}',
      'const a = 1e-9;',
      'const a = { version: 1 };',
      "if (a > 3) throw new RangeError('no');",
      "checkInteger('a', a, 1);",
      "if (!(a >= 1)) checkInteger('a', a, 1);",
      'if (a.length !== 2 * n) a = new Float64Array(2 * n);',
      'if (a.length < n) { a = new Float64Array(n); b = new Float64Array(n); }',
    ]) {
      expect([text, editsOf(text)]).toEqual([text, []]);
    }
    // And the rules are no wider than that.
    expect(editsOf('for (; i < n - 1; ) {}')).toHaveLength(3);
    expect(editsOf('if (a > 3) { a = new Float64Array(n); b = 4; }')).toHaveLength(3);
    expect(editsOf('if (a > 3) checked(a);')).toHaveLength(2);
    // One more than 1e290 is 1e290.
    expect(editsOf('a < 1e290;')).toEqual(['a < 1e290 → (a) > (1e290)']);
    expect(editsOf("checkPositive('a', 2 * b);")).toHaveLength(3);
  });
});

describe('a woven text', () => {
  const text = 'return Math.sqrt(2 * x) - -1;';
  const source = ts.createSourceFile('fixture.ts', text, ts.ScriptTarget.Latest, true);
  const numbered = mutantsIn(source, source).map((mutant, i) => ({ id: i + 1, mutant }));
  const woven = weave(text, numbered);
  const run = (mutant: number, visited: Uint8Array): number => {
    Object.assign(globalThis, { $mutant: mutant, $visited: visited });
    return new Function('x', woven)(8) as number;
  };

  test('is the original where none is on, and notes what it comes by', () => {
    const visited = new Uint8Array(numbered.length + 1);
    expect(run(0, visited)).toBe(5);
    expect([...visited]).toEqual([0, ...numbered.map(() => 1)]);
  });

  test('is each mutant where that is on, nested places as well', () => {
    for (const { id, mutant } of numbered) {
      const edited = text.slice(0, mutant.start) + mutant.replacement + text.slice(mutant.end);
      expect(run(id, new Uint8Array(1))).toBe(new Function('x', edited)(8));
      expect(run(id, new Uint8Array(1))).not.toBe(5);
    }
  });
});

describe('a run', () => {
  /** A little project with one source, one test and the runner of this one. */
  async function tried(body: string): Promise<readonly Outcome[]> {
    const folder = mkdtempSync(join(tmpdir(), 'ldpkit-fixture-'));
    try {
      for (const [name, target] of [
        ['node_modules', join(root, 'node_modules')],
        ['test/mutation', join(root, 'test/mutation')],
        ['test/environment', join(root, 'test/environment')],
      ]) {
        mkdirSync(join(folder, name, '..'), { recursive: true });
        symlinkSync(target, join(folder, name));
      }
      writeFileSync(join(folder, 'test/jest.config.json'), '{}');
      writeFileSync(join(folder, 'package.json'), '{}');
      const text = 'export function twice(x: number): number {\n  return 2 * x;\n}\n';
      const file = join(folder, 'twice.ts');
      writeFileSync(file, text);
      const path = join(folder, 'twice.test.ts');
      writeFileSync(path, `import { twice } from './twice.ts';\n${body}\n`);
      const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
      const numbered = mutantsIn(source, source).map((mutant, i) => ({ id: i + 1, mutant }));
      const woven = { [file]: weave(text, numbered) };
      const outcomes = await tryMutants({ root: folder, test: path, woven, mutants: numbered.map(({ id }) => id) });
      // Nothing was written into the sources.
      expect(readFileSync(file, 'utf8')).toBe(text);
      return outcomes;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  test('kills what a test of the value notices, and names the test', async () => {
    const outcomes = await tried("test('is four', () => { expect(twice(2)).toBe(4); });");
    expect(outcomes.map(({ killed, by }) => [killed, by])).toEqual([
      [true, 'is four'],
      [true, 'is four'],
      [true, 'is four'],
    ]);
  });

  test('leaves alive what a test that asserts nothing, or too little, comes by', async () => {
    const outcomes = await tried("test('runs', () => { twice(2); });");
    expect(outcomes.map(({ killed, passed }) => [killed, passed])).toEqual([
      [false, 1],
      [false, 1],
      [false, 1],
    ]);
    const some = await tried("test('is at least 4', () => { expect(twice(2)).toBeGreaterThanOrEqual(4); });");
    expect(some.map(({ killed }) => killed)).toEqual([true, false, true]);
  });

  test('does not count what no test comes by, and refuses tests that fail without a mutant', async () => {
    const outcomes = await tried("test('is elsewhere', () => { expect(typeof twice).toBe('function'); });");
    expect(outcomes.map(({ killed, passed }) => [killed, passed])).toEqual([
      [false, 0],
      [false, 0],
      [false, 0],
    ]);
    await expect(tried("test('is five', () => { expect(twice(2)).toBe(5); });")).rejects.toThrow(
      'fails without a mutant',
    );
  });
});

describe('what a row is answered for', () => {
  const declarations = declarationsOf(root);
  const namesOf = (paper: string, number: string): string[] => declarations.of(paper, number).map(({ name }) => name);

  test('is what its tags stand at, what that uses of its file, and quantities of other files', () => {
    const names = namesOf('slides', 'Algorithm, round 2, noise');
    expect(names).toEqual(expect.arrayContaining(['printed', 'printedEpsilon', 'concentrationRadius']));
    // By way of an object that is written out, and not what has tags of its own.
    expect(namesOf('online-inference', 'Definition 1')).toContain('neighbourDistance');
    expect(namesOf('online-inference', 'Definition 1')).not.toContain('omega');
    expect(namesOf('influence', 'Lemma 1')).toEqual([]);
  });

  test('has exceptions that still stand for something, each with a reason', () => {
    for (const { file, line, reason } of EXCEPTIONS) {
      expect(reason.length).toBeGreaterThan(20);
      expect(readFileSync(join(root, file), 'utf8')).toContain(line ?? '');
    }
  });
});

test('the report counts by kind and lists survivors', () => {
  const mutant = { id: 1, kind: 'root', start: 0, end: 1, original: 'sqrt(a)', replacement: '(a)' } as const;
  const placed = { ...mutant, file: 'a.ts', name: 'f', line: 7, context: 'sqrt(a)' };
  const row = { paper: 'slides', number: 'X', status: 'exact', tests: ['t'], mutants: [placed], all: 1 } as const;
  const text = report([{ row, findings: [{ mutant: placed, killed: false, reached: true }] }], new Map(), []);
  expect(text).toContain('| root | 1 | 0 | 1 | 0 | 0.0 |');
  expect(text).toContain('  - 7: a.ts f: sqrt(a): sqrt(a) → (a)');
});

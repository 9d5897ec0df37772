import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Example, examplesOf } from './documentation/examples.ts';
import { anchorsOf, blocksOf, linksOf, type Program, programsOf } from './documentation/markdown.ts';
import { beginTrial, type Outcome, type Trial, typeErrors } from './documentation/trial.ts';

const root = resolve(__dirname, '..');

/** Every page a reader meets; docs/reference is generated. */
const pages = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...filesIn('docs', '.md').filter((path) => !path.startsWith('docs/reference/')),
  ...filesIn('protocols', '.md'),
];
const documents = pages.filter((page) => existsSync(join(root, page)));
const programs = documents.flatMap((page) => programsOf(page, read(page)));

function read(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

function filesIn(folder: string, ending: string): string[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith(ending)).map((file) => `${folder}/${file.replaceAll('\\', '/')}`);
}

/** The links of a page that lead nowhere: no such file, or no such heading in it. */
function brokenLinks(page: string, text: string): string[] {
  return linksOf(text).filter((link) => {
    const [path, anchor] = link.split('#');
    if (path === '') return !anchorsOf(text).includes(decodeURI(anchor));
    const file = join(root, dirname(page), decodeURI(path));
    if (!file.startsWith(join(root, '/')) || !existsSync(file)) return true;
    if (anchor === undefined) return false;
    return !file.endsWith('.md') || !anchorsOf(readFileSync(file, 'utf8')).includes(decodeURI(anchor));
  });
}

/** The `@example` blocks of the reference, which are run and print what they say. */
const examples = ['src', 'protocols']
  .flatMap((place) => filesIn(place, '.ts'))
  .flatMap((path) => examplesOf(path, read(path)));

const sketch = (code: string, place = 'sketch:1'): Program => ({ place, code, printed: undefined });

test('there is a README.md with a program, a CHANGELOG.md and a page of every protocol', () => {
  const protocols = readdirSync(join(root, 'protocols')).map((name) => `protocols/${name}/README.md`);
  expect(documents).toEqual(
    expect.arrayContaining(['README.md', 'CHANGELOG.md', 'protocols/hinge/README.md', ...protocols]),
  );
  expect(programs.map(({ place }) => place.replace(/:\d+$/, ''))).toContain('README.md');
});

test('the first program of README.md has at most 8 lines of code', () => {
  const [first] = programsOf('README.md', read('README.md'));
  expect(first.code).toContain("import { open } from 'ldpkit';");
  expect(first.code.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(8);
});

test('the example of docs/extending.md is the one that the laws try, in at most 95 lines', () => {
  const example = read('test/protocols/defined/bits.ts');
  const [first] = blocksOf(read('docs/extending.md'));
  expect(`${first.code}\n`).toBe(example);
  expect(first.code.split('\n').length).toBeLessThanOrEqual(95);
});

describe('every link to a file or a heading leads there', () => {
  test.each(documents)('%s', (page) => {
    expect(brokenLinks(page, read(page))).toEqual([]);
  });
});

// Programs of guides run where the guide is followed: test/documentation/guides.long.test.ts.
const alone = programs.filter(({ place }) => !place.startsWith('docs/guides/'));
const comment = (...lines: readonly string[]) =>
  ['/**', ' * A.', ' *', ' * @example', ...lines.map((line) => ` * ${line}`), ' */'].join('\n');
const wrongExamples = Object.entries({
  'another output': ['console.log(1); // 2'],
  'one that throws': ['console.log(1); // 1', "throw new Error('no');"],
}).flatMap(([name, code]) => examplesOf(`wrong ${name}`, comment('```ts', ...code, '```')));

let trial: Trial;
let errors: ReadonlyMap<string, readonly string[]>;
let outcomes: ReadonlyMap<Program, Outcome>;
beforeAll(() => {
  trial = beginTrial(root);
  const wrong = sketch("import { noSuchThing } from 'ldpkit';\nconst count: number = 'one';", 'wrong:1');
  const unchecked = sketch('const [first]: number[] = [];\nconst count: number = first;', 'unchecked:1');
  const inexact = sketch('const named: { name?: string } = { name: undefined };', 'inexact:1');
  const controls = [wrong, sketch('const answer: number = 42;'), unchecked, inexact];
  errors = typeErrors(root, [...programs, ...examples, ...controls]);
  const short = [...alone, ...examples, ...wrongExamples];
  const ended = trial.together(short);
  outcomes = new Map(short.map((program, i) => [program, ended[i]]));
});
afterAll(() => trial.end());

describe('every program of a page', () => {
  test.each(programs.map(({ place }) => place))('has sound types: %s', (place) => {
    expect(errors.get(place)).toEqual([]);
  });

  test.each(alone)('runs, and prints what the page says: $place', (program) => {
    const { status, printed, complaint } = outcomes.get(program)!;
    expect({ status, complaint }).toEqual({ status: 0, complaint: '' });
    if (program.printed !== undefined) expect(printed.trimEnd()).toBe(program.printed.trimEnd());
  });

  test('and wrong types are caught', () => {
    expect(errors.get('wrong:1')).toEqual([expect.stringContaining('noSuchThing'), expect.stringContaining('number')]);
    expect(errors.get('sketch:1')).toEqual([]);
    expect(errors.get('unchecked:1')).toEqual([expect.stringContaining('undefined')]);
    expect(errors.get('inexact:1')).toEqual([expect.stringContaining('exactOptionalPropertyTypes')]);
  });

  test('and a program that fails, or that imports what is not public, is caught', () => {
    expect(trial.run(sketch("throw new Error('broken');", 'a:1'))).toMatchObject({ status: 1, printed: '' });
    expect(trial.run(sketch("import 'ldpkit/src/index.js';", 'b:1')).complaint).toContain(
      'ERR_PACKAGE_PATH_NOT_EXPORTED',
    );
    expect(trial.run(sketch("import { noSuchThing } from 'ldpkit'; noSuchThing;", 'c:1')).complaint).toContain(
      'SyntaxError',
    );
    expect(trial.run(sketch("console.log('Hi, ' + (1 as number));", 'd:1'))).toEqual({
      status: 0,
      printed: 'Hi, 1\n',
      complaint: '',
    });
  });
});

describe('every example of the reference', () => {
  const outcomeOf = (example: Example) => {
    const { status, printed, complaint } = outcomes.get(example)!;
    return { status, complaint, lines: printed.trimEnd().split('\n') };
  };

  test('is one of sixty or more, with sound types', () => {
    expect(examples.length).toBeGreaterThanOrEqual(60);
    expect(examples.flatMap(({ place }) => errors.get(place))).toEqual([]);
  });

  test.each(examples)('prints what it says: $place', (example) => {
    expect(outcomeOf(example)).toEqual({ status: 0, complaint: '', lines: example.shown });
  });

  test.each(wrongExamples)('is caught: $place', (example) => {
    expect(outcomeOf(example)).not.toEqual({ status: 0, complaint: '', lines: example.shown });
  });

  test.each([
    ['no block', ['console.log(1); // 1'], 'a ts block'],
    ['no output', ['```ts', 'const a = 1;', '```'], 'prints nothing'],
    ['an output that nobody says', ['```ts', 'console.log(1);', '```'], 'a comment with what is printed'],
  ] as const)('is caught where it is wrong: %s', (_, code, message) => {
    expect(() => examplesOf('a.ts', comment(...code))).toThrow(message);
  });
});

describe('the reader of pages', () => {
  const page = [
    '# One page',
    '[a](b.md) and `[not](a-link.md)` and ![c](<d.svg> "title") and [web](https://example.org) [here](#one-page)',
    '```ts',
    'const a = 1; // [no](link.md)',
    '```',
    'So far, so good.',
    '```ts continued',
    'console.log(a);',
    '```',
    '',
    '```text',
    '1',
    '```',
    '~~~sh',
    'ldpkit list',
    '~~~',
    '[e]: f.md',
  ].join('\n');

  test('finds blocks, and joins a program with its continuation and what it prints', () => {
    expect(blocksOf(page).map(({ line, mark }) => [line, mark])).toEqual([
      [4, 'ts'],
      [8, 'ts continued'],
      [12, 'text'],
      [15, 'sh'],
    ]);
    const code = 'const a = 1; // [no](link.md)\nconsole.log(a);';
    expect(programsOf('page.md', page)).toEqual([{ place: 'page.md:4', code, printed: '1' }]);
  });

  test('refuses code that would not be tried', () => {
    const marked = (mark: string) => () => programsOf('page.md', `\`\`\`${mark}\n1;\n\`\`\``);
    expect(marked('js')).toThrow('mark code "ts"');
    expect(marked('typescript')).toThrow('mark code "ts"');
    expect(marked('ts continued')).toThrow('after a program');
    expect(marked('ts untried')).toThrow('expected "ts"');
    expect(() => programsOf('page.md', '```ts\n1;')).toThrow('never closed');
  });

  test('finds links, and those that lead nowhere', () => {
    expect(linksOf(page)).toEqual(['b.md', 'd.svg', '#one-page', 'f.md']);
    expect(brokenLinks('docs/page.md', page)).toEqual(['b.md', 'd.svg', 'f.md']);
    expect(brokenLinks('docs/page.md', '[a](../LICENSE) [b](../LICENSE#no) [c](#no) [d](../../LICENSE)')).toEqual([
      '../LICENSE#no',
      '#no',
      '../../LICENSE',
    ]);
  });

  test('names headings as GitHub does', () => {
    const headings = '# What is `ε`, really?\n## A [link](b.md)\n## A link\n```sh\n# no heading\n```\n';
    expect(anchorsOf(headings)).toEqual(['what-is-ε-really', 'a-link', 'a-link-1']);
  });
});

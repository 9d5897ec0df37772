// The examples of the reference are run, and print what they say.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Example, examplesOf } from './examples.ts';
import { beginTrial, type Trial, typeErrors } from './trial.ts';

const root = resolve(__dirname, '../..');
const sources = ['src', 'protocols'].flatMap((place) =>
  readdirSync(join(root, place), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${place}/${file.replaceAll('\\', '/')}`),
);
const examples = sources.flatMap((path) => examplesOf(path, readFileSync(join(root, path), 'utf8')));

let trial: Trial;
beforeAll(() => {
  trial = beginTrial(root);
});
afterAll(() => trial.end());

function outcomeOf(example: Example) {
  const { status, printed, complaint } = trial.run(example);
  return { status, complaint, lines: printed.trimEnd().split('\n') };
}

test('sixty functions or more have one', () => {
  expect(examples.length).toBeGreaterThanOrEqual(60);
});

test('their types are sound', () => {
  const errors = typeErrors(root, examples);
  expect([...errors].filter(([, found]) => found.length > 0)).toEqual([]);
});

test.each(examples)('$place prints what it says', (example) => {
  expect(outcomeOf(example)).toEqual({ status: 0, complaint: '', lines: example.shown });
});

describe('an example that is wrong is caught:', () => {
  const comment = (...lines: readonly string[]) =>
    ['/**', ' * A.', ' *', ' * @example', ...lines.map((line) => ` * ${line}`), ' */'].join('\n');
  test.each([
    ['another output', 'console.log(1); // 2'],
    ['one that throws', 'console.log(1); // 1', "throw new Error('no');"],
  ])('%s', (name, ...code) => {
    const [example] = examplesOf(`wrong ${name}`, comment('```ts', ...code, '```'));
    expect(outcomeOf(example)).not.toEqual({ status: 0, complaint: '', lines: example.shown });
  });

  test.each([
    ['no block', ['console.log(1); // 1'], 'a ts block'],
    ['no output', ['```ts', 'const a = 1;', '```'], 'prints nothing'],
    ['an output that nobody says', ['```ts', 'console.log(1);', '```'], 'a comment with what is printed'],
  ] as const)('%s', (_, code, message) => {
    expect(() => examplesOf('a.ts', comment(...code))).toThrow(message);
  });
});

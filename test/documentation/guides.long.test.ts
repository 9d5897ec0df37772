// Every guide is followed from top to bottom in an empty folder: its programs and commands run, its files are written, and
// what they print is what the guide shows.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isAsShown, type Step, stepsOf } from './session.ts';
import { beginTrial, type Session, type Trial } from './trial.ts';

const root = resolve(__dirname, '../..');
const folder = join(root, 'docs/guides');
const guides = readdirSync(folder).filter((name) => name.endsWith('.md'));
const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8');

let trial: Trial;
beforeAll(() => {
  trial = beginTrial(root);
});
afterAll(() => trial.end());

/** What is wrong with a step: nothing, or what happened. */
function wrongOf(session: Session, step: Step): string | undefined {
  if (step.kind === 'file') {
    writeFileSync(join(session.folder, step.name), step.content);
    return undefined;
  }
  const exit = step.kind === 'commands' ? step.exit : 0;
  const { status, printed, complaint } = session[step.kind === 'commands' ? 'commands' : 'program'](step.code);
  if (status !== exit) return `ended with ${status} in the place of ${exit}\n${printed}${complaint}`;
  // A refusal is on the standard error, among lines of progress.
  const refusals = complaint.split('\n').filter((line) => line.startsWith('ldpkit: '));
  const told = printed === '' ? refusals.join('\n') : printed;
  return step.printed === undefined || isAsShown(told, step.printed) ? undefined : `printed\n${told}`;
}

test('there are eight guides and a glossary, each of at most 250 lines', () => {
  expect(guides).toHaveLength(10);
  expect(guides).toEqual(expect.arrayContaining(['README.md', 'glossary.md']));
  for (const name of guides) expect([name, textOf(name).split('\n').length <= 251]).toEqual([name, true]);
});

test.each(guides.filter((name) => stepsOf(name, textOf(name)).length > 0))('%s can be followed', (name) => {
  const session = trial.session(name.replace('.md', ''));
  for (const step of stepsOf(name, textOf(name))) {
    expect({ place: step.place, wrong: wrongOf(session, step) }).toEqual({ place: step.place, wrong: undefined });
  }
});

describe('a guide that is wrong is caught:', () => {
  const first = (text: string) => wrongOf(trial.session(`wrong-${count++}`), stepsOf('a.md', text)[0]);
  let count = 0;
  test.each([
    ['a command that fails', '```sh\nnpx ldpkit certify no-such\n```', 'ended with 2'],
    ['a command that should fail', '```sh exits 3\nnpx ldpkit --version\n```', 'ended with 0'],
    ['the first of two commands', '```sh\nnpx ldpkit no-such\nnpx ldpkit list\n```', 'ended with 2'],
    ['another program of the network', '```sh\nnpx cowsay\n```', 'ended with 127'],
    ['another output', '```sh\nnpx ldpkit --version\n```\n```text\n9.9.9\n```', 'printed'],
    ['a program that throws', "```ts\nthrow new Error('no');\n```", 'ended with 1'],
    ['a program that prints something else', "```ts\nconsole.log('a b');\n```\n```text\na c\n```", 'printed'],
  ])('%s', (_, text, message) => {
    expect(first(text)).toContain(message);
  });

  test('and what is right is not', () => {
    expect(first("```ts\nconsole.log('a 1.5 b');\n```\n```text\na … b\n```")).toBeUndefined();
    expect(
      first('```sh exits 2\nnpx ldpkit run hinge --epsilon 0\n```\n```text\nldpkit: "epsilon"…\n```'),
    ).toBeUndefined();
  });

  test('a block that nothing would try', () => {
    for (const mark of ['js', 'text', 'console', 'ts continued', 'sh untried']) {
      expect(() => stepsOf('a.md', `\`\`\`${mark}\n1\n\`\`\``)).toThrow('nothing would try it');
    }
  });
});

// docs/evidence.md and the page of figures that the site is built with: what they say is what the map, the validations and their kept figures
// say.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { PAPERS } from '../evidence/experiment/experiment.ts';
import { statusesOf, theoryMap } from './theory/page.ts';
import { validationModules } from './theory/validations.ts';
import {
  countMeasured,
  type Measured,
  type TitledValidation,
  validationPage,
  wrongFigures,
} from './validation-page.ts';

const root = resolve(__dirname, '../..');
const MAP = theoryMap(root);
const page = readFileSync(join(root, 'docs/evidence.md'), 'utf8');
const measured: Measured = JSON.parse(readFileSync(join(root, 'test/evidence/measured.json'), 'utf8'));
const validations: TitledValidation[] = [];

beforeAll(async () => {
  for (const path of validationModules(root)) {
    const found = (await import(path)) as { readonly validations: readonly TitledValidation[] };
    validations.push(...found.validations);
  }
});

/** The rows of the table with this head. */
function table(text: string, head: string): readonly string[] {
  const lines = text.split('\n');
  const first = lines.indexOf(head) + 2;
  return lines.slice(first, lines.indexOf('', first));
}

/** The claims of a page, as rows without the marks of a table. */
function claimsOf(made: string, name: string): readonly string[] {
  const part = made.split('\n### ').find((text) => text.startsWith(`${name}\n`)) ?? '';
  return part.split('\n').filter((line) => /^\| (?:met|\*\*missed\*\*) \|/.test(line));
}

describe('docs/evidence.md', () => {
  test('counts the items of the map by their status', () => {
    expect(table(page, '| paper | key | items | by status |')).toEqual(
      MAP.map(({ title, key, items }) => `| ${title} | \`${key}\` | ${items.length} | ${statusesOf(items)} |`),
    );
    const known = table(page, '| status | what it means |').map((row) => row.split(' | ')[0].slice(2));
    expect(new Set(known)).toEqual(new Set(MAP.flatMap(({ items }) => items.map(({ status }) => status))));
  });

  test('counts the claims that were measured, and gives the command that measured them', () => {
    const ofPaper = (key: string | undefined) =>
      measured.validations.filter(
        ({ name }) => key === undefined || validations.some((one) => one.name === name && one.paper === key),
      );
    const row = (head: string, key: string | undefined): string => {
      const { validations: number, all, met } = countMeasured(ofPaper(key));
      return `| ${head} | ${number} | ${all} | ${met} |`;
    };
    expect(table(page, '| key | validations | claims | met |')).toEqual([
      ...PAPERS.map((key) => row(`\`${key}\``, key)),
      row('all', undefined),
    ]);
    expect(page).toContain(`\n    ${measured.command}\n`);
  });

  test('shows one claim of each paper as it was measured', () => {
    const shown = table(page, '| validation | claim | measured |').map((row) => {
      const [, name, claim, figure] = /^\| `(\S+)` \| (.*) \| (.*) \|$/.exec(row) ?? [];
      const claims = measured.validations.find((one) => one.name === name)?.claims ?? [];
      expect(claims).toContainEqual({ met: true, asked: claim, measured: figure });
      return validations.find((one) => one.name === name)?.paper;
    });
    expect(shown).toEqual([...PAPERS]);
  });
});

describe('the page of figures', () => {
  test('has every claim of every validation', () => {
    expect(wrongFigures(measured, validations)).toEqual([]);
    const made = validationPage(measured, validations);
    for (const { name, claims } of measured.validations) {
      expect(claimsOf(made, name)).toEqual(
        claims.map(
          ({ met, asked, measured: figure }) =>
            `| ${met ? 'met' : '**missed**'} | ${asked.replaceAll('|', '\\|')} | ${figure.replaceAll('|', '\\|')} |`,
        ),
      );
    }
    for (const { name, title, theorems } of validations) {
      expect(made).toContain(`\n### ${name}\n\n${title}: ${theorems.join('; ')}.\n`);
    }
  });

  test('is not made of the figures of other validations', () => {
    const [first, ...others] = measured.validations;
    const made = (changed: readonly (typeof first)[]) => () =>
      validationPage({ ...measured, validations: changed }, validations);
    expect(made(others)).toThrow(`${first.name}: no figures`);
    expect(made([...measured.validations, { ...first, name: 'gone' }])).toThrow('gone: figures of no validation');
    expect(made([...measured.validations, first])).toThrow(`${first.name}: figures twice`);
    expect(made([{ ...first, claims: [] }, ...others])).toThrow(`${first.name}: no claim`);
  });

  test('says what is missed', () => {
    const [first, ...others] = measured.validations;
    const missed = { ...first, claims: [{ met: false, asked: '|a| ≤ 1', measured: '2' }] };
    const made = validationPage({ ...measured, validations: [missed, ...others] }, validations);
    expect(claimsOf(made, first.name)).toEqual(['| **missed** | \\|a\\| ≤ 1 | 2 |']);
    const { met, all } = countMeasured(others);
    expect(made).toContain(`\n${met} of ${all + 1} claims met`);
  });
});

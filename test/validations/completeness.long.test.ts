import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { canonicalJson, type Json } from '../../src/core/request.ts';
import type { TheoryItem, TheoryStatus } from '../documentation/theory/item.ts';
import { type MappedPaper, theoryMap } from '../documentation/theory/page.ts';
import { validationModules } from '../documentation/theory/validations.ts';
import {
  PAPERS,
  type Paper,
  type PaperExperiment,
  SCALES,
  type TheoremValidation,
} from '../evidence/experiment/experiment.ts';

const root = resolve(__dirname, '../..');
const MAP = theoryMap(root);

/** Items of these kinds are measured, so that a validation can show them. */
const MEASURED: readonly TheoryStatus[] = ['proved constant', 'measured rate', 'coverage'];

/** The items of these kinds that no validation shows, by paper, and why. */
const LEFT_OUT: Readonly<Record<Paper, Readonly<Record<string, string>>>> = {
  noninteractive: {},
  slides: {
    'Bounding the noise term: key steps, net': 'a number of balls, computed: test theory/user-level-erm-net',
  },
  'online-inference': {
    'Figure 1': 'the same as Figure 1 of the other paper: validation online-clipping, experiment clipping-bias',
    'Table 1': 'experiment coverage-table: hours at full scale',
    'Table 3': 'experiment insurance',
    'Figure 5': 'experiment insurance',
  },
  'online-rates': {
    'Figure 2': 'experiment budgets',
    'Figure 4': 'experiment mechanism-comparison',
    'Figure 5': 'experiment sensitivity',
    'Figure 6': 'experiment sensitivity',
    'Figure 7': 'experiment insurance-figures',
    'Figure 8': 'experiment insurance-figures',
    'Figure 9': 'experiment insurance-figures',
  },
  influence: {},
};

let validations: readonly TheoremValidation[] = [];
let experiments: readonly PaperExperiment[] = [];
beforeAll(async () => {
  const found = await Promise.all(validationModules(root).map((path) => import(path)));
  validations = found.flatMap((module) => module.validations);
  const modules = readdirSync(join(root, 'test/evidence'))
    .map((protocol) => join(root, 'test/evidence', protocol, 'reproductions', 'index.ts'))
    .filter((path) => existsSync(path));
  experiments = (await Promise.all(modules.map((path) => import(path)))).flatMap((module) => module.experiments);
});

/** What is wrong with a validation, but for what only the others can tell. */
function wrongs(validation: TheoremValidation, map: readonly MappedPaper[]): string[] {
  const { name, paper, theorems, title, source, summary, version } = validation;
  const items = map.find(({ key }) => key === paper)?.items ?? [];
  const found: string[] = [];
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) found.push('its name is not of small letters, digits and hyphens');
  if (theorems.length === 0) found.push('it measures no item');
  for (const theorem of theorems) {
    if (!items.some(({ number }) => number === theorem)) found.push(`${paper} has no ${theorem}`);
  }
  if (new Set(theorems).size < theorems.length) found.push('an item is there twice');
  for (const text of [title, source, summary])
    if (text.trim() === '') found.push('its title, source or summary is empty');
  if (!(Number.isInteger(version) && version >= 1)) found.push('its version is no number from 1');
  // Many cells have one small run.
  const faultsBySmallRun = new Map<string, readonly string[]>();
  const faultsOf = (setting: Json): readonly string[] => {
    const key = JSON.stringify(validation.smallRun(setting));
    const faults = faultsBySmallRun.get(key) ?? smallRunFaults(validation, setting);
    faultsBySmallRun.set(key, faults);
    return faults;
  };
  for (const scale of SCALES) {
    const cells = validation.cells(scale);
    const keys = cells.map(({ key }) => key);
    if (cells.length === 0 || cells.some(({ chunks }) => chunks < 1)) found.push(`${scale}: a cell has no chunk`);
    if (new Set(keys).size < keys.length) found.push(`${scale}: two cells have one key`);
    for (const key of keys) if (!/^[a-z0-9-]+$/.test(key)) found.push(`${scale}: ${key} is no name of a file`);
    for (const { key, setting } of cells) found.push(...faultsOf(setting).map((text) => `${scale}: ${key}: ${text}`));
  }
  return found.map((text) => `${name}: ${text}`);
}

/** Why a small run, which marks the code that computes chunks, comes to nothing. */
function smallRunFaults(validation: TheoremValidation, setting: Json): string[] {
  try {
    canonicalJson(validation.chunk(validation.smallRun(setting), 0, 'probe'));
    return [];
  } catch (error) {
    return [`its small run fails: ${(error as Error).message}`];
  }
}

/** Names that are taken twice, or that mean something else to --only. */
function clashes(names: readonly string[]): string[] {
  const taken = [...PAPERS, ...names];
  return names.filter((name) => taken.indexOf(name) !== taken.lastIndexOf(name));
}

/** The items of a paper that a validation has to show. */
function measuredItems(items: readonly TheoryItem[]): readonly string[] {
  return items.filter(({ status }) => MEASURED.includes(status)).map(({ number }) => number);
}

/** What no validation shows and nobody says why, and what is said to be left out without need. */
function gaps(
  { key, items }: MappedPaper,
  all: readonly Pick<TheoremValidation, 'paper' | 'theorems'>[],
  leftOut: Readonly<Record<string, string>>,
): { readonly missing: readonly string[]; readonly needless: readonly string[] } {
  const shown = new Set(all.filter(({ paper }) => paper === key).flatMap(({ theorems }) => theorems));
  const open = measuredItems(items).filter((number) => !shown.has(number));
  return {
    missing: open.filter((number) => (leftOut[number] ?? '').trim() === ''),
    needless: Object.keys(leftOut).filter((number) => !open.includes(number)),
  };
}

test('the map has the papers that validations know', () => {
  expect(MAP.map(({ key }) => key)).toEqual(PAPERS);
});

test('every validation names items of its paper, and its cells are distinguished', () => {
  expect(validations.length).toBeGreaterThan(0);
  expect(validations.flatMap((one) => wrongs(one, MAP))).toEqual([]);
});

test('no two validations or experiments have one name', () => {
  expect(clashes([...validations, ...experiments].map(({ name }) => name))).toEqual([]);
});

describe('every item that is measured has a validation, or a reason why not', () => {
  test.each(MAP.map((paper) => [paper.key, paper] as const))('%s', (key, paper) => {
    expect(gaps(paper, validations, LEFT_OUT[key])).toEqual({ missing: [], needless: [] });
  });
});

test('a reason that names an experiment names one of this item', () => {
  for (const [item, reason] of Object.values(LEFT_OUT).flatMap(Object.entries<string>)) {
    const name = /experiment ([\w-]+)/.exec(reason)?.[1];
    if (name === undefined) continue;
    const source = experiments.find((one) => one.name === name)?.source ?? '';
    const numbers = source.replace(/(\d+) to (\d+)/, (_, a, b) => `${a} ${Number(a) + 1} ${b}`);
    const [kind, number] = item.split(' ');
    expect([item, name, source]).toEqual([item, name, expect.stringContaining(kind)]);
    expect([item, name, numbers.split(/\D+/)]).toEqual([item, name, expect.arrayContaining([number])]);
  }
});

test('the checks catch what is wrong', () => {
  const [sound] = validations;
  const cell = { key: 'a b', label: '', setting: 0, chunks: 0 };
  const broken: TheoremValidation = {
    ...sound,
    name: 'Two Words',
    theorems: ['Theorem 0', 'Theorem 0'],
    version: 0,
    cells: () => [cell, cell],
    smallRun: (setting) => setting,
    chunk: () => Number.NaN,
  };
  // Name, two items, twice, version, and in both scales no chunk, one key, two keys that are no names, two small runs.
  expect(wrongs(broken, MAP)).toHaveLength(5 + 2 * 6);
  expect(clashes(['a', 'b', 'a', 'slides'])).toEqual(['a', 'a', 'slides']);
  const item = { section: '', about: '', tests: [] };
  const items: readonly TheoryItem[] = [
    { ...item, number: 'Theorem 1', status: 'measured rate' },
    { ...item, number: 'Theorem 2', status: 'coverage' },
    { ...item, number: 'Theorem 3', status: 'proved constant' },
    { ...item, number: 'Theorem 4', status: 'exact' },
  ];
  const shown = [
    { paper: 'slides', theorems: ['Theorem 1'] },
    { paper: 'influence', theorems: ['Theorem 2'] },
  ] as const;
  const reasons = { 'Theorem 1': 'needless', 'Theorem 2': ' ', 'Theorem 4': 'needless' };
  expect(gaps({ key: 'slides', title: '', items }, shown, reasons)).toEqual({
    missing: ['Theorem 2', 'Theorem 3'],
    needless: ['Theorem 1', 'Theorem 4'],
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { euclideanMedian, euclideanMedianParameters } from '../../protocols/euclidean-median/index.ts';
import { generalizedLinear, generalizedLinearParameters } from '../../protocols/generalized-linear/index.ts';
import { hinge, hingeParameters } from '../../protocols/hinge/index.ts';
import type { PublicParameters } from '../../src/core/contract.ts';
import type { Influence } from '../../src/core/influence.ts';
import type { AnyProtocol } from '../../src/testing/contract/law.ts';

const page = readFileSync(join(__dirname, '../../SECURITY.md'), 'utf8');

const request = { epsilon: 1, delta: 1e-6, degree: 1, dimension: 10 };

/** What this variant uses of the request. */
function requestOf(variant: string, grade: string): never {
  const { delta, degree, ...shared } = request;
  const spherical = variant === 'sphericalLaplace';
  const pure = spherical || variant === 'direct' || variant === 'lifted' || variant === 'sampled';
  return { variant, grade, ...shared, ...(spherical ? {} : { degree }), ...(pure ? {} : { delta }) } as never;
}

type Make = (variant: string, grade: string) => PublicParameters;

const made: readonly (readonly [AnyProtocol, readonly string[], Make])[] = [
  [
    hinge,
    ['lifted', 'gaussian', 'direct', 'sampled', 'copies', 'printed'],
    (variant, grade) => hingeParameters(requestOf(variant, grade)),
  ],
  [
    generalizedLinear,
    ['lifted', 'gaussian', 'direct', 'sampled', 'sphericalLaplace', 'copies', 'printed'],
    (variant, grade) => generalizedLinearParameters(requestOf(variant, grade)),
  ],
  [
    euclideanMedian,
    ['lifted', 'gaussian', 'copies', 'printed'],
    (variant, grade) => euclideanMedianParameters(requestOf(variant, grade)),
  ],
];

/** Three digits, as a reader wants them. */
function digits(value: number): string {
  const rounded = Number(value.toPrecision(3));
  return rounded < 1e4 ? String(rounded) : rounded.toExponential().replace('e+', 'e');
}

/** The rows of the table of influence, recomputed. */
function rows(): string[] {
  return made.flatMap(([protocol, variants, make]) =>
    variants.flatMap((variant) => {
      const grades = ['direct', 'lifted', 'sampled', 'gaussian'].includes(variant)
        ? ['deployment', 'simulation']
        : ['simulation'];
      return grades.map((grade) => {
        const influence = protocol.theory.influence?.(make(variant, grade)) as Influence;
        const numbers = [influence.honestNorm, influence.reportNorm, influence.bound].map(digits);
        return `| \`${protocol.name}\` | \`${variant}\` | ${grade} | ${numbers.join(' | ')} |`;
      });
    }),
  );
}

test('the influence of one report is, for every variant, what the page says', () => {
  const table = page.split('\n').filter((line) => /^\| `[a-z-]+` \| `/.test(line));
  expect(table).toEqual(rows());
});

test('the page states what it must: who attacks, what is protected, what is not, how to report', () => {
  const headings = page.split('\n').filter((line) => line.startsWith('## '));
  expect(headings).toEqual([
    '## Who attacks',
    '## What is protected',
    '## Poisoning: what one report can do',
    '## What is not protected',
    '## Reporting a vulnerability',
  ]);
});

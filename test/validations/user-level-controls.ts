import { expect, test } from '@jest/globals';
import type { Json } from '../../src/core/request.ts';
import type { TheoremValidation } from '../evidence/experiment/experiment.ts';
import type { CurveFigure } from '../evidence/experiment/figure.ts';
import { type Change, runQuick, tampered } from './run.ts';

/** What a chunk holds: numbers, or lists of them. */
type Numbers = Readonly<Record<string, number | readonly number[]>>;

/** A false theorem: how chunks are changed as if it did not hold, and the claims that must be refuted then. */
export interface Control {
  readonly what: string;
  readonly change: Change;
  readonly refutes: RegExp;
}

/** A field of a setting, or of its request. */
export function fieldOf(setting: Json, field: string): number {
  const { request, ...own } = setting as Readonly<Record<string, Json>>;
  return Number(own[field] ?? (request as Readonly<Record<string, Json>>)[field]);
}

/** Multiplies all numbers of one list, or one number, of the chunks whose cell has such a key. */
export function times(entry: string, cells: RegExp, factor: (setting: Json) => number): Change {
  return (chunk, setting, key) => {
    const numbers = chunk as Numbers;
    if (!cells.test(key) || !(entry in numbers)) return chunk;
    const value = numbers[entry];
    const by = factor(setting);
    return { ...numbers, [entry]: typeof value === 'number' ? value * by : value.map((x) => x * by) };
  };
}

/**
 * Tests of one validation. All claims are met with this seed: each is true and within 4.5 standard errors or a bound that holds with
 * probability 1e-4, so that of the some 70 claims of these tests one would fail with another seed with probability .005 or so. The seed is
 * fixed. And every claim is refuted by a control, but for those named as exact: they are computed without chunks.
 */
export function testValidation(validation: TheoremValidation, controls: readonly Control[], exact?: RegExp): void {
  const seed = 'tests';

  test(`${validation.name}: every claim is met`, () => {
    const { claims, figures, tables } = runQuick(validation, seed);
    expect(claims.filter(({ met }) => !met)).toEqual([]);
    expect(claims.length).toBeGreaterThan(0);
    expect(tables.length).toBeGreaterThan(0);
    const curves = figures.filter((figure): figure is CurveFigure => figure.kind === 'curves');
    expect(curves.length).toBeGreaterThan(0);
    for (const figure of curves) {
      expect(figure.curves.map(({ dashed }) => dashed)).toEqual(expect.arrayContaining([true, false]));
      const positive = figure.curves.every(({ points }) =>
        points.every(({ x, y }) => x > 0 && (y > 0 || !figure.y.logarithmic)),
      );
      expect([figure.name, positive]).toEqual([figure.name, true]);
    }
  });

  test.each(controls)(`${validation.name}, control: $what`, ({ change, refutes }) => {
    const { claims } = tampered(validation, seed, change);
    const asked = claims.filter((claim) => refutes.test(claim.asked));
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter(({ met }) => met)).toEqual([]);
  });

  test(`${validation.name}: every claim has a control`, () => {
    const { claims } = runQuick(validation, seed);
    const open = claims.filter(
      ({ asked }) => !controls.some(({ refutes }) => refutes.test(asked)) && !exact?.test(asked),
    );
    expect(open.map(({ asked }) => asked)).toEqual([]);
  });
}

/** A power of a field: squares with it are errors with half of it. */
export const power =
  (field: string, exponent: number) =>
  (setting: Json): number =>
    fieldOf(setting, field) ** exponent;

/** Squared errors whose exponent in n, m or ε is wrong by a quarter. */
export const QUARTERS: readonly Control[] = [
  { what: 'n^¼ more', change: times('squares', /^n-/, power('players', 0.5)), refutes: /error in n/ },
  { what: 'm^¼ more', change: times('squares', /^m-/, power('samples', 0.5)), refutes: /error in m/ },
  { what: 'ε^¼ more', change: times('squares', /^epsilon-/, power('epsilon', 0.5)), refutes: /error times √n in ε/ },
];

/** Every fifth run is a thousand times as far off. Runs have as many squares as there are dimensions. */
export const LOST: Control = {
  what: 'a fifth of the runs that are lost',
  change: (chunk, setting) => {
    const numbers = chunk as { readonly squares: readonly number[] };
    const dimension = fieldOf(setting, 'dimension');
    const squares = numbers.squares.map((square, i) => (Math.floor(i / dimension) % 5 === 0 ? 1e6 : 1) * square);
    return { ...numbers, squares };
  },
  refutes: /^runs that are off/,
};

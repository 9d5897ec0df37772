import { expect, test } from '@jest/globals';
import type { Json } from '../../src/core/request.ts';
import type { TheoremValidation } from '../evidence/experiment/experiment.ts';
import type { CurveFigure, FigureAxis } from '../evidence/experiment/figure.ts';
import { type Change, runQuick, tampered } from './run.ts';

/** Numbers of a chunk or a setting by their names. */
export type Numbers = Readonly<Record<string, Json>>;

/** What is changed, as it would be if the claim failed; the words by which the claim is known; and the change. */
export type Control = readonly [what: string, claim: string | RegExp, change: Change];

/** Whether a claim is the one that is meant. */
const isMeant = (claim: string | RegExp, asked: string): boolean =>
  typeof claim === 'string' ? asked.includes(claim) : claim.test(asked);

/** Changes numbers of the chunks of those cells whose settings fit. */
export function altered(
  change: (chunk: Numbers, setting: Numbers) => Numbers,
  fits: (setting: Numbers) => boolean = () => true,
): Change {
  return (chunk, setting) =>
    fits(setting as Numbers) ? { ...(chunk as Numbers), ...change(chunk as Numbers, setting as Numbers) } : chunk;
}

/** A list of numbers, each times a factor. */
export function times(values: Json, factor: number): Json {
  return (values as number[]).map((value) => value * factor);
}

/** A number of a setting to a power. */
export function power(setting: Numbers, field: string, exponent: number): number {
  return (setting[field] as number) ** exponent;
}

/** Whether a number can be drawn on an axis. */
const fits = ({ logarithmic }: FigureAxis, value: number): boolean =>
  Number.isFinite(value) && (!logarithmic || value > 0);

/**
 * Declares the tests of validations: claims and figures at one seed, for every control that its claims are refuted, and that no claim is
 * without one, but for those named as computed: no chunk is in them.
 */
export function testValidations(
  validations: readonly TheoremValidation[],
  seed: string,
  controls: Readonly<Record<string, readonly Control[]>>,
  computed: RegExp = /^$/,
): void {
  test('every validation has controls', () => {
    expect(validations.map(({ name }) => name).sort()).toEqual(Object.keys(controls).sort());
  });

  test.each(validations)('$name: every claim is met', (validation) => {
    const { claims, tables } = runQuick(validation, seed);
    expect(claims.filter(({ met }) => !met)).toEqual([]);
    expect(claims.length).toBeGreaterThan(1);
    expect(tables.length).toBeGreaterThan(0);
  });

  test.each(validations)('$name: a figure draws what is claimed beside what was measured', (validation) => {
    const { figures } = runQuick(validation, seed);
    const curves = figures.filter((figure): figure is CurveFigure => figure.kind === 'curves');
    const lacking = curves.filter(
      ({ curves: lines }) => !lines.some(({ dashed }) => dashed) || !lines.some(({ dashed }) => !dashed),
    );
    const undrawable = curves.filter(({ x, y, curves: lines }) =>
      lines.some(
        ({ points }) => points.length === 0 || points.some((at) => !fits(x, at.x) || !fits(y, at.low ?? at.y)),
      ),
    );
    expect(curves.length).toBeGreaterThan(0);
    expect([...lacking, ...undrawable].map(({ name }) => name)).toEqual([]);
  });

  const cases = validations.flatMap((validation) =>
    (controls[validation.name] ?? []).map(([what, claim, change]) => ({
      validation,
      name: validation.name,
      what,
      claim,
      change,
    })),
  );
  test.each(cases)('$name, control: $what is refuted', ({ validation, claim, change }) => {
    const concerned = tampered(validation, seed, change).claims.filter(({ asked }) => isMeant(claim, asked));
    expect(concerned.length).toBeGreaterThan(0);
    expect(concerned.filter(({ met }) => met)).toEqual([]);
  });

  test.each(validations)('$name: every claim has a control', (validation) => {
    const own = controls[validation.name] ?? [];
    const open = runQuick(validation, seed).claims.filter(
      ({ asked }) => !computed.test(asked) && !own.some(([, claim]) => isMeant(claim, asked)),
    );
    expect(open.map(({ asked }) => asked)).toEqual([]);
  });
}

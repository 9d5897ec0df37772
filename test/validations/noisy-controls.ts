import { expect, test } from '@jest/globals';
import type { Json } from '../../src/protocol/digest.ts';
import type { CurveFigure, FigureAxis } from '../../src/simulation/figure.ts';
import type { TheoremValidation } from '../../src/simulation/theorem-validation.ts';
import { type Change, runQuick, tampered } from './run.ts';

/** Numbers of a part or a setting by their names. */
export type Numbers = Readonly<Record<string, Json>>;

/** What is changed, as it would be if the claim failed; the words by which the claim is known; and the change. */
export type Control = readonly [what: string, claim: string, change: Change];

/** Changes numbers of the parts of those cells whose settings fit. */
export function altered(
  change: (part: Numbers, setting: Numbers) => Numbers,
  fits: (setting: Numbers) => boolean = () => true,
): Change {
  return (part, setting) =>
    fits(setting as Numbers) ? { ...(part as Numbers), ...change(part as Numbers, setting as Numbers) } : part;
}

/** A list of numbers, each times a factor. */
export function times(values: Json, factor: number): Json {
  return (values as number[]).map((value) => value * factor);
}

/** A number of a setting to a power. */
export function power(setting: Numbers, field: string, exponent: number): number {
  return (setting[field] as number) ** exponent;
}

const onAxis =
  (axis: string) =>
  (setting: Numbers): boolean =>
    setting.axis === axis;

/** Squared errors times x to a power, in the cells where x grows: the slope is off by half of it. */
const steeper = (axis: string, field: string, exponent: number): Change =>
  altered((part, setting) => ({ squared: times(part.squared, power(setting, field, exponent)) }), onAxis(axis));

/** Attacks that find out more than μ allows: nothing is missed and there is no false alarm. */
const certain = altered(({ first, runs }) => ({
  first: (first as number[]).map(() => runs as number),
  second: (first as number[]).map(() => 0),
}));

/** Attacks that find out nothing. */
const blind = altered(({ first }) => ({ second: first as Json }));

/** The controls of the validations that both algorithms have, by what comes after the name of the algorithm. */
const SHARED: Readonly<Record<string, readonly Control[]>> = {
  privacy: [
    ['attacks that are never wrong', 'μ = 2', certain],
    ['attacks that find out nothing', 'μ = 2', blind],
    ['a control that nobody finds out', 'control, noise without √K', blind],
  ],
  'privacy-error': [
    ['an error of sampling, like 1/√n', '‖θ⁽ᴷ⁾ − θ̂‖ in n', steeper('records', 'records', 1)],
    ['an error like 1/μ²', '‖θ⁽ᴷ⁾ − θ̂‖ in μ', steeper('mu', 'mu', -2)],
    ['an error like K', '‖θ⁽ᴷ⁾ − θ̂‖ in K', steeper('steps', 'steps', 1)],
    ['an error like √p', '‖θ⁽ᴷ⁾ − θ̂‖ in p', steeper('dimension', 'dimension', -1)],
    ['one more power of p', '‖θ⁽ᴷ⁾ − θ̂‖/√K in p', steeper('unscaled', 'dimension', 2)],
    [
      'noise that is √2 too large, as for the printed matrix',
      'constant of the theory',
      altered(({ squared }) => ({ squared: times(squared, 2) })),
    ],
  ],
  normality: [
    [
      'intervals that miss a tenth',
      'n = 500: coverage of private',
      altered((p) => ({ covered: times(p.covered, 0.9) })),
    ],
    [
      'ellipsoids that miss a fifth',
      'n = 500: coverage of the private',
      altered((p) => ({ joint: times(p.joint, 0.8) })),
    ],
    ['twice the variance', 'n = 1000: mean squared', altered((p) => ({ standardised: times(p.standardised, 2) }))],
    [
      'noise that does not go away',
      'variance by noise',
      altered((p, s) => ({ injected: times(p.injected, power(s, 'records', 0.5)) })),
    ],
    ['a sandwich that is enough', 'the sandwich alone', altered((p) => ({ uncorrected: p.covered ?? [] }))],
  ],
  'optimal-rate': [
    [
      'errors like n^−¼',
      'μ = 1: errors do not get away',
      altered((p, s) => ({ squared: times(p.squared, power(s, 'records', 0.5)) })),
    ],
    ['errors ten times as large', 'μ = 0.5: errors are', altered((p) => ({ squared: times(p.squared, 100) }))],
    ['errors a tenth as large', 'μ = 1: errors are', altered((p) => ({ squared: times(p.squared, 0.01) }))],
  ],
};

/** Whether a number can be drawn on an axis. */
const fits = ({ logarithmic }: FigureAxis, value: number): boolean =>
  Number.isFinite(value) && (!logarithmic || value > 0);

/** The controls of an algorithm, shared ones included. */
export function controlsOf(
  key: string,
  own: Readonly<Record<string, readonly Control[]>>,
): Readonly<Record<string, readonly Control[]>> {
  const shared = Object.entries(SHARED).map(([name, controls]) => [`${key}-${name}`, controls] as const);
  return { ...Object.fromEntries(shared), ...own };
}

/** Declares the tests of validations: claims and figures at one seed, and for every control that its claims are refuted. */
export function testValidations(
  validations: readonly TheoremValidation[],
  seed: string,
  controls: Readonly<Record<string, readonly Control[]>>,
): void {
  test('every validation has controls', () => {
    expect(validations.map(({ name }) => name).sort()).toEqual(Object.keys(controls).sort());
  });

  test.each(validations)('$name: every claim is met', (validation) => {
    const { claims } = runQuick(validation, seed);
    expect(claims.filter(({ met }) => !met)).toEqual([]);
    expect(claims.length).toBeGreaterThan(1);
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
    const concerned = tampered(validation, seed, change).claims.filter(({ asked }) => asked.includes(claim));
    expect(concerned.length).toBeGreaterThan(0);
    expect(concerned.filter(({ met }) => met)).toEqual([]);
  });
}

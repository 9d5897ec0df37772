import { expect, test } from '@jest/globals';
import type { Json } from '../../src/core/request.ts';
import type { ExperimentReport, TheoremValidation } from '../evidence/experiment/experiment.ts';
import { type Change, runQuick, tampered } from './run.ts';

/** The seed of the tests of validations. */
export const SEED = 'claims';

/** What is asked of the claims that a report does not meet. */
export function failing(report: ExperimentReport): string[] {
  return report.claims.filter(({ met }) => !met).map(({ asked }) => asked);
}

/** The claims that a validation does not meet at the quick scale, with what was measured. */
function unmet(validation: TheoremValidation): string[] {
  const { claims } = runQuick(validation, SEED);
  return claims.filter(({ met }) => !met).map(({ asked, measured }) => `${asked}: ${measured}`);
}

/** Figures of a validation that lack a measured curve or a claimed one, or the validation if it draws nothing. */
function drawsBoth(validation: TheoremValidation): string[] {
  const { figures } = runQuick(validation, SEED);
  if (figures.length === 0) return [validation.name];
  const lacking = figures.filter(
    (figure) =>
      figure.kind !== 'curves' ||
      !figure.curves.some(({ dashed }) => dashed) ||
      !figure.curves.some(({ dashed, points }) => !dashed && points.length > 0),
  );
  return lacking.map(({ name }) => name);
}

/**
 * Declares the tests of claims and figures. What a false alarm costs at other seeds stands beside every claim in its validation: 7e-6
 * for most of the random ones, 1e-4 at most for the slopes; here the seed is fixed.
 */
export function testClaims(validations: readonly TheoremValidation[]): void {
  test.each(validations.map((validation) => [validation.name, validation] as const))(
    '%s meets every claim, and draws what was measured beside what is claimed',
    (_, validation) => {
      expect(unmet(validation)).toEqual([]);
      expect(drawsBoth(validation)).toEqual([]);
    },
  );
}

/** The validation of this name. */
export function named(validations: readonly TheoremValidation[], name: string): TheoremValidation {
  const found = validations.find((validation) => validation.name === name);
  if (found === undefined) throw new Error(`no validation ${name}`);
  return found;
}

/** Multiplies every number in these fields of a chunk. */
export function scaled(fields: readonly string[], factor: number): Change {
  const times = (value: Json): Json => {
    if (typeof value === 'number') return factor * value;
    return Array.isArray(value) ? value.map((entry: Json) => times(entry)) : value;
  };
  return (chunk) => {
    const record = chunk as { readonly [key: string]: Json };
    return Object.fromEntries(
      Object.entries(record).map(([key, value]) => [key, fields.includes(key) ? times(value) : value]),
    );
  };
}

/** Adds a constant to every report, as a bias would. */
export function shifted(bias: number): Change {
  return (chunk, setting) => {
    const { reports } = setting as { readonly reports: number };
    const { sums, ...rest } = chunk as { readonly sums: readonly number[] };
    return { ...rest, sums: sums.map((sum) => sum + bias * reports) };
  };
}

/** Expects an excess risk with an exponent a fifth too small to fail in its slope, and one a fifth larger or smaller to fail in its level. */
export function expectExcessControls(rate: TheoremValidation): void {
  const slower = tampered(rate, SEED, (chunk, setting) => {
    const { players } = setting as { players: number };
    const { excess } = chunk as { excess: number[] };
    return { excess: excess.map((value) => value * (players / 4000) ** 0.2) };
  });
  expect(failing(slower)).toEqual([expect.stringContaining('in n')]);
  for (const factor of [1.2, 0.8]) {
    expect(failing(tampered(rate, SEED, scaled(['excess'], factor)))).toEqual([expect.stringContaining('closed form')]);
  }
}

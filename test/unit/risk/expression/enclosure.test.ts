import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Enclosed, enclose } from '../../../../src/risk/expression/convexity.ts';
import { isBounded, type Span } from '../../../../src/risk/expression/formula.ts';
import { differentiate, type Pieces, parseExpression } from '../../../../src/risk/expression/parse.ts';
import { expressions } from './expressions.ts';

// The same cases on every run.
fc.configureGlobal({ seed: 31, numRuns: 1500 });

const end = fc.double({ min: -1.5, max: 1.5, noNaN: true });
const share = fc.double({ min: 0, max: 1, noNaN: true });

/** Whether a computed number lies in the span, but for the rounding of the computation. */
const within = (span: Span, x: number): boolean => {
  const slack = 1e-9 * (1 + Math.abs(x));
  return !isBounded(span) || Number.isNaN(x) || (x >= span.low - slack && x <= span.high + slack);
};

const sound = (found: Enclosed, { value, slope, curvature }: Pieces, t: number): boolean =>
  found.trouble !== undefined ||
  (within(found.value, value(t)) && within(found.slope, slope(t)) && within(found.curvature, curvature(t)));

describe('an enclosure', () => {
  test('of any formula on any interval holds value, slope and curvature at every point, as mathjs derives them', () => {
    let tight = 0;
    fc.assert(
      fc.property(expressions, end, end, share, (text, a, b, at) => {
        const pieces = differentiate(parseExpression(text));
        const span = { low: Math.min(a, b), high: Math.max(a, b) };
        const found = enclose(pieces.formula, span);
        if (found.trouble === undefined && isBounded(found.curvature)) tight++;
        return sound(found, pieces, Math.min(span.high, span.low + at * (span.high - span.low)));
      }),
    );
    // The property is not empty: most formulas are defined and have a bounded curvature.
    expect(tight).toBeGreaterThan(500);
  });

  test('holds the slopes of chords, kinks included: f is nowhere as steep as it excludes', () => {
    fc.assert(
      fc.property(expressions, end, end, share, share, (text, a, b, at, to) => {
        const { formula, value } = differentiate(parseExpression(text));
        const span = { low: Math.min(a, b), high: Math.max(a, b) };
        const found = enclose(formula, span);
        const [s, t] = [at, to].map((x) => Math.min(span.high, span.low + x * (span.high - span.low)));
        if (found.trouble !== undefined || !isBounded(found.slope) || Math.abs(t - s) < 1e-3) return true;
        const chord = (value(t) - value(s)) / (t - s);
        const slack = 1e-9 * (1 + Math.abs(value(s)) + Math.abs(value(t)));
        return chord >= found.slope.low - slack && chord <= found.slope.high + slack;
      }),
    );
  });

  test('control: that of another formula does not', () => {
    const pieces = differentiate(parseExpression('exp(-t)'));
    const other = (text: string, span: Span): boolean =>
      sound(enclose(parseExpression(text), span), pieces, (span.low + span.high) / 2);
    const narrow = { low: 0.3, high: 0.31 };
    expect(other('exp(-t)', narrow)).toBe(true);
    expect(other('exp(-t) + 0.05', narrow)).toBe(false);
    expect(other('exp(-t) + (t - 0.305)/20', narrow)).toBe(false);
    expect(other('exp(-t) + (t - 0.305)^2', narrow)).toBe(false);
  });

  test.each([
    ['max(0, t)', 0, Infinity],
    ['min(0, t)', -Infinity, 0],
    ['abs(t)', 0, Infinity],
    ['-abs(t)', -Infinity, 0],
    ['abs(t) - max(0, t)', -Infinity, Infinity],
  ])('of %s has the mass of its kink, on both sides of a common end and at the point itself', (text, low, high) => {
    for (const span of [
      { low: -1, high: 0 },
      { low: 0, high: 1 },
      { low: 0, high: 0 },
      { low: -1, high: 1 },
    ]) {
      expect(enclose(parseExpression(text), span).curvature).toEqual({ low, high });
    }
    // Left out where it is not asked for.
    expect(enclose(parseExpression(text), { low: -1, high: 1 }, false).curvature).toEqual({ low: 0, high: 0 });
  });

  test.each([
    ['1/t', 'a division by 0'],
    ['t^-2', 'a division by 0'],
    ['abs(t)^-0.5', 'a division by 0'],
    ['log(1 + t)', 'a logarithm of a number <= 0'],
    ['log1p(t)', 'a logarithm of a number <= 0'],
    ['sqrt(t)', 'a root of a number < 0'],
    ['t^1.5', 'a root of a number < 0'],
    ['0*log(t)', 'a logarithm of a number <= 0'],
  ])('of %s on [−1, 1] tells of %s', (text, trouble) => {
    expect(enclose(parseExpression(text), { low: -1, high: 1 }).trouble).toBe(trouble);
    expect(enclose(parseExpression(text), { low: 0.5, high: 1 }).trouble).toBeUndefined();
  });
});

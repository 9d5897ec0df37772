import { describe, expect, test } from '@jest/globals';
import type { Json } from '../../src/core/request.ts';
import { meanClaim, measuredMean, type RatePoint } from '../../src/testing/claim.ts';
import { meanRatio } from '../evidence/experiment/statistics.ts';
import {
  type ExcessChunk,
  type ExcessSetting,
  predictedExcess,
  relativeError,
} from '../evidence/hinge/validations/excess-risk.ts';
import { validations } from '../evidence/hinge/validations/index.ts';
import { failing, named, SEED, scaled, testClaims } from './claims.ts';
import { runQuick, tampered } from './run.ts';

testClaims(validations);

const of = (name: string) => named(validations, name);

describe('controls: chunks that no theorem allows are refuted', () => {
  test('lemma 6: errors 5 and coefficients 1.5 times as large, and errors that fall at the rate of another β', () => {
    const larger = tampered(of('hinge-lemma-6'), SEED, scaled(['errors'], 5));
    expect(failing(larger)).toEqual([expect.stringContaining('max |f′_β − P_n|')]);
    expect(failing(tampered(of('hinge-lemma-6'), SEED, scaled(['coefficients'], 1.5)))).toEqual([
      expect.stringContaining('|a_0|'),
    ]);
    const slower = tampered(of('hinge-lemma-6'), SEED, (chunk) => {
      const { errors, ...rest } = chunk as { errors: number[] };
      return { ...rest, errors: errors.map((error) => error ** 0.97) };
    });
    expect(failing(slower)).toContainEqual(expect.stringContaining('the error falls like'));
    // A formula that holds beyond the branch points too would show nothing.
    const tame = tampered(of('hinge-lemma-6'), SEED, scaled(['errors'], 1e-9));
    expect(failing(tame)).toContainEqual(expect.stringContaining('control'));
  });

  test('lemma 8 is asked in thirteen claims or more', () => {
    expect(runQuick(of('hinge-lemma-8'), SEED).claims.length).toBeGreaterThanOrEqual(13);
  });

  test('lemma 8: gaps above the bound, and gaps that fall like k^¼ times as slowly', () => {
    const above = tampered(of('hinge-lemma-8'), SEED, scaled(['sums'], 5));
    for (const what of ['smoothness alone', 'noise alone', 'both added']) {
      expect(failing(above)).toContainEqual(expect.stringContaining(what));
    }
    const slower = tampered(of('hinge-lemma-8'), SEED, (chunk, setting) => {
      const { calls, kind } = setting as { calls: number[]; kind: string };
      const { sums, squares, ...rest } = chunk as { sums: number[][]; squares: number[][] };
      if (kind === 'small') return chunk;
      const grown = (rows: number[][], power: number) =>
        rows.map((row, k) => row.map((value) => value * (calls[k] / calls[0]) ** power));
      return { ...rest, sums: grown(sums, 0.25), squares: grown(squares, 0.5) } as Json;
    });
    for (const what of [
      'worst parabola, p = 1:',
      'worst parabola, p = 2:',
      'noise alone in k, p = 1',
      'gap over γ, p = 2',
    ]) {
      expect(failing(slower)).toContainEqual(expect.stringContaining(what));
    }
    // Were the printed product right, the gap would vanish with σ.
    const product = tampered(of('hinge-lemma-8'), SEED, (chunk, setting) => {
      const { kind, values } = setting as { kind: string; values: number[] };
      const { sums, ...rest } = chunk as { sums: number[][] };
      return kind === 'small' ? ({ ...rest, sums: values.map((sigma) => [sigma]) } as Json) : chunk;
    });
    expect(failing(product)).toContainEqual(expect.stringContaining('as printed'));
    expect(failing(tampered(of('hinge-lemma-8'), SEED, scaled(['sums'], 200)))).toContainEqual(
      expect.stringContaining('inexactness alone'),
    );
  });

  test('lemma 9: each item, off by a twentieth or by what branch points a fifth nearer make of it', () => {
    const off = (field: string, factor: number) =>
      failing(tampered(of('hinge-lemma-9'), SEED, scaled([field], factor)));
    expect(off('gap', 1.05)).toEqual([expect.stringContaining('|f_β − f|')]);
    expect(off('gap', 0.95)).toEqual([expect.stringContaining('|f_β − f|')]);
    expect(off('above', -1)).toEqual([expect.stringContaining('lies above')]);
    expect(off('steepest', 1.05)).toEqual([expect.stringContaining('1-Lipschitz')]);
    expect(off('flattest', -1)).toEqual([expect.stringContaining('convex')]);
    // The printed 1/β would be met by a curvature twice as large.
    expect(off('curvature', 2)).toEqual([expect.stringContaining('1/(2β)'), expect.stringContaining('as printed')]);
    expect(off('growth', 1.5)).toEqual([expect.stringContaining('item 1')]);
    expect(off('kinkGrowth', 0.1)).toEqual([expect.stringContaining('control')]);
  });

  test('algorithm 1: draws with replacement that are as good as fresh ones, or one pass that is not', () => {
    const change = (key: string, factor: number) =>
      failing(
        tampered(of('hinge-algorithm-1-draws'), SEED, (chunk, setting, cell) =>
          cell.startsWith(key) ? scaled(['sum', 'squares'], factor)(chunk, setting, cell) : chunk,
        ),
      );
    expect(change('replacement', 0.52)).toEqual([
      expect.stringContaining('with replacement it has'),
      expect.stringContaining('as printed'),
    ]);
    expect(change('one-pass', 1.3)).toEqual([expect.stringContaining('one pass')]);
  });

  test('theorem 10: a bias, a variance 15 % off, reports of hardly any precision', () => {
    const moments = of('hinge-theorem-10-moments');
    const biased = tampered(moments, SEED, (chunk, setting) => {
      const { reports } = setting as { reports: number };
      const { bias, ...rest } = chunk as { bias: number[] };
      return { ...rest, bias: bias.map((sum) => sum + 0.5 * reports) };
    });
    expect(failing(biased)).toEqual([expect.stringContaining('unbiased')]);
    // Squares with the square of the factor, so that the standard error grows in proportion.
    const wide = tampered(moments, SEED, (chunk) => {
      const { sum, squares, ...rest } = chunk as { sum: number; squares: number };
      return { ...rest, sum: 1.15 * sum, squares: 1.15 ** 2 * squares };
    });
    expect(failing(wide)).toEqual([expect.stringContaining('closed form')]);
    expect(failing(tampered(moments, SEED, scaled(['squares'], 100)))).toContainEqual(
      expect.stringContaining('precision'),
    );
  });

  test('theorem 10: an oracle worse than stated, or one that less than γ would do for, or another γ', () => {
    const off = (field: string, factor: number) =>
      failing(tampered(of('hinge-theorem-10-inexactness'), SEED, scaled([field], factor)));
    expect(off('slack', -1)).toEqual([expect.stringContaining('definition 7')]);
    expect(off('tight', -1)).toEqual([expect.stringContaining('control')]);
    // Half as much again, as a bound that is met with less to spare, and half of it.
    expect(off('gap', 1.5)).toContainEqual(expect.stringContaining('lemma 6'));
    expect(off('gap', 0.5)).toContainEqual(expect.stringContaining('lemma 6'));
  });

  test('remark 15: variances that grow by half a power more', () => {
    const steeper = tampered(of('hinge-remark-15-variance'), SEED, (chunk, setting) => {
      const { vary, epsilon, dimension } = setting as { vary: string; epsilon: number; dimension: number };
      const factor = (vary === 'epsilon' ? epsilon / 0.1 : dimension / 4) ** 0.5;
      const { sum, squares, ...rest } = chunk as { sum: number; squares: number };
      return { ...rest, sum: factor * sum, squares: factor ** 2 * squares };
    });
    expect(failing(steeper).length).toBe(7);
    expect(failing(steeper)).toContainEqual(expect.stringContaining('closed form'));
  });

  test('theorem 11: transcripts that spend a tenth more, and far more, than Gaussian DP says', () => {
    const privacy = of('hinge-theorem-11-privacy');
    expect(failing(tampered(privacy, SEED, scaled(['sums'], 1.1)))).toEqual([
      expect.stringContaining('measured transcripts'),
    ]);
    // The numbers at ε′ = 1 alone are looked at by the claim on what is spent there.
    for (const factor of [2, 0.5]) {
      const spent = tampered(privacy, SEED, scaled(['sums'], factor));
      expect(failing(spent)).toContainEqual(expect.stringContaining('measured at (1, 0.01)'));
    }
  });

  test('theorem 11: lifted reports that spend 1.2 times ε, with too little noise, or too long', () => {
    const reports = of('hinge-theorem-11-lifted');
    const spent = tampered(reports, SEED, (chunk, setting) => {
      const { epsilon } = setting as { epsilon: number };
      const { own, ...rest } = chunk as { own: number };
      return { ...rest, own: own * Math.exp(0.2 * epsilon) };
    });
    expect(failing(spent).length).toBe(6);
    expect(failing(tampered(reports, SEED, scaled(['squared'], 0.9)))).toEqual([expect.stringContaining('c_ε')]);
    expect(failing(tampered(reports, SEED, scaled(['along'], 1.05)))).toEqual([expect.stringContaining('unbiased')]);
    expect(failing(tampered(reports, SEED, scaled(['own', 'other'], 0.001))).length).toBe(6);
  });

  test('theorem 11: an excess risk with n^¼, p^¼ or ε^¼ too much, and one half as large again', () => {
    for (const [vary, axis] of [
      ['players', 'in n'],
      ['dimension', 'in p'],
      ['epsilon', 'in ε'],
    ]) {
      const slower = tampered(of('hinge-theorem-11-rate'), SEED, (chunk, setting) => {
        const { vary: own, [vary]: x } = setting as { vary: string; [name: string]: number | string };
        const { excess } = chunk as { excess: number[] };
        return own === vary ? { excess: excess.map((value) => value * Number(x) ** 0.25) } : chunk;
      });
      expect(failing(slower)).toContainEqual(expect.stringContaining(axis));
    }
    for (const factor of [1.5, 0.5]) {
      const level = tampered(of('hinge-theorem-11-rate'), SEED, scaled(['excess'], factor));
      for (const axis of ['along n', 'along p', 'along ε', 'second order']) {
        expect(failing(level)).toContainEqual(expect.stringContaining(axis));
      }
    }
  });

  test('theorem 11: an excess risk a fifth off, by all cells together', () => {
    const points: RatePoint[] = [];
    tampered(of('hinge-theorem-11-rate'), SEED, (chunk, setting) => {
      const { mean } = measuredMean((chunk as unknown as ExcessChunk).excess);
      const own = setting as unknown as ExcessSetting;
      points.push({ x: 1, y: mean / predictedExcess(own), relative: relativeError(own, own.runs) });
      return chunk;
    });
    // The standard error is .023. Two hundredths are of second order, as in the claims.
    const claimed = meanRatio(points, () => 1);
    const met = [0.8, 1, 1.2].map((factor) => {
      const { mean, error } = { mean: factor * claimed.mean, error: factor * claimed.error };
      return meanClaim({ what: 'excess', expected: 1, slack: 0.0204 }, { mean, error }).met;
    });
    expect(met).toEqual([false, true, false]);
  });

  test('theorem 11: a degree that is c·log(4/α)', () => {
    const universal = tampered(of('hinge-theorem-11-degree'), SEED, (_, setting) => {
      const { target } = setting as { target: number };
      return { degree: Math.ceil(Math.log(4 / target)) };
    });
    expect(failing(universal).length).toBe(2);
  });

  test('remark 12: transcripts that spend a tenth more', () => {
    expect(failing(tampered(of('hinge-remark-12'), SEED, scaled(['sum'], 1.1)))).toEqual([
      expect.stringContaining('simulated transcripts'),
    ]);
  });

  test('table 1: collections that are four times better or worse than the forecast', () => {
    for (const factor of [4, 0.25]) {
      const off = tampered(of('hinge-table-1'), SEED, scaled(['excess'], factor));
      expect(failing(off)).toEqual([expect.stringContaining('within a factor 2')]);
    }
  });
});

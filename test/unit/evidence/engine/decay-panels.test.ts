// What is said of scores by α and budget: which estimator is better, which α is best, and when that is left open.
import { describe, expect, test } from '@jest/globals';
import {
  BUDGETS,
  bestDecayClaim,
  betterClaim,
  DECAYS,
  divergenceClaim,
  lineAt,
  type Panels,
  panelFigures,
  panelTable,
} from '../../../evidence/online-sgd/reproductions/decay-panels.ts';

/** Scores that hardly vary, the same for every budget: by α, of the last iterate and of the average. */
function panelsOf(count: number, last: readonly number[], average: readonly number[]): Panels {
  const rows = (score: number): readonly (readonly number[])[] =>
    Array.from({ length: count }, (_, i) => [2 * score, score * (1 + 0.01 * (i % 2))]);
  return {
    name: 'figure',
    title: 'toy',
    score: 'error',
    logarithmic: true,
    checkpoints: [10, 100],
    lines: DECAYS.flatMap((_, decay) =>
      BUDGETS.map((__, budget) => ({ decay, budget, last: rows(last[decay]), average: rows(average[decay]) })),
    ),
  };
}

const many = panelsOf(40, [4, 2, 3, 100], [1, 1.9, 6, 101]);
const few = panelsOf(2, [4, 2, 3, 100], [0.01, 1.9, 90, 101]);

describe('claims by decay and budget', () => {
  test('say which estimator is better', () => {
    expect(betterClaim(many, 0, 'average')).toMatchObject({ met: true });
    expect(betterClaim(many, 0, 'last')).toMatchObject({ met: false });
    expect(betterClaim(many, 2, 'average')).toMatchObject({ met: false });
    expect(betterClaim(many, 2, 'average')).not.toHaveProperty('undecided');
  });

  test('of two replications are open where scores are near, and not where they are far apart', () => {
    expect(betterClaim(few, 1, 'average')).toMatchObject({ met: false, undecided: true });
    expect(betterClaim(few, 0, 'average')).not.toHaveProperty('undecided');
    expect(betterClaim(few, 0, 'average').met).toBe(true);
    expect(betterClaim(few, 2, 'average')).not.toHaveProperty('undecided');
    expect(betterClaim(few, 2, 'average').met).toBe(false);
  });

  test('name the best α, and whether α = 1 is far behind', () => {
    expect(bestDecayClaim(many, 1, 'last').met).toBe(true);
    expect(bestDecayClaim(many, 1, 'average').met).toBe(false);
    expect(bestDecayClaim(few, 1, 'last')).toMatchObject({ undecided: true });
    expect(divergenceClaim(many, 0).met).toBe(true);
    // Over an optimum of −20: 120/21 is not ten.
    expect(divergenceClaim(many, -20).met).toBe(false);
  });
});

test('figures and tables have a line for every budget, and a missing one is refused', () => {
  const figures = panelFigures(many);
  expect(figures.map(({ name }) => name)).toEqual([
    'figure-alpha-1-3',
    'figure-alpha-1-2',
    'figure-alpha-2-3',
    'figure-alpha-1',
  ]);
  expect(figures.map((figure) => figure.kind === 'curves' && figure.curves.length)).toEqual([10, 10, 10, 10]);
  const table = panelTable(many);
  expect(table.rows.map(([budget]) => budget)).toEqual(['μ = 0.5', 'μ = 1', 'μ = 2', 'μ = 3', 'no privacy']);
  // By hand: 4·1.005 and 1.005.
  expect(table.rows[0][1]).toMatch(/^4\.02\d* ± .* \/ 1\.005/);
  expect(() => lineAt({ ...many, lines: [] }, 0, 0)).toThrow('"lines" expected one at 0, 0');
});

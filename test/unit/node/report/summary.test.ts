import { describe, expect, test } from '@jest/globals';
import {
  drawnNotes,
  type RunDocument,
  type RunRecord,
  resultRows,
  spreadText,
  summarize,
} from '../../../../src/node/kinds/records/summary.ts';
import { compact, counted, everyOf, powerOfTen, reporting, wholeNumber } from '../../../../src/node/print.ts';
import { PAGE_STYLE } from '../../../../src/node/report/page.ts';

function runOf(
  variant: string,
  epsilon: number,
  repetition: number,
  risk: number,
  auc: number | null = 0.75,
): RunRecord {
  const metrics = { risk, excessRisk: risk - 0.25, accuracy: 0.5, auc };
  return {
    variant,
    epsilon,
    repetition,
    guarantee: { kind: 'pure', epsilon },
    degree: 1,
    estimate: { w: [1], degree: 1, risk, standardError: 0 },
    uncertainty: { level: 0.95, risk: [0, 1], effect: [-1, 1], what: 'it is', enough: false, playersNeeded: null },
    metrics,
    baselines: { meanOnly: { ...metrics, risk: risk + 1 } },
    seconds: 2,
    law: 'reports',
    reports: 100,
    distance: 0,
    reportsPerSecond: 50,
  };
}

// Only what a summary looks at.
const documentOf = (runs: readonly RunRecord[]): RunDocument =>
  ({
    variant: 'a',
    loss: 'hinge',
    runs,
    baselines: {
      nonPrivate: { risk: 0.25, accuracy: 0.9, auc: 0.95 },
      constant: { risk: 0.5, accuracy: 0.6, auc: 0.5 },
      meanOnly: runs[0].baselines.meanOnly,
    },
  }) as unknown as RunDocument;

describe('a summary', () => {
  const runs = [
    runOf('a', 1, 1, 0.3),
    runOf('a', 1, 2, 0.5),
    runOf('b', 1, 1, 0.4),
    runOf('b', 1, 2, 0.4),
    runOf('a', 2, 1, 0.28),
    runOf('a', 2, 2, 0.26),
    runOf('b', 2, 1, 0.3, null),
    runOf('b', 2, 2, 0.3),
  ];

  test('has the mean and the standard deviation over repetitions, by variant and ε', () => {
    const { variants, meanOnly, constant, nonPrivate } = summarize(documentOf(runs));
    expect(variants.map(({ variant, rows }) => [variant, ...rows.map(({ epsilon }) => epsilon)])).toEqual([
      ['a', 1, 2],
      ['b', 1, 2],
    ]);
    const [row] = variants[0].rows;
    expect(row.risk.mean).toBeCloseTo(0.4, 12);
    // (0.3 − 0.4)² + (0.5 − 0.4)², over one degree of freedom.
    expect(row.risk.deviation).toBeCloseTo(Math.sqrt(0.02), 12);
    expect(row.excessRisk.mean).toBeCloseTo(0.15, 12);
    expect(meanOnly[0].risk.mean).toBeCloseTo(1.4, 12);
    expect(constant.excessRisk).toEqual({ mean: 0.25, deviation: null });
    expect(nonPrivate.excessRisk.mean).toBe(0);
  });

  test('has no mean where one of the values is missing, and no deviation of one value', () => {
    const { variants } = summarize(documentOf(runs));
    expect(variants[1].rows[1].auc).toEqual({ mean: null, deviation: null });
    const single = summarize(documentOf([runOf('a', 1, 1, 0.3)]));
    expect(single.variants[0].rows[0].risk).toEqual({ mean: 0.3, deviation: null });
  });

  test('is a table of baselines, then of the models at each ε', () => {
    const document = documentOf(runs);
    const [head, ...rows] = resultRows(document, summarize(document));
    expect(head[2]).toBe('hinge risk');
    expect(rows.map(([epsilon, model]) => `${epsilon}|${model}`)).toEqual([
      '|non-private optimum',
      '|best constant',
      '1|mean only (a)',
      '1|a',
      '1|b',
      '2|mean only (a)',
      '2|a',
      '2|b',
    ]);
    expect(rows[3].slice(2)).toEqual([
      '0.40000 ± 0.14142',
      '0.15000 ± 0.14142',
      '0.7500 ± 0.0000',
      '0.5000 ± 0.0000',
      '2.000',
      '50',
    ]);
    expect(rows[7][4]).toBe('–');
    expect(rows.map((cells) => cells.length)).toEqual(rows.map(() => head.length));
  });

  test('has the time and the speed of runs with reports alone, and no speed where no report was made', () => {
    const drawn = { law: 'sum', reports: 0, distance: 0.00719, reportsPerSecond: null, seconds: 0.1 } as const;
    const mixed = [
      runOf('a', 1, 1, 0.3),
      { ...runOf('a', 1, 2, 0.5), ...drawn },
      { ...runOf('b', 1, 1, 0.4), ...drawn, distance: 0 },
      { ...runOf('b', 1, 2, 0.4), ...drawn, distance: 0, reports: 7 },
    ];
    const document = { ...documentOf(mixed), copies: 1, momentsSeconds: 1.26 } as RunDocument;
    const rows = resultRows(document, summarize(document));
    expect(rows.slice(4).map((cells) => cells.slice(6))).toEqual([
      ['2.000', '50'],
      ['0.100', 'law of sums'],
    ]);
    expect(drawnNotes(document)).toEqual([
      'Law of sums: not all reports were made for a at ε = 1 (1 of 2 runs; within 0.0072 in total variation), ' +
        'b at ε = 1 (2 of 2 runs; exact, with 7 reports a run for what has no such law). ' +
        'What they add up to was drawn from the records.',
      'Moments of the records for all of these runs: 1.3 s.',
    ]);
    expect(drawnNotes(documentOf(runs))).toEqual([]);
  });
});

describe('a figure', () => {
  test('has a minus sign unless it rounds to nothing', () => {
    expect(spreadText({ mean: -0.00012, deviation: null }, 4)).toBe('−0.0001');
    expect(spreadText({ mean: -0.00002, deviation: 0.5 }, 4)).toBe('0.0000 ± 0.5000');
  });

  test('of any size has about three digits', () => {
    const values = [1, 1.25, 12.34, 221.6, 3_000_000, 6.648e8, 1.1e-7];
    expect(values.map(compact)).toEqual(['1', '1.25', '12.3', '222', '3,000,000', '6.65 × 10⁸', '1.10 × 10⁻⁷']);
    expect([0, 12, -3].map(powerOfTen)).toEqual(['10⁰', '10¹²', '10⁻³']);
    expect(wholeNumber(1234567.8)).toBe('1,234,568');
    expect([counted(1, 'player'), counted(2000, 'player')]).toEqual(['1 player', '2,000 players']);
  });
});

test('one player is told of in the singular', () => {
  expect([1, 2000].map((players) => reporting(players))).toEqual([
    '1 player who sent one randomized report',
    '2,000 players who sent one randomized report each',
  ]);
  expect([1, 2].map(everyOf)).toEqual(['The only player', 'Each of 2 players']);
});

test('a name of any length breaks at the end of a page, and not in a table, which can be scrolled', () => {
  expect(PAGE_STYLE).toMatch(/^main \{.* overflow-wrap: anywhere; \}$/m);
  expect(PAGE_STYLE).toMatch(/^table \{ overflow-wrap: normal;/m);
});

// User-level means by one, two or eight rounds: who the players are, what is asked, and what is left open.
import { describe, expect, test } from '@jest/globals';
import { canonicalJson } from '../../../../src/core/request.ts';
import { analyticGaussianSigma } from '../../../../src/privacy/gaussian.ts';
import { normal } from '../../../../src/random/random.ts';
import { seededRandom } from '../../../../src/random/seeded.ts';
import { experiments } from '../../../evidence/user-level-mean/reproductions/index.ts';
import { belowClaim, twoRoundsReport } from '../../../evidence/user-level-mean/reproductions/report.ts';
import {
  clippedMean,
  drawPlayers,
  SCHEMES,
  schemePlan,
  twoRoundsChunk,
} from '../../../evidence/user-level-mean/reproductions/runs.ts';
import { twoRounds } from '../../../evidence/user-level-mean/reproductions/two-rounds.ts';

const cells = twoRounds.cells('quick');

describe('the comparison of rounds', () => {
  test('has keys that can be names of files, and quick cells that are those of the full scale', () => {
    expect(experiments).toEqual([twoRounds]);
    const full = twoRounds.cells('full');
    expect(new Set(full.map(({ key }) => key)).size).toBe(full.length);
    expect(full.filter(({ key }) => !/^[a-z0-9-]+$/.test(key))).toEqual([]);
    expect(cells.map(({ key, setting }) => canonicalJson([key, setting]))).toEqual(
      full.map(({ key, setting }) => canonicalJson([key, setting])),
    );
  });

  test('has chunks that follow from the seed, and a report with a row for every scheme of a setting', () => {
    const results = cells.map((cell) => ({
      cell,
      chunks: [twoRounds.chunk(twoRounds.smallRun(cell.setting), 0, 'seed')],
    }));
    const setting = twoRounds.smallRun(cells[0].setting);
    expect(canonicalJson(twoRounds.chunk(setting, 0, 'seed'))).toBe(canonicalJson(results[0].chunks[0]));
    expect(canonicalJson(twoRounds.chunk(setting, 1, 'seed'))).not.toBe(canonicalJson(results[0].chunks[0]));
    const { tables, figures, claims } = twoRoundsReport(results);
    expect(tables.map(({ rows }) => rows.length)).toEqual([9 * SCHEMES.length, 4, 4 * SCHEMES.length]);
    for (const { rows, columns } of tables) expect(rows.filter((row) => row.length !== columns.length)).toEqual([]);
    expect(tables[0].rows.slice(0, SCHEMES.length).map((row) => row[5])).toEqual(['1', '2', '2', '2', '8', '8']);
    expect(figures.map((figure) => figure.kind === 'curves' && figure.curves[0].points.length)).toEqual([3, 3, 3, 3]);
    expect(claims).toHaveLength(12);
  });

  test('plans as it says: pure but for δ, in the ball for profiles, with s where it is stated', () => {
    const days = cells.find(({ key }) => key === 'departures-0')!.setting;
    const plans = SCHEMES.map((scheme) => schemePlan(scheme, days));
    expect(plans.map((plan) => plan?.samples)).toEqual([undefined, 14, 14, 6, 14, 14]);
    expect(plans.map((plan) => plan?.request?.domain)).toEqual([undefined, 'ball', 'ball', 'ball', 'ball', 'ball']);
    expect(plans.map((plan) => plan !== undefined && plan.request?.spread !== undefined)).toEqual(
      SCHEMES.map(({ stated }) => stated === true),
    );
  });

  // The sum of 8·30 squared normal errors is off by √(2/240) = .09: four and a half of these are .41, false alarm 1e-5.
  test('draws the naive mean by its law, and not with half the noise (control)', () => {
    const setting = { ...cells[0].setting, players: 1000, runs: 30 };
    const found = twoRoundsChunk(setting, 0, 'naive', SCHEMES.slice(0, 1)).squares[0].reduce(
      (sum, square) => sum + square / 30,
      0,
    );
    const sigma = analyticGaussianSigma({ epsilon: setting.epsilon, delta: 1e-6, sensitivity: 2 * Math.sqrt(8) });
    const expected = (8 * (sigma ** 2 + setting.spread ** 2 / setting.samples)) / 1000;
    expect(Math.abs(found / expected - 1)).toBeLessThan(0.41);
    expect(Math.abs((4 * found) / expected - 1)).toBeGreaterThan(0.41);
  });
});

describe('the players', () => {
  test('have the mean that is to be estimated, whatever they are drawn from', () => {
    for (const key of ['base', 'clipped-0-1', 'departures-0']) {
      const { setting } = cells.find((cell) => cell.key === key)!;
      const request = { ...setting, players: 4000 };
      const { local, truth } = drawPlayers(request, seededRandom(key));
      const d = truth.length;
      const mean = new Float64Array(d);
      const squares = new Float64Array(d);
      for (let i = 0; i < local.length; i++) {
        mean[i % d] += local[i] / 4000;
        squares[i % d] += local[i] ** 2 / 4000;
      }
      // Five standard errors of each coordinate: false alarm 2e-5 for the 40 of them.
      const far = mean.filter((m, j) => Math.abs(m - truth[j]) > 5 * Math.sqrt((squares[j] - m * m) / 4000) + 1e-12);
      expect(Array.from(far)).toEqual([]);
      // Control: a mean that is .02 off is seen.
      const off = mean.filter((m, j) => Math.abs(m - truth[j] - 0.02) > 5 * Math.sqrt((squares[j] - m * m) / 4000));
      expect(off.length).toBeGreaterThan(d / 3);
    }
  });

  test('of profiles have shares that add up to 1', () => {
    const { setting } = cells.find(({ key }) => key === 'departures-0')!;
    const { local } = drawPlayers({ ...setting, players: 100 }, seededRandom('shares'));
    for (let i = 0; i < 100; i++) {
      expect(local.subarray(24 * i, 24 * (i + 1)).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
    }
  });

  test('are clipped with the mean that the integral gives', () => {
    const random = seededRandom('clipped');
    let sum = 0;
    for (let i = 0; i < 100_000; i++) sum += Math.max(-1, Math.min(1, 0.8 + 0.5 * normal(random))) / 100_000;
    // Standard error below .5/√100000 = .0016: five of them.
    expect(Math.abs(sum - clippedMean(0.8, 0.5))).toBeLessThan(0.008);
    expect(Math.abs(sum - 0.8)).toBeGreaterThan(0.05);
    expect(clippedMean(0, 0.5)).toBeCloseTo(0, 12);
  });
});

test('a claim is met or missed by three standard errors, and open between', () => {
  const one = { mean: 1, error: 0.01 };
  expect(belowClaim('', one, { mean: 2, error: 0.02 }, 1)).toMatchObject({ met: true });
  expect(belowClaim('', one, { mean: 2, error: 0.02 }, 0.4)).toMatchObject({ met: false });
  expect(belowClaim('', one, { mean: 2, error: 0.02 }, 0.4)).not.toHaveProperty('undecided');
  expect(belowClaim('', one, { mean: 1.02, error: 0.02 }, 1)).toMatchObject({ met: false, undecided: true });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { study as descentStudy } from '../../../protocols/noisy-gradient-descent/protocol.ts';
import { study as newtonStudy } from '../../../protocols/noisy-newton/protocol.ts';
import { userLevelErm, userLevelErmPlan } from '../../../protocols/user-level-erm/index.ts';
import { descentBound, expectedGradientError } from '../../../protocols/user-level-erm/protocol.ts';
import { audit } from '../../../src/audit/audit.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { ldpkit as ldpkitIn } from './command-line.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ldpkit-models-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
const ldpkit = (words: string) => ldpkitIn(folder, words.split(' '));

describe('ldpkit certify', () => {
  test.each([
    ['noisy-gradient-descent --mu 2', 'Claimed: Gaussian, μ = 2'],
    ['noisy-newton --mu 0.5 --dimension 3', 'Claimed: Gaussian, μ = 0.5'],
    ['user-level-erm --epsilon 2 --dimension 3', 'Claimed: pure, ε = 2'],
  ])('certifies %s, and verify agrees', async (words, claim) => {
    const { status, stdout } = await ldpkit(`certify ${words}`);
    expect(status).toBe(0);
    expect(stdout).toContain(claim);
    expect(stdout).toMatch(/ yes +(?:Gaussian composition|basic composition)/);
    const file = join(folder, `${words.split(' ')[0]}.json`);
    const { stdout: json } = await ldpkit(`certify ${words} --json`);
    writeFileSync(file, json);
    expect(await ldpkit(`verify ${file}`)).toMatchObject({ status: 0 });
    // Less noise than the request says is found out.
    writeFileSync(file, json.replace(/"scale": ([0-9.e-]+)/, '"scale": 0.5'));
    expect(await ldpkit(`verify ${file}`)).toMatchObject({ status: 3 });
  });

  test('says of influence-sgd that its claim is refuted, with exit code 3', async () => {
    const { status, stdout } = await ldpkit('certify influence-sgd --epsilon 2 --json');
    expect(status).toBe(3);
    const found = JSON.parse(stdout);
    expect(found).toHaveLength(2);
    for (const { holds, claimed, unboundedDelta } of found) {
      expect({ holds, epsilon: claimed.epsilon }).toEqual({ holds: false, epsilon: 2 });
      // 20 records, 8 steps: the record is drawn with 1 − (19/20)⁸ = .3366.
      expect(unboundedDelta).toBeCloseTo(1 - (19 / 20) ** 8, 3);
    }
  });

  test.each([
    [
      'influence-sgd --html page.html',
      '"html" expected none: there is nothing to certify of influence-sgd, got "page.html"',
    ],
    ['influence-sgd --mu 1', '"mu" expected none: the budget of influence-sgd is in ε, got "1"'],
    ['user-level-erm --mu 1', '"mu" expected none: the budget of user-level-erm is in ε, got "1"'],
    ['noisy-newton --samples 3', '"samples" expected none: in noisy-newton a curator holds single records, got "3"'],
    [
      'noisy-newton --grade deployment',
      '"grade" expected simulation: noisy-newton has a curator, and nothing that is sent, got "deployment"',
    ],
    ['noisy-gradient-descent --mu 0', '"mu" expected a finite number > 0, got 0'],
    ['noisy-gradient-descent --variant best', '"variant" expected one of descent, got "best"'],
    ['influence-sgd --players 3e9', '"players" expected a whole number from 1 to 8388608, got 3000000000'],
    ['influence-sgd --delta 1e-308', '"delta" expected a number from 1e-300 to below 1, got 1e-308'],
    [
      'gradient-waves --players 10',
      '"players" expected none: what a player of gradient-waves is promised does not depend on how many there are, got "10"',
    ],
  ])('refuses %s', async (words, message) => {
    expect(await ldpkit(`certify ${words}`)).toEqual({ status: 2, stdout: '', stderr: `ldpkit: ${message}\n` });
  });
});

describe('ldpkit audit', () => {
  test('refutes the claim of influence-sgd, with exit code 3', async () => {
    const { status, stdout } = await ldpkit('audit influence-sgd --trials 8000 --json');
    expect(status).toBe(3);
    const { verdict, lowerBound } = JSON.parse(stdout);
    expect(verdict).toBe('violation');
    expect(lowerBound).toBeGreaterThan(4);
  });

  test.each(['influence-sgd', 'noisy-newton', 'noisy-gradient-descent'])(
    'refuses more records of a curator than an attack goes through, of %s',
    async (protocol) => {
      const { status, stderr } = await ldpkit(`audit ${protocol} --players 3e9 --trials 2000`);
      expect(status).toBe(2);
      expect(stderr).toMatch(/^ldpkit: "players" expected a whole number from 1 to \d+, got 3000000000\n$/);
    },
  );

  test('enumerates the transcript of user-level-erm, and finds all of ε', async () => {
    const { status, stdout } = await ldpkit(
      'audit user-level-erm --epsilon 2 --dimension 2 --players 4000 --trials 0 --json',
    );
    expect(status).toBe(0);
    const [{ method, lowerBound, verdict }] = JSON.parse(stdout).rounds;
    expect({ method, verdict }).toEqual({ method: 'enumeration', verdict: 'consistent' });
    expect(lowerBound).toBeCloseTo(2, 6);
  });

  // All bounds hold with probability .99, at a fixed seed.
  test.each([
    ['descent', descentStudy, 0.5],
    ['newton', newtonStudy, 0.25],
    ['reweighted', newtonStudy, 0.25],
  ] as const)('%s keeps its claim, and is found out with a quarter of its noise', (variant, study, least) => {
    const target = study.target({
      variant,
      epsilon: 1,
      delta: 1e-6,
      mu: 2,
      ...study.defaults.audit,
      dimension: 1,
    });
    const options = { trials: 12_000, lastBits: false, twoReports: false } as const;
    const honest = audit(target, { ...options, random: seededRandom('honest') });
    expect(honest.verdict).toBe('consistent');
    expect(honest.muLowerBound).toBeGreaterThan(2 * least);
    const weaker = JSON.stringify(target.parameters, (name, value) =>
      /noise$|^gradient$|^matrix$/i.test(name) && typeof value === 'number' ? value / 4 : value,
    );
    const plan = target.parameters as { readonly start: Float64Array; readonly sandwich: object };
    const parameters = {
      ...JSON.parse(weaker),
      start: plan.start,
      model: (plan as unknown as { readonly model: object }).model,
      sandwich: plan.sandwich,
    };
    const controlled = audit({ ...target, parameters }, { ...options, random: seededRandom('weaker') });
    expect(controlled.verdict).toBe('violation');
  });
});

describe('ldpkit forecast', () => {
  // The noise of a curator falls like 1/μ at the same steps; by signs an error of gradients that leads falls like 1/√m.
  test.each([
    ['noisy-gradient-descent', '--mu 1', '--mu 2', 2],
    ['noisy-newton', '--mu 1', '--mu 2', 2],
    ['user-level-erm --dimension 2', '--samples 100', '--samples 400', 2],
  ])('of %s falls as the theory says from %s to %s', async (words, first, second, factor) => {
    const [one, other] = await Promise.all(
      [first, second].map(async (option) => {
        const { status, stdout } = await ldpkit(`forecast ${words} ${option} --json`);
        expect(status).toBe(0);
        return JSON.parse(stdout).rows[0].error;
      }),
    );
    expect(other).toBeGreaterThan(0);
    // What is left of the start is small beside it; twice as many players in the last iteration would be √2.
    expect(one / other).toBeGreaterThan(0.9 * factor);
    expect(one / other).toBeLessThan(1.1 * factor);
  });

  test('of influence-sgd says that its claim is refuted, and what private answers come to', async () => {
    const words = 'forecast influence-sgd --players 40000 --dimension 3 --epsilon 2';
    const { status, stdout } = await ldpkit(`${words} --json`);
    expect(status).toBe(0);
    const { refuted, delta, records, rows } = JSON.parse(stdout);
    expect({ refuted, delta, records }).toEqual({ refuted: true, delta: 1e-6, records: 40_000 });
    expect(rows.map(({ variant, holds }: { variant: string; holds: boolean }) => [variant, holds])).toEqual([
      ['printed', false],
      ['recalibrated', false],
      ['output perturbation', true],
      ['gradient perturbation', true],
    ]);
    for (const { error, without } of rows) expect(error).toBeGreaterThan(without);
    const { stdout: text } = await ldpkit(words);
    expect(text).toContain(
      'The printed privacy claim of influence-sgd is refuted: the rows of printed and recalibrated',
    );
    expect(text).toMatch(/^printed: error .*; promises no privacy$/m);
    expect(text).toMatch(/^output perturbation: error .*; \(2, 1e-6\)-private$/m);
    expect(text.match(/^assumed: /gm)).toHaveLength(1);
  });

  test('of user-level-erm is the bound of its theory', async () => {
    const { status, stdout } = await ldpkit('forecast user-level-erm --dimension 3 --epsilon 2 --samples 50 --json');
    expect(status).toBe(0);
    const { rows, players } = JSON.parse(stdout);
    const asked = { epsilon: 2, players, samples: 50, dimension: 3 };
    const plan = userLevelErmPlan({
      ...asked,
      ...{ variant: 'descent', loss: 'logistic', radius: 1, strongConvexity: 0.025, force: true },
    });
    const gradientError = expectedGradientError(plan, 0.5 / Math.sqrt(3));
    expect(rows[0].error).toBeCloseTo(descentBound(plan, { start: 1, gradientError }), 12);
    // The bound is one: the error to expect is below it.
    const { error } = userLevelErm.theory.forecast!(plan, { players });
    expect(error).toBeLessThan(rows[0].error);
    const { stdout: text } = await ldpkit('forecast user-level-erm --dimension 3');
    expect(text).toMatch(/^descent: error 0\.\d+, bound on the distance/m);
  });

  test.each([
    ['influence-sgd --mu 1', '"mu" expected none: the budget of influence-sgd is in ε, got "1"'],
    ['influence-sgd --delta 1e-308', '"delta" expected a number from 1e-300 to below 1, got 1e-308'],
    ['noisy-newton --signal 0.2', '"signal" expected none: the model of noisy-newton is fixed, got "0.2"'],
  ])('refuses %s', async (words, message) => {
    expect(await ldpkit(`forecast ${words}`)).toEqual({ status: 2, stdout: '', stderr: `ldpkit: ${message}\n` });
  });
});

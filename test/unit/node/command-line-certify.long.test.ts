import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { generalizedLinear, generalizedLinearParameters } from '../../../protocols/generalized-linear/index.ts';
import { hinge, hingeParameters } from '../../../protocols/hinge/index.ts';
import { descent, userLevelErm } from '../../../protocols/user-level-erm/index.ts';
import { certify } from '../../../src/core/certify.ts';
import type { Listed } from '../../../src/node/studies.ts';
import { ldpkit as ldpkitIn } from './command-line.ts';
import { scratchFolder } from './scratch.ts';

const write = scratchFolder();
const folder = dirname(write('empty.json', ''));
const ldpkit = (...words: readonly string[]) => ldpkitIn(folder, words);

const request = { variant: 'printed', epsilon: 1, delta: 1e-6, degree: 2, dimension: 5 } as const;
const made = certify(hinge, hingeParameters(request), request);
const words = 'certify hinge --variant printed --epsilon 1 --delta 1e-6 --degree 2 --dimension 5'.split(' ');
const jsonOf = (value: unknown): string => JSON.stringify(value);

describe('ldpkit certify', () => {
  test('prints as JSON what the library certifies, and by which program', async () => {
    const { stdout } = await ldpkit(...words, '--json');
    const { tool, ...document } = JSON.parse(stdout);
    expect(document).toEqual(made);
    expect(tool).toEqual({ name: 'ldpkit', version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  });

  test('leaves out of the request what a variant does not use', async () => {
    const { stdout } = await ldpkit('certify', 'generalized-linear', '--variant', 'lifted,sphericalLaplace', '--json');
    expect(JSON.parse(stdout).map((one: { readonly request: object }) => one.request)).toEqual([
      { variant: 'lifted', epsilon: 1, degree: 1, dimension: 10 },
      { variant: 'sphericalLaplace', epsilon: 1, dimension: 10 },
    ]);
  });

  test('certifies the variants that have the grade asked for, and that is verified', async () => {
    const { status, stdout } = await ldpkit('certify', 'hinge', '--grade', 'deployment', '--json');
    const documents = JSON.parse(stdout) as readonly { readonly variant: string; readonly grade: string }[];
    expect([status, documents.map(({ variant, grade }) => [variant, grade])]).toEqual([
      0,
      [
        ['lifted', 'deployment'],
        ['gaussian', 'deployment'],
        ['direct', 'deployment'],
        ['sampled', 'deployment'],
      ],
    ]);
    write('deployment.json', stdout);
    const verified = await ldpkit('verify', 'deployment.json', '--json');
    expect([verified.status, JSON.parse(verified.stdout).verified]).toEqual([0, true]);
  });

  test('writes a page beside the table', async () => {
    const [{ stdout: table }, { status, stdout }] = await Promise.all([
      ldpkit(...words),
      ldpkit(...words, '--html', 'pages/page.html'),
    ]);
    expect([status, stdout]).toEqual([0, `${table}\nwrote ${join('pages', 'page.html')}\n`]);
    const page = readFileSync(join(folder, 'pages/page.html'), 'utf8');
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(page).toContain(made.digest);
  });

  test.each([
    ['--grade best', '"grade" expected one of simulation, deployment, got "best"'],
    ['--variant printed --grade deployment', /^ldpkit: "grade" expected simulation .*, got "deployment"\n$/],
    ['--html .', /^ldpkit: "html" expected no folder of this name, got "\.*"\n$/],
  ])('refuses %s', async (option, message) => {
    const { status, stdout, stderr } = await ldpkit('certify', 'hinge', ...option.split(' '));
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    if (typeof message === 'string') expect(stderr).toBe(`ldpkit: ${message}\n`);
    else expect(stderr).toMatch(message);
  });

  test('refuses a page without a name', async () => {
    const { status, stderr } = await ldpkit(...words, '--html', '');
    expect({ status, stderr }).toEqual({ status: 2, stderr: 'ldpkit: "html" expected a file, got ""\n' });
  });
});

describe('ldpkit verify', () => {
  test('verifies what certify printed, for every protocol and variant', async () => {
    const { stdout: list } = await ldpkit('list', '--json');
    const listed = JSON.parse(list) as readonly Listed[];
    // Without variants of its own a protocol is certified by a request: command-line-module.test.ts.
    const protocols = listed.flatMap(({ protocol, kind, variants }) =>
      variants === undefined ? [] : [{ protocol, kind, variants }],
    );
    expect(protocols.length).toBeGreaterThan(2);
    await Promise.all(
      protocols.map(async ({ protocol, kind, variants }) => {
        // Of the means of several samples most variants have one dimension, which is then the default; a survey has its schema.
        const dimension = kind === 'survey' || protocol === 'user-level-mean' ? [] : ['--dimension', '4'];
        const printed = await ldpkit('certify', protocol, ...dimension, '--json');
        // Its claim is refuted: nothing is certified.
        if (protocol === 'influence-sgd') return expect(printed.status).toBe(3);
        // Of a printed variant the claim follows from no total.
        const code = protocol === 'user-level-mean' ? 3 : 0;
        expect(printed.status).toBe(code);
        write(`${protocol}.json`, printed.stdout);
        const { status, stdout, stderr } = await ldpkit('verify', `${protocol}.json`);
        expect({ status, stderr }).toEqual({ status: code, stderr: '' });
        return expect(stdout.match(/^\S+ \(\w+\): verified$/gm)).toEqual(
          variants.map((variant) => `${protocol} (${variant}): verified`),
        );
      }),
    );
  });

  test('verifies a certificate of the library, with everything that one can only ask there', async () => {
    const asked = {
      variant: 'lifted',
      epsilon: 1,
      degree: 1,
      dimension: 3,
      task: 'regression',
      shares: [1, 16],
    } as const;
    write('library.json', jsonOf(certify(generalizedLinear, generalizedLinearParameters(asked), asked)));
    const erm = { epsilon: 1, players: 1e6, samples: 50, dimension: 4, loss: 'logistic', radius: 2 } as const;
    write('erm.json', jsonOf(certify(userLevelErm, descent({ ...erm, strongConvexity: 0.1 }))));
    const model = await ldpkit('verify', 'erm.json');
    expect({ status: model.status, line: model.stdout.split('\n')[0] }).toEqual({
      status: 0,
      line: 'user-level-erm (descent): verified',
    });
    const { status, stdout } = await ldpkit('verify', 'library.json');
    expect(status).toBe(0);
    expect(stdout).toMatch(
      new RegExp(
        [
          '^generalized-linear \\(lifted\\): verified',
          '  claimed: pure, ε = 1',
          '  grade: simulation',
          '  request: .*"task":"regression".*',
          '  digest: [0-9a-f]{32}, which every report of these parameters carries',
          '  computed again: \\d+ values agree\n$',
        ].join('\n'),
      ),
    );
  });

  const claimed = { ...made, claimed: { ...made.claimed, epsilon: 0.5 } };
  const { totals, releases } = made;
  const tampered: readonly (readonly [string, unknown, string])[] = [
    ['ε claimed', claimed, 'claimed.epsilon: expected 1, got 0.5'],
    ['δ reported at', { ...made, reportDelta: 1e-7 }, 'reportDelta: expected 0.000001, got 1e-7'],
    ['digest', { ...made, digest: '0'.repeat(32) }, `digest: expected "${made.digest}", got "${'0'.repeat(32)}"`],
    [
      'number of releases',
      { ...made, releases: releases.map((release) => ({ ...release, count: 1 })) },
      'releases[2].count: expected 3, got 1',
    ],
    ['list of totals', { ...made, totals: totals.slice(1) }, 'totals[3]: expected an object, got nothing'],
    ['protocol', { ...made, protocol: 'euclidean-median' }, 'digest: expected'],
    [
      'protocol to none at all',
      { ...made, protocol: '../hinge' },
      'protocol: expected one of euclidean-median, frequency, generalized-linear, gradient-waves, hinge',
    ],
    ['version of the protocol', { ...made, protocolVersion: 2 }, 'protocolVersion: expected 1, got 2'],
    ['version of the document', { ...made, schemaVersion: 2 }, 'schemaVersion: expected 1, got 2'],
    ['grade', { ...made, grade: 'deployment' }, 'grade: expected "simulation", got "deployment"'],
    ['notes', { ...made, notes: [] }, 'notes[0]: expected "Grade simulation'],
    ['request', { ...made, request: { ...request, degree: -1 } }, 'request: expected what hinge can be asked for, got'],
  ];

  test('ends with 3 and names every field that somebody changed', async () => {
    write('tampered.json', jsonOf(tampered.map(([, document]) => document)));
    const { status, stdout, stderr } = await ldpkit('verify', 'tampered.json');
    expect({ status, stderr }).toEqual({ status: 3, stderr: '' });
    const parts = stdout.split('\n\n');
    expect(parts.filter((part) => !/^\S+(?: \(printed\))?: NOT VERIFIED\n/.test(part))).toEqual([]);
    const found = tampered.map(([name, , line], index) => [name, parts[index].includes(`\n  ${line}`)]);
    expect(found).toEqual(tampered.map(([name]) => [name, true]));
  });

  test('ends with 3 when one of a list is not verified, and says which', async () => {
    write('list.json', jsonOf([made, claimed]));
    const [{ status, stdout }, json] = await Promise.all([
      ldpkit('verify', 'list.json'),
      ldpkit('verify', 'list.json', '--json'),
    ]);
    expect([status, json.status]).toEqual([3, 3]);
    expect(stdout.match(/^hinge.*$/gm)).toEqual(['hinge (printed): verified', 'hinge (printed): NOT VERIFIED']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      verified: false,
      certificates: [
        { protocol: 'hinge', variant: 'printed', digest: made.digest, verified: true, mismatches: [] },
        { verified: false, mismatches: [{ field: 'claimed.epsilon', expected: '1', got: '0.5' }] },
      ],
    });
  });

  test('does not obey a file: nothing in it reaches the terminal as a command', async () => {
    write(
      'steering.json',
      jsonOf({ ...made, variant: '\u001b[2J', '\u009b2J\u202e': 1, protocol: '\u001b]0;x\u0007' }),
    );
    const { status, stdout } = await ldpkit('verify', 'steering.json');
    expect(status).toBe(3);
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  test.concurrent.each([
    ['missing.json', undefined, '"certificate" expected a file that can be read, got "missing.json"'],
    ['empty.json', undefined, '"certificate" expected a JSON file, got "empty.json"'],
    [
      'none.json',
      '[]',
      '"certificate" expected a certificate, which ldpkit certify --json prints where a claim is not refuted, got "none.json"',
    ],
    ['second.json', jsonOf([made, { ...made, digest: 1 }]), '"certificates[1].digest" expected a text, got 1'],
  ])('ends with 2 for what is no certificate: %s', async (file, content, message) => {
    if (content !== undefined) write(file, content);
    expect(await ldpkit('verify', file)).toEqual({ status: 2, stdout: '', stderr: `ldpkit: ${message}\n` });
  });

  test('reads no more than its file, and writes nothing', () => {
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
    expect(existsSync(join(folder, 'missing.json'))).toBe(false);
  });
});

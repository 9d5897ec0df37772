import { describe, expect, test } from '@jest/globals';
import { certificate, formatCertificate, isCertified } from '../../../src/privacy/certificate.ts';
import { pure } from '../../../src/privacy/guarantee.ts';
import { printedAlgorithm, releaseOf } from './printed-algorithm.ts';

describe('A certificate in plain text', () => {
  test('shows both accountings of the printed algorithm side by side', () => {
    const lines = formatCertificate(printedAlgorithm({ epsilon: 1, delta: 1e-6 }, 2));
    expect(lines[0]).toBe("Certificate of hinge (printed): one player's whole transcript");
    expect(lines[2]).toBe('Claimed: approximate, ε = 1, δ = 1e-6');
    const line = (start: string): string => lines.find((text) => text.startsWith(start)) ?? '';
    expect(line('basic')).toMatch(/^basic +approximate, ε = 2, δ = 8e-6 +no +basic composition of the claimed/);
    expect(line('gdp')).toMatch(/^gdp +Gaussian, μ = 0.154091 +0.63044 +yes +Gaussian composition/);
    expect(line('3 ')).toMatch(/^3 +the other copies of x +Gaussian +2 +63.5856 +Gaussian, μ = 0.0314537 /);
    expect(lines.at(-1)).toBe('No pure total: not every release is pure');
  });

  test('rounds the δ that an ε is read at up, as every number that promises something', () => {
    // At 1.23456e-6 the ε of the line would be too small.
    const text = formatCertificate(printedAlgorithm({ epsilon: 1, delta: 1.2345641e-6 }, 2)).join('\n');
    expect(text).toContain('ε at δ = 1.23457e-6');
  });

  test('says aloud that no total implies a claim, and only then', () => {
    const textOf = (epsilon: number) =>
      formatCertificate(
        certificate({ protocol: 'p', variant: 'm', releases: [releaseOf(pure(1), 45)], claimed: pure(epsilon) }),
      );
    expect(textOf(1)[3]).toBe('NOT certified: none of the totals below implies this claim.');
    expect(textOf(45).join('\n')).not.toContain('NOT certified');
  });

  test('is a table: the columns of every block begin at the same place', () => {
    const lines = formatCertificate(printedAlgorithm({ epsilon: 1, delta: 1e-6 }, 2));
    const header = lines.findIndex((text) => text.startsWith('copies'));
    const column = lines[header].indexOf('each guarantees');
    for (let row = 1; row <= 4; row++) expect(lines[header + row].indexOf('Gaussian, μ')).toBe(column);
  });

  test('leaves out what has not been asked or claimed', () => {
    const lines = formatCertificate(certificate({ protocol: 'p', variant: 'm', releases: [releaseOf(pure(1))] }));
    const text = lines.join('\n');
    expect(lines[2]).toBe('Claimed: nothing');
    for (const absent of ['claimed for each', 'holds', 'implies the claim', 'ε at δ', 'No ']) {
      expect(text).not.toContain(absent);
    }
    expect(lines.some((line) => line !== line.trimEnd())).toBe(false);
  });
});

test('a claim is certified by one total that implies it, and without a claim there is nothing to certify', () => {
  const totals = [{ withinClaim: false }, { withinClaim: true }];
  expect(isCertified({ claimed: pure(1), totals })).toBe(true);
  expect(isCertified({ claimed: pure(1), totals: totals.slice(0, 1) })).toBe(false);
  expect(isCertified({ claimed: pure(1), totals: [] })).toBe(false);
  expect(isCertified({ totals })).toBeUndefined();
});

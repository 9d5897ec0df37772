import { describe, expect, test } from '@jest/globals';
import { euclideanMedian, euclideanMedianParameters } from '../../../../protocols/euclidean-median/index.ts';
import { hinge, hingeParameters } from '../../../../protocols/hinge/index.ts';
import { type CertificateDocument, certify } from '../../../../src/core/certify.ts';
import { certificatePage, promiseOf, shuffledRows, verdictOf } from '../../../../src/node/certificate/page.ts';
import { curvesOfVariants, tradeOffPicture } from '../../../../src/node/certificate/trade-off.ts';
import { leastTypeTwo } from '../../../../src/privacy/conversion.ts';
import { approximate, gdp, pure, zcdp } from '../../../../src/privacy/guarantee.ts';
import { read, withoutMath, withoutScript } from '../page-text.ts';

const version = '1.2.3';

function documentOf(request: Parameters<typeof hingeParameters>[0]): CertificateDocument {
  return certify(hinge, hingeParameters(request), { ...request });
}

const lifted = documentOf({ variant: 'lifted', epsilon: 1, degree: 1, dimension: 3 });
const printed = documentOf({ variant: 'printed', epsilon: 1, delta: 1e-6, degree: 2, dimension: 5 });
const [pageOfOne, pageOfPrinted, pageOfBoth] = [[lifted], [printed], [lifted, printed]].map((all) =>
  certificatePage(all, version),
);

describe('the page', () => {
  const text = read(pageOfPrinted);

  test('says what is claimed, whether that is certified and by what', () => {
    expect(text).toContain(
      'the probability of finding it under one is at most e^ε = 2.71829 times that under the other, plus δ = 10^−6.',
    );
    expect(text).toContain(
      'The claim is certified by the accountings gdp and zcdp. The least ε that is certified at δ = 10^−6 is 0.63044.',
    );
    expect(text).toContain('replace-one: any two data of one player');
  });

  test('has every release, every total with its theorem, and what does not apply', () => {
    for (const { what } of printed.releases) expect(text).toContain(`\n${what}\n`);
    for (const { theorem } of printed.totals) expect(text).toContain(`\n${theorem}\n`);
    for (const { accounting, reason } of printed.silent) expect(text).toContain(`No ${accounting} total: ${reason}.`);
    expect(printed.silent.length).toBeGreaterThan(0);
  });

  test('says what it rests on, and how to verify it', () => {
    for (const note of printed.notes) expect(text).toContain(note);
    expect(text).toContain(`each carries the digest ${printed.digest}`);
    expect(text).toContain('npx ldpkit verify certificate.json');
    expect(text).toContain('Written by ldpkit 1.2.3.');
  });

  test('contains the document itself, so that it can be verified', () => {
    const [, json] = pageOfPrinted.match(/<details>.*<pre>(.*)<\/pre><\/details>/s) ?? [];
    const plain = json.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
    expect(JSON.parse(plain)).toEqual({ ...printed, tool: { name: 'ldpkit', version: '1.2.3' } });
  });

  test('loads nothing, and runs nothing but the script of the pictures', () => {
    expect(withoutScript(pageOfBoth)).not.toMatch(
      /<script|<link|<img|<iframe|\bhref=|\bsrc=|url\(|@import|\bon\w+=|https?:/i,
    );
  });

  test('has one part for each certificate, after one that compares them', () => {
    expect(pageOfBoth.match(/<h1>[^<]*/g)).toEqual([
      '<h1>Certificates of hinge: 2 variants compared',
      '<h1>Certificate of hinge (lifted)',
      '<h1>Certificate of hinge (printed)',
    ]);
    expect(pageOfBoth).toContain('<title>Certificates of hinge</title>');
  });

  test('does not let a certificate break out of it', () => {
    const evil = { ...lifted, variant: '<script>1</script>', request: { '<b>': '\'"&', deep: [{ a: 1 }] } };
    const page = certificatePage([evil], version);
    expect(withoutScript(page)).not.toMatch(/<script>|<b>/);
    expect(page).toContain('&lt;script&gt;');
    expect(read(page)).toContain('[{"a":1}]');
  });

  test('leaves out columns that say nothing', () => {
    const heads = withoutMath(pageOfOne).match(/(?<=<th>)[^<]*/g);
    expect(heads).not.toContain('claimed for each');
    expect(heads).not.toContain('');
    expect(heads).toContain('implies the claim');
  });
});

describe('the picture of what an attacker can tell', () => {
  /** The curve of a series as points in pixels. */
  const curve = (svg: string, style: number): (readonly number[])[] => {
    const [, d] = new RegExp(`class="s${style}"><path class="line" d="M([^"]*)"`).exec(svg) ?? [];
    return d.split('L').map((pair) => pair.split(' ').map(Number));
  };

  test('draws for a pure ε the two lines that meet at 1/(1 + e^ε), on one scale', () => {
    const points = curve(pageOfOne, 0);
    const [[left, top]] = points;
    const [right, bottom] = points[points.length - 1];
    const drawn = points.map(([x, y]) => [(x - left) / (right - left), (bottom - y) / (bottom - top)]);
    // Coordinates have two digits, and the picture is over 390 pixels high.
    for (const [x, y] of drawn) expect(Math.abs(y - leastTypeTwo(pure(1), x))).toBeLessThan(2e-4);
    expect(points.length).toBeGreaterThan(100);
    // The control: another ε is another curve.
    expect(Math.max(...drawn.map(([x, y]) => Math.abs(y - leastTypeTwo(pure(1.1), x))))).toBeGreaterThan(0.01);
  });

  test('says the values, and the best guess of two data', () => {
    expect(pageOfOne).toContain('claimed: at a type I error of 5 %, type II at least 86.4 %');
    expect(read(pageOfOne)).toContain('is picked with probability 73.2 % at most.');
  });

  test('compares variants, each by the best of its totals', () => {
    expect(pageOfBoth.match(/data-name="what-can-be-told-apart[^"]*"/g)).toHaveLength(3);
    // Of the printed copies Gaussian composition is the best: μ = 0.154091.
    expect(read(pageOfBoth)).toContain(
      'printed\napproximate, ε = 1, δ = 10^−6\nyes\n0.63044 at δ = 10^−6\n53.1 %\n8\n',
    );
  });

  test('has a corner where an (ε, δ) curve ends at 0: between its points it is a broken line', () => {
    const { rows } = tradeOffPicture('one', [{ name: 'one', guarantees: [approximate({ epsilon: 1, delta: 0.213 })] }]);
    const points = rows.slice(1).map(([, typeOne, typeTwo]) => [Number(typeOne), Number(typeTwo)]);
    for (const [i, [x, y]] of points.slice(1).entries()) {
      const [before, above] = points[i];
      const middle = (x + before) / 2;
      const least = Math.max(0, 0.787 - Math.E * middle, (0.787 - middle) / Math.E);
      expect((y + above) / 2).toBeCloseTo(least, 12);
    }
  });

  test('gives variants with the same curve one line, under both names, and others their own', () => {
    const names = (...all: readonly CertificateDocument[]) => curvesOfVariants(all).map(({ name }) => name);
    expect(names(lifted, printed, { ...lifted, variant: 'sampled' })).toEqual(['lifted, sampled', 'printed']);
    expect(names(lifted, printed)).toEqual(['lifted', 'printed']);
  });
});

describe('the sentence on a guarantee', () => {
  test.each([
    [pure(1), 'more than e^ε = 2.71829 times likelier'],
    [pure(800), 'more than e^ε times likelier'],
    [approximate({ epsilon: 0, delta: 1e-3 }), 'at most e^ε = 1 times that under the other, plus δ = 0.001.'],
    [gdp(0.5), 'moved by 0.5 standard deviations'],
    [zcdp(0.125), 'at most 0.125·α'],
  ])('has its numbers, rounded up: %j', (guarantee, words) => {
    expect(promiseOf(guarantee)).toContain(words);
  });

  test('is a verdict that no total supports where none implies the claim', () => {
    const unsupported = { ...lifted, totals: lifted.totals.map((total) => ({ ...total, withinClaim: false })) };
    expect(verdictOf(unsupported)).toEqual({
      holds: false,
      text: 'None of the totals below implies this claim: it is not certified.',
    });
    expect(certificatePage([unsupported], version)).toContain('class="verdict open"');
    expect(pageOfOne).not.toContain('class="verdict open"');
  });

  test('claims nothing where nothing is claimed', () => {
    const { claimed: _, ...silent } = lifted;
    expect(verdictOf(silent).text).toMatch(/^Nothing is claimed/);
    expect(read(certificatePage([silent], version))).toContain('Claimed\nnothing\n');
  });
});

describe('shuffled reports', () => {
  test('have a smaller ε the more there are, in closed form never below the numeric bound', () => {
    const rows = shuffledRows(lifted);
    expect(rows.map(({ players }) => players)).toEqual(['1,000', '10,000', '100,000', '1,000,000', '10,000,000']);
    const numeric = rows.map((row) => Number(row.numeric));
    const closed = rows.map((row) => Number(row.closed));
    expect(numeric.every((epsilon, i) => epsilon < closed[i] && epsilon < (numeric[i - 1] ?? 1))).toBe(true);
    expect(read(pageOfOne)).toContain('If the reports are shuffled');
  });

  test('are certified by the bound for any randomizer, not by the smaller one that PrivUnit does not obey', () => {
    const { exp, log, log1p, sqrt } = Math;
    const players = 1e6;
    const any = (8 * sqrt((exp(1) * log(4e8)) / players) + (8 * exp(1)) / players) / (exp(1) + 1);
    const response = (4 * sqrt(2 * log(4e8))) / sqrt((exp(1) + 1) * players) + 4 / players;
    const { closed } = shuffledRows(lifted)[3];
    expect(Math.abs(Number(closed) - log1p((exp(1) - 1) * any))).toBeLessThan(1e-5);
    expect(Math.abs(Number(closed) - log1p((exp(1) - 1) * response))).toBeGreaterThan(1e-3);
  });

  test('have a dash where the closed form is not proved', () => {
    const rows = shuffledRows(documentOf({ variant: 'lifted', epsilon: 6, degree: 1, dimension: 3 }));
    expect(rows[0].closed).toBe('–');
    expect(rows[4].closed).not.toBe('–');
  });

  test('are not spoken of where a transcript is not one pure report', () => {
    expect(shuffledRows(printed)).toEqual([]);
    const request = { variant: 'gaussian', epsilon: 1, delta: 1e-6, degree: 1, dimension: 2 } as const;
    const gaussian = certify(euclideanMedian, euclideanMedianParameters(request), request);
    expect(shuffledRows(gaussian)).toEqual([]);
    const twice = { ...lifted, releases: lifted.releases.map((release) => ({ ...release, count: 2 })) };
    expect(shuffledRows(twice)).toEqual([]);
    expect(read(pageOfPrinted)).not.toContain('shuffled');
  });
});

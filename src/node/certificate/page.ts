import type { CertificateDocument } from '../../core/certify.ts';
import type { Json } from '../../core/request.ts';
import { isCertified } from '../../privacy/certificate.ts';
import { describeGuarantee, type Guarantee } from '../../privacy/guarantee.ts';
import { decimal, decimalAbove } from '../../privacy/rounding.ts';
import { cloneShuffleEpsilon, largestShuffledEpsilon, shuffleEpsilon } from '../../privacy/shuffle.ts';
import { jsonText, wholeNumber } from '../print.ts';
import {
  element,
  escapeLines,
  escapeText,
  figures,
  framedTable,
  type Markup,
  paragraph,
  prose,
  section,
} from '../report/markup.ts';
import { pageFrame } from '../report/page.ts';
import { factorOf } from '../report/verdict.ts';
import {
  comparison,
  curvesOf,
  leastEpsilon,
  leastGuess,
  piecesOf,
  TRADE_OFF_NOTE,
  tradeOffPicture,
} from './trade-off.ts';

/** Added to the style sheet of all pages: columns of certificates contain sentences, which may break anywhere. */
const CERTIFICATE_STYLE = `
article + article { margin-top: 56px; border-top: 2px solid var(--rule); padding-top: 32px; }
.promise { font-size: 1.15rem; margin: 14px 0; }
.verdict { border-left: 4px solid var(--s2); padding-left: 12px; }
.verdict.open { border-left-color: var(--s1); }
.plain { padding-left: 1.2em; margin: 6px 0; max-width: 80ch; }
.plain li { margin: 4px 0; }
dl.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 4px 20px; margin: 16px 0; }
dl.facts dt { color: var(--soft); }
dl.facts dd { margin: 0; overflow-wrap: anywhere; }
article table { width: 100%; }
article th, article td { white-space: normal; padding-right: 14px; }
article td:last-child:not(.number) { min-width: 0; }
article .piece, article td.number { white-space: nowrap; }
article th { min-width: 5rem; vertical-align: bottom; }
article tbody tr + tr td { border-top: 1px solid var(--rule); }
article thead th { vertical-align: bottom; }
@media print { article { break-before: page; } article:first-of-type { break-before: auto; } details { display: none; } }
`;

/** One HTML page about certificates; several of them are compared first. */
export function certificatePage(certificates: readonly CertificateDocument[], version: string): string {
  const { protocol, variant } = certificates[0];
  const title = certificates.length === 1 ? `Certificate of ${protocol} (${variant})` : `Certificates of ${protocol}`;
  const articles = certificates.map((one) => articleOf(one, version, certificates.length > 1));
  const compared = certificates.length > 1 ? [comparison(certificates)] : [];
  return pageFrame(title, element('main', {}, ...compared, ...articles), CERTIFICATE_STYLE);
}

function articleOf(certificate: CertificateDocument, version: string, several: boolean): Markup {
  const { protocol, variant, claimed, silent, notes, totals } = certificate;
  const verdict = verdictOf(certificate);
  const silences = silent.map(({ accounting, reason }) => `No ${accounting} total: ${reason}.`);
  const guess =
    totals.length === 0
      ? ''
      : `Of two equally likely data the right one is picked with probability ${leastGuess(certificate)} % at most.`;
  return element(
    'article',
    {},
    element('h1', {}, escapeText(`Certificate of ${protocol} (${variant})`)),
    paragraph("What one player's whole transcript guarantees.", 'soft'),
    ...(claimed === undefined ? [] : [paragraph(promiseOf(claimed), 'promise')]),
    paragraph(verdict.text, verdict.holds ? 'verdict' : 'verdict open'),
    facts(certificate),
    section(
      'What an attacker can tell',
      figures(tradeOffPicture(`What can be told apart: ${protocol}, ${variant}`, curvesOf(certificate))),
      paragraph(`${TRADE_OFF_NOTE} ${guess}`, 'soft'),
    ),
    section(
      certificate.alternatives ? 'What one player sends: one of these' : 'What one player sends',
      releaseTable(certificate),
    ),
    section(
      'What it adds up to',
      paragraph('Each line holds by itself, by the theorem named; any one of them may be relied on.', 'soft'),
      totalTable(certificate),
      ...(silences.length > 0 ? [list(silences)] : []),
    ),
    shuffled(certificate),
    section('What it rests on, and what it does not cover', list(notes)),
    verification(certificate, version, several),
  );
}

const GRADES = {
  simulation: 'simulation: floating-point noise, for studies',
  deployment: 'deployment: exact integers',
} as const;

function facts(certificate: CertificateDocument): Markup {
  const { claimed, neighbouring, grade, protocol, protocolVersion, variant, digest, request } = certificate;
  const rows: readonly (readonly [string, string])[] = [
    ['Claimed', claimed === undefined ? 'nothing' : describeGuarantee(claimed)],
    ['Neighbouring inputs', neighbouring],
    ['Grade', GRADES[grade]],
    ['Protocol', `${protocol}, version ${protocolVersion}, variant ${variant}`],
    ['Asked for', requestInWords(request)],
    ['Digest', digest],
  ];
  return element(
    'dl',
    { class: 'facts' },
    ...rows.flatMap(([name, text]) => [
      element('dt', {}, escapeText(name)),
      element('dd', {}, name === 'Claimed' ? prose(text) : escapeText(text)),
    ]),
  );
}

const yesNo = (holds: boolean | undefined): string => (holds === undefined ? '' : holds ? 'yes' : 'no');

function releaseTable({ releases }: CertificateDocument): Markup {
  const head = ['copies', 'release', 'mechanism', 'sensitivity', 'scale', 'each guarantees'];
  const rows = releases.map((release) => [
    String(release.count),
    escapeText(release.what),
    escapeText(release.mechanism),
    decimal(release.sensitivity),
    decimal(release.scale),
    formula(release.guarantee),
    ...(release.claimed === undefined ? ['', ''] : [formula(release.claimed), yesNo(release.claimHolds)]),
  ]);
  return usedTable([...head, 'claimed for each', 'holds'], rows);
}

function totalTable({ totals, reportDelta, claimed }: CertificateDocument): Markup {
  const at = reportDelta === undefined ? '' : `ε at δ = ${decimalAbove(reportDelta)}`;
  const rows = totals.map(({ accounting, guarantee, epsilonAtDelta, withinClaim, theorem }) => [
    escapeText(accounting),
    formula(guarantee),
    epsilonAtDelta == null ? '' : decimalAbove(epsilonAtDelta),
    yesNo(withinClaim),
    escapeText(theorem),
  ]);
  return usedTable(['accounting', 'in total', at, claimed ? 'implies the claim' : '', 'theorem'], rows);
}

/** A guarantee whose numbers stay on the line of their names, even in a narrow column. */
function formula(guarantee: Guarantee): Markup {
  const pieces = describeGuarantee(guarantee).split(', ');
  return pieces.map((piece) => element('span', { class: 'piece' }, prose(piece))).join(', ');
}

/** A table of markup without its empty columns. */
function usedTable(head: readonly string[], rows: readonly (readonly Markup[])[]): Markup {
  const used = head.map((_, column) => rows.some((row) => row[column] !== ''));
  const line = (name: string, cells: readonly Markup[]): readonly Markup[] =>
    cells.flatMap((cell, column) => (used[column] ? [element(name, {}, cell)] : []));
  const names = head.map((text) => prose(text));
  const body = rows.map((row) => element('tr', {}, ...line('td', row)));
  return framedTable(line('th', names), body, 'scroll');
}

function shuffled(certificate: CertificateDocument): Markup {
  const rows = shuffledRows(certificate);
  if (rows.length === 0) return '';
  return section(
    'If the reports are shuffled',
    paragraph(
      'Where reports reach the server without names and in random order, one from each player by these parameters, each is ' +
        'hidden among the others. Against whoever sees only the shuffled reports a player then also has (ε, δ) with ' +
        `δ = ${decimalAbove(SHUFFLED_DELTA)} and the ε below. Against whoever shuffles nothing changes.`,
      'soft',
    ),
    usedTable(
      ['reports shuffled', 'ε, numeric bound', 'ε, closed form'],
      rows.map(({ players, numeric, closed }) => [players, numeric, closed]),
    ),
    paragraph(
      'By theorem 3.1 of Feldman, McMillan, Talwar 2021 (Hiding among the clones), which holds for any report with this ' +
        'local guarantee; a dash where the closed form is not proved.',
      'soft',
    ),
  );
}

function list(sentences: readonly string[]): Markup {
  const items = sentences.map((sentence) => element('li', {}, prose(sentence)));
  return element('ul', { class: 'plain' }, ...items);
}

function verification(certificate: CertificateDocument, version: string, several: boolean): Markup {
  const { protocol, digest } = certificate;
  const json = jsonText({ ...certificate, tool: { name: 'ldpkit', version } }).trimEnd();
  return section(
    'How to verify it',
    paragraph(
      `Save the document below as certificate.json${several ? ', or all of them as a list,' : ''} and let ldpkit compute it ` +
        'again. It compares every value and ends with exit code 3 if one of them is not what it has to be.',
    ),
    element('pre', {}, escapeText('npx ldpkit verify certificate.json')),
    paragraph(
      `That devices play ${protocol} with these parameters is shown by their reports: each carries the digest ${digest}. ` +
        `Written by ldpkit ${version}.`,
      'soft',
    ),
    element('details', {}, element('summary', {}, 'The certificate as JSON'), element('pre', {}, escapeLines(json))),
  );
}

/** What a guarantee says about one player, for readers without mathematics; numbers are rounded up. */
export function promiseOf(guarantee: Guarantee): string {
  switch (guarantee.kind) {
    case 'pure':
      return (
        'Whatever two data one player could have, no outcome of everything the player sends is more than ' +
        `${factorOf(guarantee)} times likelier under one of them than under the other.`
      );
    case 'approximate':
      return (
        'Whatever two data one player could have, and whatever one looks for in everything the player sends, the probability ' +
        `of finding it under one is at most ${factorOf(guarantee)} times that under the other, plus ` +
        `δ = ${decimalAbove(guarantee.delta)}.`
      );
    case 'gdp':
      return (
        'Whatever two data one player could have, telling them apart by everything the player sends is at least as hard as ' +
        `telling one draw of a normal law from one of the same law moved by ${decimalAbove(guarantee.mu)} standard deviations.`
      );
    case 'zcdp':
      return (
        'Whatever two data one player could have, the Rényi divergence of order α between everything the player sends under ' +
        `one and under the other is at most ${decimalAbove(guarantee.rho)}·α, for every α above 1.`
      );
  }
}

/** What was asked for, `epsilon = 1, dimension = 10`: no line ends within a part. */
export function requestInWords(request: { readonly [name: string]: Json }): string {
  return Object.keys(request)
    .map((name) => `${name}\u00a0=\u00a0${plain(request[name])}`)
    .join(', ');
}

function plain(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(plain).join(', ')}]`;
  if (typeof value === 'number') return decimal(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** One sentence: whether the claim is certified, and by what. */
export function verdictOf(certificate: CertificateDocument): { readonly holds: boolean; readonly text: string } {
  const { totals } = certificate;
  const certified = isCertified(certificate);
  if (certified === undefined)
    return { holds: true, text: 'Nothing is claimed beyond the totals below, each of which holds.' };
  if (!certified) return { holds: false, text: 'None of the totals below implies this claim: it is not certified.' };
  const certifying = totals.filter(({ withinClaim }) => withinClaim);
  const names = [...new Set(certifying.map(({ accounting }) => accounting))];
  const last = names.pop();
  const accountings = names.length === 0 ? `accounting ${last}` : `accountings ${names.join(', ')} and ${last}`;
  const found = leastEpsilon({ ...certificate, totals: certifying });
  const least = found === undefined ? '' : ` The least ε that is certified at ${found.at} is ${found.epsilon}.`;
  const other = totals.some(({ withinClaim }) => withinClaim === false);
  const rest = other ? ' The other totals hold as well, but do not imply it.' : '';
  return { holds: true, text: `The claim is certified by the ${accountings}.${least}${rest}` };
}

/** δ of the shuffled reports: below one over the largest crowd shown. */
export const SHUFFLED_DELTA = 1e-8;

const CROWDS = [1e3, 1e4, 1e5, 1e6, 1e7];

/**
 * Amplification by shuffling for a transcript that is one pure report, by bounds that hold for any randomizer: how many reports are
 * shuffled, ε of the numeric bound and in closed form, a dash where that is not proved. None for any other transcript. Numbers are rounded
 * up. Source: Feldman, McMillan, Talwar 2021, theorem 3.1.
 */
export function shuffledRows({
  releases,
  totals,
}: CertificateDocument): readonly Readonly<Record<'players' | 'closed' | 'numeric', string>>[] {
  const total = totals.find(({ guarantee }) => guarantee.kind === 'pure')?.guarantee;
  // The bounds are computed for ε from 1e-9 to 100.
  if (piecesOf(releases) !== 1 || total?.kind !== 'pure' || total.epsilon < 1e-9 || total.epsilon > 100) return [];
  const { epsilon } = total;
  return CROWDS.map((players) => {
    const request = { epsilon, players, delta: SHUFFLED_DELTA };
    const proved = epsilon <= largestShuffledEpsilon(request);
    return {
      players: wholeNumber(players),
      closed: proved ? decimalAbove(shuffleEpsilon(request), 4) : '–',
      numeric: decimalAbove(cloneShuffleEpsilon(request), 4),
    };
  });
}

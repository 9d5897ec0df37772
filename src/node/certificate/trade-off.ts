import type { CertificateDocument } from '../../core/certify.ts';
import { isCertified } from '../../privacy/certificate.ts';
import { leastTypeTwo } from '../../privacy/conversion.ts';
import { deltaOf, describeGuarantee, type Guarantee } from '../../privacy/guarantee.ts';
import { decimalAbove } from '../../privacy/rounding.ts';
import { gridLine, insideOf, lineAcross, nameBelow, nameBeside, textBelow, tickBelow } from '../report/charts.ts';
import {
  element,
  escapeText,
  figures,
  type LegendEntry,
  type Markup,
  markerAt,
  type Picture,
  paragraph,
  STYLES,
  table,
  tipOf,
  WIDE,
} from '../report/markup.ts';
import { bestGuess } from '../report/verdict.ts';

/** A curve: the best of some guarantees, each of which holds. */
export interface TradeOff {
  readonly name: string;
  readonly guarantees: readonly Guarantee[];
}

const HEIGHT = 460;
const INSIDE = insideOf(WIDE, HEIGHT);

/** Type I errors at which a curve is drawn: denser near 0 and 1, where an attacker is nearly sure. */
const DRAWN: readonly number[] = Array.from({ length: 161 }, (_, i) => (1 - Math.cos((Math.PI * i) / 160)) / 2);
/** The same with the corners of broken lines, which no other point would show. */
function errorsOf({ guarantees }: TradeOff): readonly number[] {
  const corners = guarantees.flatMap((one) => {
    if (one.kind === 'gdp' || one.kind === 'zcdp') return [];
    // Where two lines meet, and where the flat one ends at 0.
    const all = 1 - deltaOf(one);
    return [all / (1 + Math.exp(one.epsilon)), all];
  });
  return [...DRAWN, ...corners].sort((a, b) => a - b);
}

/** Those at which it has a mark that says its value. */
const MARKED: readonly number[] = [0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7];

const bound = ({ guarantees }: TradeOff, typeOne: number): number =>
  Math.max(...guarantees.map((guarantee) => leastTypeTwo(guarantee, typeOne)));

/** Per cent with one decimal, rounded down: what no attacker goes below. */
const percent = (value: number): string => `${(Math.floor(1000 * value) / 10).toFixed(1)} %`;

/** The curves of a certificate: what is claimed, and each total; equal ones once. */
export function curvesOf({ claimed, totals }: CertificateDocument): readonly TradeOff[] {
  const curves = totals.map(({ accounting, guarantee }) => ({
    name: `in total: ${accounting}`,
    guarantees: [guarantee],
  }));
  if (claimed !== undefined) curves.unshift({ name: 'claimed', guarantees: [claimed] });
  const keys = curves.map(({ guarantees }) => JSON.stringify(guarantees));
  return curves.filter((_, i) => keys.indexOf(keys[i]) === i);
}

/** One curve for each variant, the best of all its totals; variants that the eye cannot tell apart share one, which would hide the others. */
export function curvesOfVariants(certificates: readonly CertificateDocument[]): readonly TradeOff[] {
  const drawn = new Map<string, TradeOff>();
  for (const { variant, totals } of certificates) {
    const guarantees = totals.map(({ guarantee }) => guarantee);
    const shape = DRAWN.map((typeOne) => bound({ name: variant, guarantees }, typeOne).toFixed(3)).join(' ');
    const { name, ...same } = drawn.get(shape) ?? { name: '', guarantees };
    drawn.set(shape, { ...same, name: name === '' ? variant : `${name}, ${variant}` });
  }
  return [...drawn.values()];
}

/** Type II against type I error of the best attacker that each curve leaves possible. */
export function tradeOffPicture(label: string, curves: readonly TradeOff[]): Picture {
  const { left, right, top, bottom } = INSIDE;
  const x = (value: number): number => left + 8 + value * (right - left - 16);
  const y = (value: number): number => bottom - value * (bottom - top - 6);
  const parts: Markup[] = [];
  for (const percent of [0, 20, 40, 60, 80, 100]) {
    parts.push(...gridLine(INSIDE, y(percent / 100), `${percent} %`));
    parts.push(tickBelow(INSIDE, x(percent / 100)), textBelow(INSIDE, x(percent / 100), `${percent} %`));
  }
  parts.push(lineAcross(INSIDE, bottom, 'axis'));
  const guess = { x1: x(0), x2: x(1), y1: y(1), y2: y(0) };
  parts.push(element('line', { class: 'level dashed', ...guess }));
  parts.push(...curves.map((curve, style) => drawn(curve, style % STYLES, x, y)));
  parts.push(nameBelow(INSIDE, X_LABEL), nameBeside(INSIDE, Y_LABEL));
  const legend: LegendEntry[] = [
    ...curves.map(({ name }, style) => ({ name, style: style % STYLES })),
    { name: 'guessing: nothing is learnt', style: 'dashed' },
  ];
  const rows = curves.flatMap((curve) =>
    errorsOf(curve).map((typeOne) => [curve.name, typeOne, bound(curve, typeOne)]),
  );
  return { label, width: WIDE, height: HEIGHT, parts, legend, rows: [['curve', X_LABEL, Y_LABEL], ...rows] };
}

const X_LABEL = 'type I error: how often the first of two data is taken for the second';
const Y_LABEL = 'least type II error of anybody';

function drawn(curve: TradeOff, style: number, x: (value: number) => number, y: (value: number) => number): Markup {
  const at = (typeOne: number): readonly [number, number] => [x(typeOne), y(bound(curve, typeOne))];
  const marks = MARKED.map((typeOne) => {
    const tip = `${curve.name}: at a type I error of ${Math.round(100 * typeOne)} %, type II at least ${percent(bound(curve, typeOne))}`;
    return markerAt(style, at(typeOne), 0.8, tipOf(tip));
  });
  const places = errorsOf(curve).map((typeOne) => at(typeOne).map((value) => value.toFixed(2)));
  const d = `M${places.map((place) => place.join(' ')).join('L')}`;
  return element('g', { class: `s${style}` }, element('path', { class: 'line', d }), ...marks);
}

/** What is said below every picture of trade-offs. */
export const TRADE_OFF_NOTE: string =
  'Somebody looks at everything that a player sends and decides which of two data it came from. The further up a curve, the ' +
  'less can be told apart; below it nobody gets, whatever they know and however they compute.';

/** The least ε at the reported δ, of all totals; undefined where none has one. */
export function leastEpsilon({
  totals,
  reportDelta,
}: CertificateDocument): Readonly<Record<'epsilon' | 'at', string>> | undefined {
  const epsilons = totals.flatMap(({ epsilonAtDelta }) => (epsilonAtDelta == null ? [] : [epsilonAtDelta]));
  if (epsilons.length === 0 || reportDelta === undefined) return undefined;
  return { epsilon: decimalAbove(Math.min(...epsilons)), at: `δ = ${decimalAbove(reportDelta)}` };
}

/** The best guess that anybody can make, in per cent, by the total that allows least. */
export function leastGuess({ totals }: CertificateDocument): string {
  return decimalAbove(100 * Math.min(...totals.map(({ guarantee }) => bestGuess(guarantee))), 3);
}

export function piecesOf(releases: CertificateDocument['releases']): number {
  return releases.reduce((sum, { count }) => sum + count, 0);
}

/** Several certificates side by side: what each promises, and one curve for each. */
export function comparison(certificates: readonly CertificateDocument[]): Markup {
  const [{ protocol }] = certificates;
  const rows = certificates.map((certificate) => {
    const { variant, claimed, totals, releases } = certificate;
    const least = leastEpsilon(certificate);
    const certified = isCertified(certificate);
    const held = certified === undefined ? '' : certified ? 'yes' : 'no';
    const cells = [
      variant,
      claimed === undefined ? 'nothing' : describeGuarantee(claimed),
      held,
      least === undefined ? '–' : `${least.epsilon} at ${least.at}`,
      totals.length === 0 ? '–' : `${leastGuess(certificate)} %`,
      String(piecesOf(releases)),
    ];
    return { cells, opens: false };
  });
  const head = ['variant', 'claimed', 'certified', 'least ε', 'best guess of two data', 'releases'];
  return element(
    'article',
    {},
    element('h1', {}, escapeText(`Certificates of ${protocol}: ${certificates.length} variants compared`)),
    figures(tradeOffPicture(`What can be told apart: variants of ${protocol}`, curvesOfVariants(certificates))),
    paragraph(`${TRADE_OFF_NOTE} For each variant the best of its totals counts.`, 'soft'),
    table(head, rows, { right: 3 }),
    paragraph(
      'Best guess: the largest probability of picking the right one of two equally likely data, from everything a player sends; ' +
        'with a coin it is 50 %. What each variant sends, and why the claim holds, is below.',
      'soft',
    ),
  );
}

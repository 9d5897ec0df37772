import type { CertificateDocument } from '../../core/certify.ts';
import { describeGuarantee } from '../../privacy/guarantee.ts';
import { decimalAbove } from '../../privacy/rounding.ts';
import { figures } from '../report/figure.ts';
import { element, escapeText, type Markup, paragraph, table } from '../report/markup.ts';
import { bestGuess } from '../report/verdict.ts';
import { curvesOfVariants, tradeOffPicture } from './trade-off.ts';

/** What is said below every picture of trade-offs. */
export const TRADE_OFF_NOTE: string =
  'Somebody looks at everything that a player sends and decides which of two data it came from. The further up a curve, the ' +
  'less can be told apart; below it nobody gets, whatever they know and however they compute.';

/** Several certificates side by side: what each promises, and one curve for each. */
export function comparison(certificates: readonly CertificateDocument[]): Markup {
  const [{ protocol }] = certificates;
  const rows = certificates.map((certificate) => {
    const { variant, claimed, totals, releases, reportDelta } = certificate;
    const epsilons = totals.flatMap(({ epsilonAtDelta }) => (epsilonAtDelta == null ? [] : [epsilonAtDelta]));
    const guesses = totals.map(({ guarantee }) => bestGuess(guarantee));
    const pieces = releases.reduce((sum, { count }) => sum + count, 0);
    const held = claimed === undefined ? '' : totals.some(({ withinClaim }) => withinClaim) ? 'yes' : 'no';
    const cells = [
      variant,
      claimed === undefined ? 'nothing' : describeGuarantee(claimed),
      held,
      epsilons.length === 0 || reportDelta === undefined
        ? '–'
        : `${decimalAbove(Math.min(...epsilons))} at δ = ${decimalAbove(reportDelta)}`,
      guesses.length === 0 ? '–' : `${decimalAbove(100 * Math.min(...guesses), 3)} %`,
      String(pieces),
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

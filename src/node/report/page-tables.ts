import { describeGuarantee, type Guarantee } from '../../privacy/guarantee.ts';
import type { CertificateRecord, RunDocument } from '../experiment/document.ts';
import type { ResultRow } from './cells.ts';
import { element, escapeText, type Markup } from './markup.ts';

/** A table of texts; columns from `right` on are numbers that end in the same place. */
export function table(
  head: readonly string[],
  rows: readonly ResultRow[],
  { right }: { readonly right: number },
): Markup {
  const cells = (name: string, texts: readonly string[]): Markup[] =>
    texts.map((text, column) => element(name, { class: column >= right ? 'number' : undefined }, escapeText(text)));
  const body = rows.map((row) => element('tr', { class: row.opens ? 'opens' : undefined }, ...cells('td', row.cells)));
  return framedTable(cells('th', head), body, 'scroll');
}

/** A table whose cells are markup, in a box that may have several classes. */
export function markupTable(head: readonly string[], rows: readonly (readonly Markup[])[], kind: string): Markup {
  const body = rows.map((cells) => element('tr', {}, ...cells));
  return framedTable(
    head.map((text) => element('th', {}, escapeText(text))),
    body,
    kind,
  );
}

function framedTable(head: readonly Markup[], body: readonly Markup[], kind: string): Markup {
  return element(
    'div',
    { class: kind },
    element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...body)),
  );
}

/** The part of a document that says what is guaranteed. */
export interface Guaranteed {
  readonly certificates: readonly CertificateRecord[];
  readonly runs: readonly { readonly variant: string; readonly epsilon: number; readonly guarantee: Guarantee }[];
}

/** What each variant guarantees at each ε, and what one player sends for it. */
export function guaranteeTable({ certificates, runs }: Guaranteed): Markup {
  const rows = certificates.map(({ epsilon, certificate }, index) => {
    const { variant, releases } = certificate;
    const run = runs.find((one) => one.variant === variant && one.epsilon === epsilon);
    const sent = releases.map(
      ({ count, what, mechanism }) => `${count === 1 ? '' : `${count} × `}${what} (${mechanism})`,
    );
    const cells = [
      String(epsilon),
      variant,
      run === undefined ? '' : describeGuarantee(run.guarantee),
      sent.join('; '),
    ];
    const opens = index === 0 || certificates[index - 1].epsilon !== epsilon;
    return { cells: opens ? cells : ['', ...cells.slice(1)], opens };
  });
  return table(['ε', 'variant', 'guarantee of the whole transcript', 'what one player sends'], rows, { right: 4 });
}

/** The coordinates of the headline run's model. */
export function modelTable({ features, estimate, variant, epsilon }: RunDocument): Markup {
  const rows = features.map((name, index) => ({ cells: [name, estimate.w[index].toFixed(4)], opens: false }));
  return element(
    'details',
    {},
    element('summary', {}, escapeText(`Coordinates of w, ${variant} at ε = ${epsilon}, first run`)),
    table(['feature', 'weight'], rows, { right: 1 }),
  );
}

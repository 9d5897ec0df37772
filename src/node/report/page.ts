import type { Certificate } from '../../privacy/certificate.ts';
import { describeGuarantee, type Guarantee } from '../../privacy/guarantee.ts';
import type { CertificateRecord } from '../kinds/records/document.ts';
import { prose } from './formula.ts';
import { PICTURE_SCRIPT, SCRIPT_SOURCE } from './interaction.ts';
import { element, escapeText, type Markup, paragraph, section, table } from './markup.ts';
import { PAGE_STYLE, PICTURE_STYLE } from './style.ts';
import { type Verdict, verdictBlock } from './verdict.ts';

/**
 * A whole page around its content. It loads nothing and tells the browser so; the only script that may run is the one for
 * pictures (`PICTURE_SCRIPT`), and only in pages that have some. `style` is added to the style sheet of all pages.
 */
export function pageFrame(title: string, body: Markup, style: string = ''): string {
  const drawn = body.includes('<figure');
  const policy = `default-src 'none'; style-src 'unsafe-inline'${drawn ? `; script-src ${SCRIPT_SOURCE}` : ''}`;
  const meta = [
    element('meta', { charset: 'utf-8' }),
    element('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    element('meta', { 'http-equiv': 'Content-Security-Policy', content: policy }),
    element('title', {}, escapeText(title)),
    element('style', { class: 'pictures' }, PICTURE_STYLE),
    element('style', {}, PAGE_STYLE + style),
  ];
  const script = drawn ? element('script', {}, PICTURE_SCRIPT) : '';
  const html = element('html', { lang: 'en' }, element('head', {}, ...meta), element('body', {}, body, script));
  return `<!doctype html>\n${html}\n`;
}

/** One figure of a page, with its name and a note. */
export interface Tile {
  readonly name: string;
  readonly figure: string;
  readonly notes: readonly string[];
}

/** The content of the page of a run, from top to bottom. */
interface RunPage {
  readonly protocol: string;
  /** The data of the run, for the heading. */
  readonly title: string;
  /** What came out, in plain words: the page opens with it. */
  readonly verdict: Verdict;
  /** Sentences below the tiles: what was requested, from whom, and what was public beforehand. */
  readonly about: readonly string[];
  readonly tiles: readonly Tile[];
  /** Charts, tables, guarantees: see {@link section}. */
  readonly sections: readonly Markup[];
  readonly command: string;
  readonly version: string;
  readonly seed: string;
}

/**
 * One HTML page about a run: the verdict, figures, what was done, charts, tables, guarantees. It loads nothing, and all
 * texts from the records' schema are escaped.
 */
export function runPage({ protocol, title, verdict, about, tiles, sections, command, version, seed }: RunPage): string {
  const heading = `${protocol}: ${title}`;
  const boxes = tiles.map(({ name, figure, notes }) =>
    element(
      'div',
      {},
      element('dt', {}, prose(name)),
      element('dd', { class: 'figure' }, prose(figure)),
      ...notes.map((note) => element('dd', { class: 'soft' }, prose(note))),
    ),
  );
  const body = element(
    'main',
    {},
    element('h1', {}, escapeText(heading)),
    verdictBlock(verdict),
    element('dl', { class: 'tiles' }, ...boxes),
    section('What was done', ...about.map((text) => paragraph(capital(text)))),
    ...sections,
    section(
      'How this page was made',
      element('pre', {}, escapeText(command)),
      paragraph(
        `ldpkit ${version}, seed “${seed}”: the same command gives the same numbers, except for the times, on any ` +
          'number of threads. Seeded coins protect nobody: this is a simulation.',
        'soft',
      ),
    ),
  );
  return pageFrame(heading, body);
}

/** A text that begins with a capital letter. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The guarantee under one variant at one budget. */
export interface Promised {
  readonly budget: number;
  readonly guarantee: Guarantee | undefined;
  readonly certificate: Certificate;
}

/** Words of {@link guaranteeSection} that differ between players and a curator. */
interface PromiseWords {
  /** ε or μ. */
  readonly symbol: 'ε' | 'μ';
  /** Whether a curator holds the records. */
  readonly central?: boolean;
  /** What neighbours are here, after the certificate's own words. */
  readonly about?: string;
}

/** The guarantee of each variant at each budget, and what is released for it. */
export function guaranteeSection(
  { symbol, central = false, about = '' }: PromiseWords,
  promised: readonly Promised[],
): Markup {
  const rows = promised.map(({ budget, guarantee, certificate: { variant, releases } }, index) => {
    const sent = releases.map(
      ({ count, what, mechanism }) => `${count === 1 ? '' : `${count} × `}${what} (${mechanism})`,
    );
    const cells = [
      String(budget),
      variant,
      guarantee === undefined ? '' : describeGuarantee(guarantee),
      sent.join('; '),
    ];
    const opens = index === 0 || promised[index - 1].budget !== budget;
    return { cells: opens ? cells : ['', ...cells.slice(1)], opens };
  });
  const whole = central ? 'guarantee of all releases together' : 'guarantee of the whole transcript';
  const head = [symbol, 'variant', whole, central ? 'what is released' : 'what one player sends'];
  return section(
    central ? 'What one record is promised' : 'What one player is promised',
    table(head, rows, { right: 4 }),
    paragraph(`Neighbouring inputs, ${promised[0].certificate.neighbouring}${about}.`, 'soft'),
  );
}

/** The certificates of a document in ε, each with the guarantee of its runs. */
export function promisedBy({
  certificates,
  runs,
}: {
  readonly certificates: readonly CertificateRecord[];
  readonly runs: readonly { readonly variant: string; readonly epsilon: number; readonly guarantee: Guarantee }[];
}): readonly Promised[] {
  return certificates.map(({ epsilon: budget, certificate }) => {
    const run = runs.find(({ variant, epsilon }) => variant === certificate.variant && epsilon === budget);
    return { budget, certificate, guarantee: run?.guarantee };
  });
}

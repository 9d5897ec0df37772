import * as v from 'valibot';
import { RefusedKind } from '../../check/refusal.ts';
import type { Grade } from '../../core/request.ts';
import type { Certificate } from '../../privacy/certificate.ts';
import { describeGuarantee, type Guarantee } from '../../privacy/guarantee.ts';
import { aligned, wholeNumber } from '../print.ts';
import type { Origin } from '../run-program.ts';
import {
  element,
  escapeText,
  figures,
  HALF,
  type Markup,
  type Picture,
  paragraph,
  prose,
  section,
  table,
} from './markup.ts';
import { pageFrame } from './page.ts';
import { lineUp, type Verdict, verdictBlock, verdictLines } from './verdict.ts';

/** What every document of a run says of itself; the title is what the records are called. */
export interface RunHead {
  readonly protocol: string;
  readonly title: string;
  readonly repetitions?: number;
  readonly seed: string;
}

/** What the documents of studies have in common; the headline is the first variant at the budget closest to 1. */
export interface StudyHead extends RunHead {
  readonly variant: string;
  readonly players: number;
  readonly guarantee: Guarantee;
  readonly summary: string;
  readonly grade: Grade;
}

/** The same where the budget is ε, with all its runs. */
export interface EpsilonHead extends StudyHead {
  readonly epsilon: number;
  readonly repetitions: number;
  /** One for each variant and ε, in the order of the runs. */
  readonly certificates: readonly CertificateRecord[];
}

/** What one player sends under one variant at one ε, with its guarantee. */
export interface CertificateRecord {
  readonly epsilon: number;
  readonly certificate: Certificate;
}

/** One figure of a page, with its name and a note. */
export interface Tile {
  readonly name: string;
  readonly figure: string;
  readonly notes: readonly string[];
}

/** The guarantee of one player as a figure. */
export function promiseTile({ guarantee, variant, grade }: Pick<StudyHead, 'guarantee' | 'variant' | 'grade'>): Tile {
  const figure = describeGuarantee(guarantee);
  return { name: 'one player is promised', figure, notes: [`variant ${variant}`, `grade ${grade}`] };
}

/** How many players there are, and how many a second; `digits` are those of the seconds of a run. */
export function playersTile(players: number, seconds: number, digits: number): Tile {
  const notes = [`${seconds.toFixed(digits)} s a run`, `${wholeNumber(players / seconds)} a second`];
  return { name: 'players', figure: wholeNumber(players), notes };
}

/** What stands under one heading. The terminal shows tables and their notes, the page everything. */
export interface ResultPart {
  readonly heading: string;
  readonly pictures?: readonly Picture[];
  /** Rows of texts, the head first. */
  readonly rows?: readonly (readonly string[])[];
  /** From this column on, texts are numbers and stand on the right. */
  readonly right?: number;
  /** Whether something new begins where the first cell differs from the one above; it is then written once. */
  readonly grouped?: boolean;
  /** The page folds the table, and the terminal leaves it out; the words that open it. */
  readonly folded?: string;
  readonly notes?: readonly string[];
}

/** The certificate of each variant at each budget. */
export interface Promised {
  /** ε or μ. */
  readonly symbol: 'ε' | 'μ';
  /** The budget of the headline, whose guarantees the terminal shows. */
  readonly budget: number;
  /** Whether a curator holds the records. */
  readonly central?: boolean;
  /** What neighbours are here, after the certificate's own words. */
  readonly about?: string;
  readonly certificates: readonly {
    readonly budget: number;
    readonly certificate: Certificate;
    /** By default what the certificate says is claimed. */
    readonly guarantee?: Guarantee | undefined;
  }[];
}

/** What is promised in a document in ε: the guarantees of its runs. */
export function promisedBy(document: {
  readonly epsilon: number;
  readonly certificates: EpsilonHead['certificates'];
  readonly runs: readonly { readonly variant: string; readonly epsilon: number; readonly guarantee?: Guarantee }[];
}): Promised {
  const certificates = document.certificates.map(({ epsilon: budget, certificate }) => {
    const run = document.runs.find((one) => one.variant === certificate.variant && one.epsilon === budget);
    return { budget, certificate, guarantee: run?.guarantee };
  });
  return { symbol: 'ε', budget: document.epsilon, certificates };
}

/** What came out of a run, for people: `resultLines` and `resultPage` show the same of it. */
export interface RunResult {
  /** What came out, in plain words: both open with it. */
  readonly verdict: Verdict;
  readonly tiles: readonly Tile[];
  /** Sentences: what was requested, from whom, and what was public beforehand. */
  readonly about: readonly string[];
  readonly parts: readonly ResultPart[];
  readonly promised?: Promised;
}

const text = v.string('a text');
const texts = v.array(text, 'a list of texts');
const figure = v.number('a number');
const some = v.optional(texts);
const verdict = { learnt: text, distance: text, cost: text, promise: text, certainty: some, elsewhere: some };
const picture = v.looseObject(
  { label: text, width: figure, height: figure, parts: texts, legend: v.array(v.looseObject({}), 'a list') },
  'a picture, such as lineChart makes',
);
const part = v.looseObject(
  {
    heading: text,
    pictures: v.optional(v.array(picture, 'a list of pictures')),
    rows: v.optional(v.pipe(v.array(texts, 'rows of texts'), v.minLength(1, 'rows of texts, the head first'))),
    right: v.optional(figure),
    folded: v.optional(text),
    notes: some,
  },
  'a part with a heading',
);
const promises = v.looseObject({ symbol: text, certificates: v.array(v.looseObject({}), 'a list of certificates') });
const shape = v.looseObject(
  {
    verdict: v.looseObject(verdict, 'a verdict'),
    tiles: v.array(v.looseObject({ name: text, figure: text, notes: texts }, 'a tile'), 'a list of tiles'),
    about: texts,
    parts: v.array(part, 'a list of parts'),
    promised: v.optional(promises),
  },
  'an object with a verdict, tiles and parts',
);

/** The result of a run, which a module file may have made; a field of another shape is refused by its name. */
export function checkedResult(result: unknown): RunResult {
  const found = v.safeParse(shape, result, { abortEarly: true });
  const [issue] = found.issues ?? [];
  const path = issue?.path?.map(({ key }) => `.${String(key)}`).join('') ?? '';
  if (issue !== undefined) throw new RefusedKind(`result${path}`, issue.message, issue.input);
  return result as RunResult;
}

/** A text that begins with a capital letter. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The rows below the head; of a group only the first one has its first cell. */
function groupsOf({ rows: [, ...rows] = [], grouped = false }: ResultPart) {
  return rows.map((cells, index) => {
    const opens = grouped && (index === 0 || rows[index - 1][0] !== cells[0]);
    return { cells: grouped && !opens ? ['', ...cells.slice(1)] : cells, opens };
  });
}

/** A result as lines for a terminal. */
export function resultLines({ protocol, title }: RunHead, { verdict, about, parts, promised }: RunResult): string[] {
  const shown = parts.filter(({ rows, folded }) => rows !== undefined && folded === undefined);
  const tables = shown.flatMap((part) => {
    const groups = groupsOf(part);
    const [head, ...lines] = aligned([part.rows![0], ...groups.map(({ cells }) => cells)], part.right);
    // An empty line stands between groups, unless both are single lines.
    const apart = (index: number): boolean =>
      index > 0 && groups[index].opens && !(groups[index - 1].opens && groups[index + 1]?.opens !== false);
    const body = lines.flatMap((line, index) => (apart(index) ? ['', line] : [line]));
    return ['', part.heading, head, ...body, ...(part.notes ?? []).flatMap((note) => lineUp(note))];
  });
  const { symbol, budget, central = false, certificates = [] } = promised ?? {};
  const whose = central ? ' for one record' : '';
  const promises = certificates
    .filter((one) => one.budget === budget && guaranteeText(one) !== '')
    .map((one) => `${one.certificate.variant} at ${symbol} = ${budget}: ${guaranteeText(one)}${whose}`);
  const asked = about.flatMap((text) => lineUp(text));
  const below = promises.length === 0 ? [] : ['', ...promises];
  return [...verdictLines(verdict), '', `${protocol}: ${title}`, ...asked, ...tables, ...below];
}

/** A result as one HTML page. It loads nothing, and all texts from the records' schema are escaped. */
export function resultPage(document: RunHead & Origin, { verdict, tiles, about, parts, promised }: RunResult): string {
  const { protocol, title, command, version, seed } = document;
  const heading = `${protocol}: ${title}`;
  const boxes = tiles.map(({ name, figure, notes }) => {
    const below = notes.map((note) => element('dd', { class: 'soft' }, prose(note)));
    const head = [element('dt', {}, prose(name)), element('dd', { class: 'figure' }, prose(figure))];
    return element('div', {}, ...head, ...below);
  });
  const body = element(
    'main',
    {},
    element('h1', {}, escapeText(heading)),
    verdictBlock(verdict),
    element('dl', { class: 'tiles' }, ...boxes),
    section('What was done', ...about.map((text) => paragraph(text))),
    ...parts.map(sectionOf),
    ...(promised === undefined ? [] : [sectionOf(promisePart(promised))]),
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

function sectionOf(part: ResultPart): Markup {
  const { heading, pictures = [], rows, right = Infinity, folded, notes = [] } = part;
  const drawn = pictures.every(({ width }) => width <= HALF) ? [pictures] : pictures.map((picture) => [picture]);
  const texts = rows === undefined ? '' : table(rows[0], groupsOf(part), { right });
  return section(
    heading,
    ...drawn.filter((row) => row.length > 0).map((row) => figures(...row)),
    folded === undefined ? texts : element('details', {}, element('summary', {}, escapeText(folded)), texts),
    ...notes.map((note) => paragraph(note, 'soft')),
  );
}

/** The guarantee of each variant at each budget, and what is released for it. */
function promisePart({ symbol, central = false, about = '', certificates }: Promised): ResultPart {
  const [whose, whole, what] = central
    ? ['record', 'guarantee of all releases together', 'what is released']
    : ['player', 'guarantee of the whole transcript', 'what one player sends'];
  return {
    heading: `What one ${whose} is promised`,
    rows: [
      [symbol, 'variant', whole, what],
      ...certificates.map((one) => [
        ...[String(one.budget), one.certificate.variant, guaranteeText(one)],
        one.certificate.releases
          .map(({ count, what, mechanism }) => `${count === 1 ? '' : `${count} × `}${what} (${mechanism})`)
          .join('; '),
      ]),
    ],
    grouped: true,
    notes: [`Neighbouring inputs, ${certificates[0].certificate.neighbouring}${about}.`],
  };
}

function guaranteeText({ guarantee, certificate: { claimed } }: Promised['certificates'][number]): string {
  const promised = guarantee ?? claimed;
  return promised === undefined ? '' : describeGuarantee(promised);
}

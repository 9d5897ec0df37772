import { FLOORS, PROTOCOL_ORDER } from '../architecture/arrows.ts';
import type { Project, Source } from '../architecture/project.ts';
import { lines } from './count.ts';

/** Where the drawing lies. */
export const DRAWING = 'docs/figures/layers.svg';

/** What is drawn. */
export const DRAWN: readonly string[] = ['src', 'protocols', 'test/evidence'];

/** What is on every floor, in a few words. */
const CONTENTS: Readonly<Record<string, string>> = {
  check: 'refusals of wrong values',
  numeric: 'sums, matrices, special functions',
  random: 'coins and one file for each law',
  privacy: 'guarantees, calibration, composition, certificates',
  polynomial: 'Chebyshev, Hermite, symmetric powers, fits',
  mechanism: 'what randomizes numbers, vectors, categories',
  risk: 'losses and models',
  optimize: 'solvers on a ball',
  inference: 'estimates with intervals',
  core: 'contract, wire, collector, device, certify, verify',
  audit: 'attacks that bound ε from below',
  simulation: 'many players at once, forecasts',
  testing: 'laws and claims for protocols of your own',
};

const MARGIN = 20;
const COLUMN = 168;
const ROW = 26;
const DOT_STEP = 26;
const BOX = 42;
const BOX_GAP = 26;

/** A protocol in its place: columns from the left, rows from the ground. */
interface Place {
  readonly name: string;
  readonly column: number;
  readonly width: number;
  readonly row: number;
}

/**
 * The layers of the project as one SVG, from the imports of its files: the floors of src/ from the ground up with a dot for every floor that
 * another one imports, the protocols above them with their arrows, the application, and the evidence.
 *
 * Numbers of lines are rounded to hundreds, so that the drawing changes when the layout does and not with every line.
 */
export function drawing(project: Project): string {
  const sources = [...project.sources.values()];
  const places = placesOf(protocolNames(sources));
  const columns = Math.max(...places.map(({ column, width }) => column + width));
  const stories = 1 + Math.max(...places.map(({ row }) => row));
  const inner = columns * COLUMN;
  const parts: string[] = [];
  let y = MARGIN;
  const evidence = below(sources, 'test/evidence/');
  parts.push(panel(y, inner, 66, 'dashed'), heading(y, 'Evidence: test/evidence', evidence, inner));
  const entries = entriesUsed(evidence);
  const half = Math.ceil(entries.length / 2);
  parts.push(text(MARGIN + 14, y + 40, 'soft', `imports public entries only: ${entries.slice(0, half).join(', ')},`));
  parts.push(text(MARGIN + 14, y + 56, 'soft', entries.slice(half).join(', ')));
  y += 66 + 14;
  const node = below(sources, 'src/node/');
  parts.push(panel(y, inner, 48, 'own'), heading(y, 'Application: src/node', node, inner));
  parts.push(text(MARGIN + 14, y + 40, 'soft', 'files, command line, pages, threads: everything that needs Node'));
  y += 48 + 14;
  const height = 40 + stories * BOX + (stories - 1) * BOX_GAP + 12;
  parts.push(panel(y, inner, height, 'own'));
  parts.push(heading(y, 'Library: protocols', below(sources, 'protocols/'), inner));
  for (const place of places) parts.push(protocolBox(place, sources, y + 36, stories));
  parts.push(...protocolArrows(places, y + 36, stories));
  y += height + 14;
  const floors = FLOORS.filter((floor) => floor !== 'node');
  const ground = 40 + floors.length * ROW + 8;
  const library = sources.filter(({ path }) => path.startsWith('src/') && !path.startsWith('src/node/'));
  parts.push(panel(y, inner, ground, 'own'), heading(y, 'Library: floors of src', library, inner));
  parts.push(...floorRows(floors, sources, y + 36, MARGIN + inner - (floors.length + 3) * DOT_STEP));
  y += ground;
  return svg(inner + 2 * MARGIN, y + MARGIN, parts);
}

/** A row for every floor, the ground last: its name, what it holds, its size, and dots under the names of the floors that it imports. */
function floorRows(floors: readonly string[], sources: readonly Source[], top: number, left: number): string[] {
  const parts: string[] = [];
  const middle = (index: number): number => top + (floors.length - 1 - index) * ROW + ROW / 2;
  floors.forEach((floor, index) => {
    const y = middle(index);
    const own = below(sources, `src/${floor}/`);
    const targets = new Set(own.flatMap(({ arrows }) => arrows.map(({ target }) => target?.split('/')[1])));
    const x = left + index * DOT_STEP;
    parts.push(text(MARGIN + 14, y + 4, 'name', floor), text(MARGIN + 100, y + 4, 'soft', CONTENTS[floor] ?? ''));
    parts.push(text(left - 22, y + 4, 'soft end', size(own)));
    parts.push(`<path class="rule" d="M${MARGIN + 14} ${y + ROW / 2}H${x}M${x} ${y}V${top}"/>`);
    parts.push(`<rect class="mark" x="${x - 5}" y="${y - 5}" width="10" height="10" rx="2"/>`);
    parts.push(text(x + 10, y + 4, 'soft', floor));
    floors.slice(0, index).forEach((other, column) => {
      if (!targets.has(other)) return;
      const words = `${floor} imports ${other}`;
      parts.push(
        `<circle class="dot" cx="${left + column * DOT_STEP}" cy="${y}" r="5"><title>${words}</title></circle>`,
      );
    });
  });
  return parts;
}

function protocolBox(place: Place, sources: readonly Source[], top: number, stories: number): string {
  const { x, y, width } = boxOf(place, top, stories);
  const own = below(sources, `protocols/${place.name}/`);
  return [
    `<rect class="box" x="${x}" y="${y}" width="${width}" height="${BOX}" rx="5"/>`,
    text(x + width / 2, y + 18, place.name.length > 20 ? 'name middle long' : 'name middle', place.name),
    text(x + width / 2, y + 34, 'soft middle', size(own)),
  ].join('');
}

/** An arrow for every import that one protocol is declared to make of another. */
function protocolArrows(places: readonly Place[], top: number, stories: number): string[] {
  const parts: string[] = [];
  for (const place of places) {
    for (const other of PROTOCOL_ORDER[place.name] ?? []) {
      const target = places.find(({ name }) => name === other);
      if (target === undefined) continue;
      const from = boxOf(place, top, stories);
      const to = boxOf(target, top, stories);
      const x = from.x + from.width / 2;
      const end = Math.min(Math.max(x, to.x + 10), to.x + to.width - 10);
      const words = `${place.name} imports ${other}`;
      parts.push(`<path class="arrow" d="M${x} ${from.y + BOX}L${end} ${to.y - 2}"><title>${words}</title></path>`);
      parts.push(`<path class="head" d="M${end} ${to.y}l-5 -9h10z"/>`);
    }
  }
  return parts;
}

function boxOf({ column, width, row }: Place, top: number, stories: number): { x: number; y: number; width: number } {
  return {
    x: MARGIN + column * COLUMN + 6,
    y: top + (stories - 1 - row) * (BOX + BOX_GAP),
    width: width * COLUMN - 12,
  };
}

/** Those that stand on others are above the first of them, and it is as wide as all of them together. */
function placesOf(names: readonly string[]): Place[] {
  const places: Place[] = [];
  const above = (base: string): string[] => names.filter((name) => PROTOCOL_ORDER[name]?.[0] === base);
  const widthOf = (name: string): number =>
    Math.max(
      1,
      above(name).reduce((sum, other) => sum + widthOf(other), 0),
    );
  const place = (name: string, column: number, row: number): void => {
    places.push({ name, column, width: widthOf(name), row });
    let next = column;
    for (const other of above(name)) {
      place(other, next, row + 1);
      next += widthOf(other);
    }
  };
  let column = 0;
  for (const name of names) {
    if (PROTOCOL_ORDER[name]?.[0] !== undefined) continue;
    place(name, column, 0);
    column += widthOf(name);
  }
  return places;
}

function protocolNames(sources: readonly Source[]): string[] {
  return [...new Set(below(sources, 'protocols/').map(({ path }) => path.split('/')[1]))].sort();
}

/** The entries of the package that some files import, those of the protocols as one. */
function entriesUsed(sources: readonly Source[]): string[] {
  const used = new Set<string>();
  for (const { arrows } of sources) {
    for (const { module, specifier } of arrows) {
      if (module === 'ldpkit' && specifier !== undefined)
        used.add(specifier.replace(/\/protocols\/.*/, '/protocols/…'));
    }
  }
  return [...used].sort();
}

function below(sources: readonly Source[], folder: string): Source[] {
  return sources.filter(({ path }) => path.startsWith(folder) && path.endsWith('.ts'));
}

function size(sources: readonly Source[]): string {
  return `${(Math.round(lines(sources) / 100) * 100).toLocaleString('en')} lines`;
}

function panel(y: number, width: number, height: number, kind: string): string {
  return `<rect class="panel ${kind}" x="${MARGIN}" y="${y}" width="${width}" height="${height}" rx="8"/>`;
}

function heading(y: number, title: string, sources: readonly Source[], inner: number): string {
  return text(MARGIN + 14, y + 21, 'title', title) + text(MARGIN + inner - 14, y + 21, 'soft end', size(sources));
}

function text(x: number, y: number, kind: string, words: string): string {
  return `<text class="${kind}" x="${x}" y="${y}">${words}</text>`;
}

function svg(width: number, height: number, parts: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>The layers of ldpkit: floors of src, protocols, application, evidence</title>
<style>
text { font: 12px system-ui, sans-serif; fill: #1a1f26; }
.title { font-size: 14px; font-weight: 600; } .name { font-weight: 600; } .long { font-size: 11px; }
.soft { fill: #56606b; } .end { text-anchor: end; } .middle { text-anchor: middle; }
.paper { fill: #ffffff; } .panel { fill: #f5f7f9; stroke: #d5dbe1; } .dashed { stroke-dasharray: 5 4; }
.box { fill: #ffffff; stroke: #0072b2; } .rule { fill: none; stroke: #d5dbe1; }
.mark { fill: #56606b; } .dot, .head { fill: #0072b2; } .arrow { stroke: #0072b2; stroke-width: 1.5; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6eaee; } .soft { fill: #a3adb8; }
  .paper { fill: #14181d; } .panel { fill: #1c2229; stroke: #38414b; }
  .box { fill: #14181d; stroke: #56b4e9; } .rule { stroke: #38414b; }
  .mark { fill: #a3adb8; } .dot, .head { fill: #56b4e9; } .arrow { stroke: #56b4e9; }
}
</style>
<rect class="paper" width="${width}" height="${height}"/>
${parts.join('\n')}
</svg>
`;
}

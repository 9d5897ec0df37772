import ts from 'typescript';
import { FLOORS } from './arrows.ts';
import type { Project } from './project.ts';

/** The rooms that every protocol has. What binds the mechanisms' reports and claims may lie in a room of its own. */
export const ROOMS: readonly string[] = ['README.md', 'parameters.ts', 'player.ts', 'server.ts', 'index.ts'];

/** The rooms where a trusted curator holds the records: there are no players, and nothing travels. */
const CENTRAL_ROOMS: readonly string[] = ['README.md', 'parameters.ts', 'curator.ts', 'index.ts'];

/** The rooms of one protocol: those of a curator where the first paragraph of its page says "Central model". */
function roomsOf({ texts }: Pick<Project, 'texts'>, protocol: string): readonly string[] {
  const first = texts[`${protocol}/README.md`]?.split(/\n\s*\n/)[1] ?? '';
  return /\bcentral model\b/i.test(first) ? CENTRAL_ROOMS : ROOMS;
}

/** What the page of a protocol must speak of. */
const SUBJECTS: Readonly<Record<string, RegExp>> = {
  problem: /\bproblem\b/i,
  paper: /\bpaper\b/i,
  notation: /\bnotation\b/i,
  guarantee: /\bguarantees?\b/i,
  estimate: /\bestimates?\b/i,
  error: /\berrors?\b/i,
  limits: /\blimits\b/i,
  measurement: /\bmeasured\b/i,
};

/** One page: neither a stub nor a book. */
const FEWEST_WORDS = 200;

/** The floors that exist hold something, and there is at least one protocol: an empty tree obeys every other rule. */
export function emptyProject({ texts }: Project): string[] {
  const paths = Object.keys(texts);
  const found: string[] = [];
  for (const place of ['src/index.ts', 'src/node/index.ts', 'src/node/main.ts', 'README.md', 'package.json']) {
    if (!paths.includes(place)) found.push(`${place} is missing`);
  }
  for (const floor of FLOORS.slice(0, 3)) {
    if (!paths.some((path) => path.startsWith(`src/${floor}/`))) found.push(`src/${floor} is empty`);
  }
  if (protocolsOf({ texts }).length === 0) found.push('protocols is empty');
  return found;
}

/** Every protocol has all its rooms, and nothing lies in protocols/ outside a protocol. */
export function missingRooms(project: Project): string[] {
  const found: string[] = [];
  for (const protocol of protocolsOf(project)) {
    for (const room of roomsOf(project, protocol)) {
      if (!Object.hasOwn(project.texts, `${protocol}/${room}`)) found.push(`${protocol} has no ${room}`);
    }
  }
  for (const path of Object.keys(project.texts)) {
    if (/^protocols\/[^/]+$/.test(path)) found.push(`${path} lies outside a protocol`);
  }
  return found;
}

/** The page of a protocol covers its subjects and names every room and every function that makes parameters. */
export function thinPages(project: Project): string[] {
  const found: string[] = [];
  for (const protocol of protocolsOf(project)) {
    const page = project.texts[`${protocol}/README.md`];
    if (page === undefined) continue; // a missing room
    const complain = (text: string) => found.push(`${protocol}/README.md ${text}`);
    const words = page.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
    if (words < FEWEST_WORDS) complain(`has only ${words} words`);
    for (const [subject, pattern] of Object.entries(SUBJECTS)) {
      if (!pattern.test(page)) complain(`says nothing of the ${subject}`);
    }
    for (const room of roomsOf(project, protocol).slice(1, -1)) {
      if (!new RegExp(`\\b${room.replace('.ts', '')}\\b`, 'i').test(page)) complain(`does not name the room ${room}`);
    }
    const variants = exportedFunctions(project, `${protocol}/parameters.ts`);
    if (variants.length === 0) complain('has no variant to document: parameters.ts exports no function');
    for (const variant of variants) {
      if (!new RegExp(`\`[^\`]*\\b${variant}\\b`).test(page)) complain(`does not document the variant ${variant}`);
    }
  }
  return found;
}

/** The folders in protocols/. */
export function protocolsOf({ texts }: Pick<Project, 'texts'>): string[] {
  const folders = Object.keys(texts).filter((path) => /^protocols\/[^/]+\//.test(path));
  return [...new Set(folders.map((path) => path.split('/').slice(0, 2).join('/')))];
}

/** The functions that a file exports, declared or as constants. */
function exportedFunctions({ sources }: Project, path: string): string[] {
  const names: string[] = [];
  for (const statement of sources.get(path)?.tree.statements ?? []) {
    const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
    if (!modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) continue;
    if (ts.isFunctionDeclaration(statement) && statement.name !== undefined) names.push(statement.name.text);
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      const variant =
        initializer !== undefined && (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer));
      if (variant && ts.isIdentifier(name)) names.push(name.text);
    }
  }
  return names;
}

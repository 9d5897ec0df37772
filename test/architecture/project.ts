import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, posix } from 'node:path';
import ts from 'typescript';

/** Texts by path from the root of the project, with forward slashes. Fixtures are written in the same form. */
export type Texts = Readonly<Record<string, string>>;

/** One arrow of a file: a static import, a re-export, a dynamic import, an `import('…')` type or a `require`. */
export interface Arrow {
  /** What is written between the quotes; undefined for an import whose target is computed. */
  readonly specifier: string | undefined;
  /** The file of the project it leads to, if it is relative and that file exists. */
  readonly target: string | undefined;
  /** The package it leads to, `node:fs` for a module of Node; undefined if it is relative or computed. */
  readonly module: string | undefined;
  /** Erased by the compiler: nothing is loaded at run time. */
  readonly typeOnly: boolean;
}

/** A parsed file of the project. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
  readonly arrows: readonly Arrow[];
}

/** Everything the rules look at. */
export interface Project {
  readonly texts: Texts;
  /** Every file in TypeScript or JavaScript, by path. */
  readonly sources: ReadonlyMap<string, Source>;
}

const PROGRAM = /\.(?:ts|mjs|cjs|js)$/;

/** The texts of some files and folders on disk. What does not exist has no text: the rules miss it. */
export function readTexts(root: string, places: readonly string[]): Texts {
  const texts: Record<string, string> = {};
  for (const place of places) {
    if (!existsSync(join(root, place))) continue;
    const folder = statSync(join(root, place)).isDirectory();
    const files = folder ? readdirSync(join(root, place), { recursive: true, encoding: 'utf8' }) : [''];
    for (const file of files) {
      const path = posix.join(place, file.replaceAll('\\', '/'));
      if (statSync(join(root, path)).isFile()) texts[path] = readFileSync(join(root, path), 'utf8');
    }
  }
  return texts;
}

/** Parses every program among the texts and resolves its arrows. */
export function parseProject(texts: Texts): Project {
  const sources = new Map<string, Source>();
  for (const [path, text] of Object.entries(texts)) {
    if (!PROGRAM.test(path)) continue;
    const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
    sources.set(path, { path, text, tree, arrows: arrowsOf(tree, path, texts) });
  }
  return { texts, sources };
}

/** Calls `visit` for every node below (and including) the given one. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

function arrowsOf(tree: ts.SourceFile, path: string, texts: Texts): Arrow[] {
  const arrows: Arrow[] = [];
  const add = (specifier: ts.Node | undefined, typeOnly: boolean) => {
    const text = specifier !== undefined && ts.isStringLiteralLike(specifier) ? specifier.text : undefined;
    const relative = text === undefined ? undefined : relativeTarget(path, text);
    arrows.push({
      specifier: text,
      target: relative !== undefined && Object.hasOwn(texts, relative) ? relative : undefined,
      module: text === undefined || relative !== undefined ? undefined : moduleOf(text),
      typeOnly,
    });
  };
  walk(tree, (node) => {
    if (ts.isImportDeclaration(node)) {
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
      add(node.moduleSpecifier, node.isTypeOnly);
    } else if (ts.isImportTypeNode(node)) {
      add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, true);
    } else if (ts.isExternalModuleReference(node)) {
      add(node.expression, false);
    } else if (ts.isCallExpression(node) && loads(node.expression)) {
      add(node.arguments[0], false);
    }
  });
  return arrows;
}

/** Whether a call of this is `import(…)`, `require(…)` or `require.resolve(…)`. */
function loads(called: ts.Expression): boolean {
  if (called.kind === ts.SyntaxKind.ImportKeyword) return true;
  const name = ts.isPropertyAccessExpression(called) ? called.expression : called;
  return ts.isIdentifier(name) && name.text === 'require';
}

function relativeTarget(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  const path = posix.join(posix.dirname(from), specifier);
  // A script that runs the built files depends on the sources they are built from.
  return from.startsWith('test/') ? path.replace(/^dist\/(.*)\.js$/, '$1.ts') : path;
}

/** `@noble/hashes/hmac.js` → `@noble/hashes`, `fs/promises` → `node:fs/promises`. */
function moduleOf(specifier: string): string {
  if (isBuiltin(specifier)) return specifier.startsWith('node:') ? specifier : `node:${specifier}`;
  const parts = specifier.split('/');
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}

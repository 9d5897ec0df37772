import ts from 'typescript';
import { type Project, type Source, walk } from './project.ts';

/** The style asks for 40 to 400 lines; this is where a file has certainly become two. */
const LONGEST_FILE = 400;

/** Names that say nothing. */
const EMPTY_NAMES = /(?:^|-)(?:utils?|helpers?|common|manager|misc)(?:-|$)/;

/** What only Node provides without an import. */
const NODE_GLOBALS: readonly string[] = ['Buffer', 'process', '__dirname', '__filename', 'require', 'setImmediate'];

/** Nowhere, tests included, a coin or a clock that nobody can replay. */
export function hiddenCoins({ sources }: Project): string[] {
  const forbidden = ['Math.random', 'Date.now'];
  return search(sources.values(), (node) => {
    const uses: string[] = [];
    if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
      const member = ts.isPropertyAccessExpression(node) ? node.name : node.argumentExpression;
      uses.push(`${lastName(node.expression)}.${textOf(member)}`);
    } else if (ts.isVariableDeclaration(node) && ts.isObjectBindingPattern(node.name)) {
      // const { random } = Math
      const object = node.initializer === undefined ? undefined : lastName(node.initializer);
      for (const { propertyName, name } of node.name.elements) uses.push(`${object}.${textOf(propertyName ?? name)}`);
    }
    const found = uses.find((use) => forbidden.includes(use));
    return found === undefined ? '' : `uses ${found}`;
  });
}

/** Outside src/node nothing counts on a global of Node. */
export function nodeGlobals({ sources }: Project): string[] {
  const portable = [...sources.values()].filter(({ path }) => isProduct(path) && !path.startsWith('src/node/'));
  return search(portable, (node) => {
    if (!ts.isIdentifier(node) || !NODE_GLOBALS.includes(node.text)) return '';
    const { parent } = node;
    // `x.process` and `{ process: … }` are names of members; `globalThis.process` is the global.
    if (ts.isPropertyAccessExpression(parent) && parent.name === node) {
      return lastName(parent.expression) === 'globalThis' ? `uses ${node.text}` : '';
    }
    const member = ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent) || ts.isMethodSignature(parent);
    return member && parent.name === node ? '' : `uses ${node.text}`;
  });
}

/** The only classes are errors. */
export function classes({ sources }: Project): string[] {
  return search(product(sources), (node) => {
    if (!ts.isClassLike(node)) return '';
    const parent = node.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)?.types[0];
    const name = parent === undefined ? undefined : lastName(parent.expression);
    return name !== undefined && /Error$|^Refused(?:Kind|Value)$/.test(name)
      ? ''
      : `has the class ${node.name?.text ?? '(no name)'}, which is not an error`;
  });
}

/** No enum: a union of literals says the same and needs no code. */
export function enums({ sources }: Project): string[] {
  return search(product(sources), (node) => (ts.isEnumDeclaration(node) ? `has the enum ${node.name.text}` : ''));
}

/** Files of src/ and protocols/ stay short. */
export function longFiles({ sources }: Project): string[] {
  const found: string[] = [];
  for (const { path, text } of product(sources)) {
    const lines = text.trimEnd().split('\n').length;
    if (lines > LONGEST_FILE) found.push(`${path} has ${lines} lines, more than ${LONGEST_FILE}`);
  }
  return found;
}

/** Folders and files are named in whole words, in lower case with hyphens, and the words mean something. */
export function badNames({ sources }: Project): string[] {
  const found: string[] = [];
  for (const { path } of product(sources)) {
    for (const part of path.replace(/\.ts$/, '').split('/')) {
      if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(part) || EMPTY_NAMES.test(part))
        found.push(`${path} has the name ${part}`);
    }
  }
  return found;
}

function search(sources: Iterable<Source>, complaint: (node: ts.Node) => string): string[] {
  const found: string[] = [];
  for (const { path, tree } of sources) {
    walk(tree, (node) => {
      const text = complaint(node);
      if (text === '') return;
      found.push(`${path}:${tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1} ${text}`);
    });
  }
  return found;
}

/** The last name of `Math` or `globalThis.Math`. */
function lastName(node: ts.Expression): string | undefined {
  if (ts.isParenthesizedExpression(node)) return lastName(node.expression);
  return ts.isPropertyAccessExpression(node) ? node.name.text : ts.isIdentifier(node) ? node.text : undefined;
}

function textOf(node: ts.Node): string | undefined {
  return ts.isIdentifier(node) || ts.isStringLiteralLike(node) ? node.text : undefined;
}

function product(sources: Project['sources']): Source[] {
  return [...sources.values()].filter(({ path }) => isProduct(path));
}

const isProduct = (path: string): boolean => path.startsWith('src/') || path.startsWith('protocols/');

/** The one file that prints. */
const PRINTER = 'src/node/print.ts';

/** Nobody prints but the one file that escapes what it prints. */
export function strayPrinting({ sources }: Project): string[] {
  const others = [...sources.values()].filter(({ path }) => isProduct(path) && path !== PRINTER);
  return search(others, (node) => {
    if (ts.isIdentifier(node) && node.text === 'console') return 'uses console';
    if (ts.isStringLiteralLike(node) && /^(?:node:)?(?:process|console|tty)$/.test(node.text)) {
      return ts.isImportDeclaration(node.parent) ? `imports ${node.text}` : '';
    }
    const property = ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node);
    const name = property
      ? textOf(ts.isPropertyAccessExpression(node) ? node.name : node.argumentExpression)
      : undefined;
    const taken = ts.isBindingElement(node) ? textOf(node.propertyName ?? (node.name as ts.Identifier)) : undefined;
    const found = [name, taken].find((one) => one !== undefined && /^(?:stdout|stderr|_rawDebug)$/.test(one));
    return found === undefined ? '' : `uses ${found}`;
  });
}

/** Nobody but its two parsers parses JSON, of which one refuses what is there twice, and the other reads what this program wrote. */
export function strayParsing({ sources }: Project): string[] {
  const known = ['src/node/files.ts', 'test/evidence/engine/cells.ts', 'src/node/run-program.ts'];
  const others = [...sources.values()].filter(({ path }) => path.startsWith('src/node/') && !known.includes(path));
  return search(others, (node) =>
    ts.isPropertyAccessExpression(node) && lastName(node.expression) === 'JSON' && node.name.text === 'parse'
      ? 'uses JSON.parse'
      : '',
  );
}

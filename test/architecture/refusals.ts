import ts from 'typescript';
import { type Project, type Source, walk } from './project.ts';

/** The one file with the classes of refusals. */
const REFUSALS = 'src/check/refusal.ts';

/** Errors of the language that are made on purpose: what the program itself makes impossible, and protocols that break laws. */
const MADE: readonly string[] = [
  REFUSALS,
  'src/risk/expression/convexity.ts',
  'src/risk/expression/formula.ts',
  'src/testing/contract/broken-players.ts',
  'src/testing/contract/broken-servers.ts',
];

/** Where errors of the language are met: in what others bring along, whose contract has no other errors, and in an allocation. */
const MET: readonly string[] = [
  'src/core/certify.ts',
  'src/node/files.ts',
  'src/node/refused.ts',
  'src/testing/contract/interactive.ts',
  'src/testing/contract/laws.ts',
  'src/testing/contract/server.ts',
];

/** The laws about the words of a refusal. */
const LAWS = 'src/testing/contract/';

/** What asks a text for what it says. */
const ASKS =
  /^(?:startsWith|endsWith|includes|indexOf|lastIndexOf|localeCompare|match|matchAll|search|split|test|exec|at|charAt)$/;

/** Whoever refuses says so by a class: nobody but a few makes errors of the language, or takes one for a refusal. */
export function plainErrors({ sources }: Project): string[] {
  const found: string[] = [];
  const used = new Set<string>();
  for (const source of product(sources)) {
    const errors = look(source, (node) => {
      if (!ts.isIdentifier(node) || !/^(?:RangeError|TypeError)$/.test(node.text) || isType(node)) return '';
      const { parent } = node;
      const met =
        ts.isBinaryExpression(parent) &&
        parent.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword &&
        parent.right === node;
      if ((met ? MET : MADE).includes(source.path)) {
        used.add(`${source.path} ${met}`);
        return '';
      }
      return met ? `takes a ${node.text} for a refusal` : `has a plain ${node.text}`;
    });
    found.push(...errors);
  }
  const excused = [...MADE.map((path) => [path, false] as const), ...MET.map((path) => [path, true] as const)];
  for (const [path, met] of excused) {
    if (sources.has(path) && !used.has(`${path} ${met}`)) found.push(`${path} is excused and need not be`);
  }
  return found;
}

/** Nobody decides by what an error says. */
export function readMessages({ sources }: Project): string[] {
  return product(sources)
    .filter(({ path }) => !path.startsWith(LAWS))
    .flatMap((source) =>
      look(source, (node) => (isMessage(node) && isAsked(node) ? 'reads the text of an error' : '')),
    );
}

function isMessage(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) return node.name.text === 'message';
  if (!ts.isElementAccessExpression(node)) return false;
  return ts.isStringLiteralLike(node.argumentExpression) && node.argumentExpression.text === 'message';
}

/** Whether an expression is compared, searched or looked for; what becomes part of another text is not. */
function isAsked(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isParenthesizedExpression(parent) || ts.isNonNullExpression(parent) || ts.isAsExpression(parent)) {
    return isAsked(parent);
  }
  if (ts.isBinaryExpression(parent)) return /^[!=]==?$/.test(parent.operatorToken.getText());
  if (ts.isSwitchStatement(parent)) return true;
  if (ts.isPropertyAccessExpression(parent)) return ASKS.test(parent.name.text);
  if (ts.isCallExpression(parent) && parent.expression !== node) {
    return ts.isPropertyAccessExpression(parent.expression) && ASKS.test(parent.expression.name.text);
  }
  return ts.isElementAccessExpression(parent);
}

function isType(node: ts.Node): boolean {
  return ts.isTypeReferenceNode(node.parent);
}

function look({ path, tree }: Source, complaint: (node: ts.Node) => string): string[] {
  const found: string[] = [];
  walk(tree, (node) => {
    const text = complaint(node);
    if (text === '') return;
    found.push(`${path}:${tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1} ${text}`);
  });
  return found;
}

function product(sources: Project['sources']): Source[] {
  return [...sources.values()].filter(({ path }) => path.startsWith('src/') || path.startsWith('protocols/'));
}

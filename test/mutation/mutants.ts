import ts from 'typescript';

/** What a mutant changes. */
export type MutantKind = 'constant' | 'sign' | 'product' | 'root' | 'extremum' | 'comparison';

/** One small edit of a source text. */
export interface Mutant {
  readonly kind: MutantKind;
  /** From where to where the text is replaced. */
  readonly start: number;
  readonly end: number;
  /** What stands there, and what the mutant has in its place. */
  readonly original: string;
  readonly replacement: string;
}

const { SyntaxKind } = ts;

/** Signs, products and comparisons, and what a mutant has for them. Equality has no direction. */
const OPERATORS: ReadonlyMap<ts.SyntaxKind, readonly [MutantKind, string]> = new Map([
  [SyntaxKind.PlusToken, ['sign', '-']],
  [SyntaxKind.MinusToken, ['sign', '+']],
  [SyntaxKind.PlusEqualsToken, ['sign', '-=']],
  [SyntaxKind.MinusEqualsToken, ['sign', '+=']],
  [SyntaxKind.AsteriskToken, ['product', '/']],
  [SyntaxKind.SlashToken, ['product', '*']],
  [SyntaxKind.AsteriskEqualsToken, ['product', '/=']],
  [SyntaxKind.SlashEqualsToken, ['product', '*=']],
  [SyntaxKind.LessThanToken, ['comparison', '>']],
  [SyntaxKind.LessThanEqualsToken, ['comparison', '>=']],
  [SyntaxKind.GreaterThanToken, ['comparison', '<']],
  [SyntaxKind.GreaterThanEqualsToken, ['comparison', '<=']],
]);

/** Methods whose numbers are places and lengths, and calls whose numbers are for a reader. */
const PLACES: RegExp = /^(?:at|slice|subarray|fill|set|with|splice|digits|toFixed|toPrecision|padStart|padEnd)$/;

/** Smaller numbers are tolerances: a fifth more or less of one is no claim. */
const TOLERANCE = 1e-6;

/** A loop that is written to run at least so often ends by having converged, not by this number. */
const MANY_ROUNDS = 20;

/**
 * The mutants within one declaration, in the order of the text: every number, sign, product, root, extremum and direction of a
 * comparison, but those of {@link skipped} places.
 */
export function mutantsIn(declaration: ts.Node, source: ts.SourceFile): readonly Mutant[] {
  const found: Mutant[] = [];
  const add = (kind: MutantKind, node: ts.Node, replacement: string): void => {
    const start = node.getStart(source);
    found.push({ kind, start, end: node.end, original: source.text.slice(start, node.end), replacement });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isNumericLiteral(node)) for (const text of otherNumbers(node)) add('constant', node, text);
    else if (ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.MinusToken) {
      add('sign', node, node.operand.getText(source));
    } else if (ts.isBinaryExpression(node)) {
      const other = OPERATORS.get(node.operatorToken.kind);
      if (other !== undefined && !isText(node)) add(other[0], node, withOperator(node, other[1], source));
    } else if (ts.isCallExpression(node)) {
      const name = calledName(node);
      const callee = node.expression.getText(source);
      const given = node.arguments.map((argument) => argument.getText(source)).join(', ');
      if (name === 'sqrt') add('root', node, `(${given})`);
      if ((name === 'min' || name === 'max') && (node.arguments.length > 1 || given.startsWith('...'))) {
        add('extremum', node, `${callee.replace(/(?:min|max)$/, name === 'min' ? 'max' : 'min')}(${given})`);
      }
    }
    for (const child of node.getChildren(source)) if (!skipped(child, node)) visit(child);
  };
  visit(declaration);
  return found;
}

/**
 * Places where nothing is mutated, since no theorem speaks of them: array indices, lengths of buffers and places in them, where a
 * loop starts and how it counts, rounds of an iteration until it converges, numbers of versions, when scratch is made anew, and what
 * refuses an argument.
 */
function skipped(child: ts.Node, parent: ts.Node): boolean {
  if (ts.isThrowStatement(child)) return true;
  if (ts.isElementAccessExpression(parent)) return child === parent.argumentExpression;
  if (ts.isPropertyAssignment(parent) && /^version$/i.test(parent.name.getText())) return true;
  if (ts.isVariableDeclaration(parent) && /^version$/i.test(parent.name.getText())) return true;
  if (ts.isPropertyAssignment(parent) || ts.isPropertyAccessExpression(parent)) return child === parent.name;
  if (ts.isForStatement(parent)) {
    if (child === parent.initializer || child === parent.incrementor) return true;
    return child === parent.condition && ts.isBinaryExpression(child) && isMany(child.right);
  }
  if (ts.isIfStatement(parent)) {
    return child === parent.expression && (isRefusal(parent.thenStatement) || makesBuffer(parent.thenStatement));
  }
  // A list of arguments is a node between a call and its arguments.
  if (child.kind !== SyntaxKind.SyntaxList) return false;
  if (ts.isNewExpression(parent)) return parent.expression.getText().endsWith('Array');
  if (!ts.isCallExpression(parent)) return false;
  const name = calledName(parent);
  return PLACES.test(name) || name === 'refusal' || (/^check[A-Z]/.test(name) && !parent.arguments.some(isArithmetic));
}

/** What a number becomes: a fifth more and less, or the next whole number where it counts, is compared or is an exponent. */
function otherNumbers(literal: ts.NumericLiteral): readonly string[] {
  const value = Number(literal.text);
  if (value !== 0 && Math.abs(value) < TOLERANCE) return [];
  const { parent } = literal;
  const factor =
    ts.isBinaryExpression(parent) &&
    (parent.operatorToken.kind === SyntaxKind.AsteriskToken || parent.operatorToken.kind === SyntaxKind.SlashToken);
  // Where 1 more is the same number there is no other one to try.
  if (Number.isInteger(value) && !factor) return value + 1 === value ? [] : [String(value + 1)];
  return [1.2, 0.8].map((scale) => String(Number((scale * value).toPrecision(12))));
}

function withOperator(node: ts.BinaryExpression, operator: string, source: ts.SourceFile): string {
  // Both sides keep what binds them: parentheses cost nothing, and a − (b − c) must not become a + b − c.
  const right = node.right.getText(source);
  const left = node.left.getText(source);
  return operator.endsWith('=') && !'<>'.includes(operator[0])
    ? `${left} ${operator} ${right}`
    : `(${left}) ${operator} (${right})`;
}

function calledName({ expression }: ts.CallExpression): string {
  if (ts.isPropertyAccessExpression(expression)) return expression.name.text;
  return ts.isIdentifier(expression) ? expression.text : '';
}

/** Whether a sum puts texts together. */
function isText(node: ts.Node): boolean {
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) return true;
  return (
    ts.isBinaryExpression(node) &&
    (node.operatorToken.kind === SyntaxKind.PlusToken || node.operatorToken.kind === SyntaxKind.PlusEqualsToken) &&
    (isText(node.left) || isText(node.right))
  );
}

function isMany(node: ts.Node): boolean {
  return ts.isNumericLiteral(node) && Number(node.text) >= MANY_ROUNDS;
}

function isRefusal(statement: ts.Statement): boolean {
  if (ts.isThrowStatement(statement)) return true;
  // A condition that only spares a call of what refuses.
  if (ts.isExpressionStatement(statement) && ts.isCallExpression(statement.expression)) {
    return /^check[A-Z]/.test(calledName(statement.expression));
  }
  return ts.isBlock(statement) && statement.statements.length === 1 && ts.isThrowStatement(statement.statements[0]);
}

/** Whether a statement only replaces scratch by other scratch of the length that is needed. */
function makesBuffer(statement: ts.Statement): boolean {
  if (ts.isBlock(statement)) return statement.statements.length > 0 && statement.statements.every(makesBuffer);
  if (!ts.isExpressionStatement(statement) || !ts.isBinaryExpression(statement.expression)) return false;
  const { operatorToken, right } = statement.expression;
  return (
    operatorToken.kind === SyntaxKind.EqualsToken &&
    ts.isNewExpression(right) &&
    right.expression.getText().endsWith('Array')
  );
}

function isArithmetic(node: ts.Node): boolean {
  return ts.isBinaryExpression(node) && OPERATORS.has(node.operatorToken.kind) && !isText(node);
}

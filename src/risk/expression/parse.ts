import type { MathNode } from 'mathjs';
import { create, derivativeDependencies, parseDependencies } from 'mathjs/number';
import { RefusedKind, RefusedValue, refusal } from '../../check/refusal.ts';
import {
  apply,
  applySimply,
  CALLABLE,
  combine,
  combineSimply,
  constant,
  type Formula,
  FUNCTIONS,
  OPERATORS,
  type OperatorName,
  textOf,
  VARIABLE,
} from './formula.ts';

// Numbers only. This instance has no evaluator and no units, and never evaluates anything.
const math = create({ parseDependencies, derivativeDependencies }, {});

export const EXPRESSION_LENGTH = 200;

export const EXPRESSION_SIZE = 100;

export const EXPRESSION_DEPTH = 64;

const DERIVATIVE_SIZE = 20_000;

/** Largest exponent of a power whose base varies, in absolute value. */
const LARGEST_EXPONENT = 64;

// A map here and below, so that no name reaches an inherited property of objects.
const OPERATIONS: ReadonlyMap<string, OperatorName> = new Map([
  ['add', '+'],
  ['subtract', '-'],
  ['multiply', '*'],
  ['divide', '/'],
  ['pow', '^'],
]);

const CONSTANTS: ReadonlyMap<string, number> = new Map([
  ['e', Math.E],
  ['pi', Math.PI],
]);

const FOREIGN: ReadonlyMap<string, string> = new Map([
  ['AccessorNode', 'a property access'],
  ['AssignmentNode', 'an assignment'],
  ['FunctionAssignmentNode', 'a function definition'],
]);

const ALLOWED = 'numbers, t, e, pi, + - * / ^, max, min and ';

/** The settings and the state while a text is read. */
interface Reading {
  /** A derivative: simplified, with selectors, and of any depth. */
  readonly derived: boolean;
  nodes: number;
}

/**
 * Reads an expression in t: numbers, e, pi, + − · / ^, brackets, and abs, cosh, exp, expm1, log, log1p, max, min, sinh,
 * sqrt, tanh. The allowed content is listed twice: as characters before the parser, and as nodes after it. Everything
 * else is refused, whatever its meaning.
 */
export function parseExpression(expression: unknown): Formula {
  if (typeof expression !== 'string') throw new RefusedKind('expression', 'a string', expression);
  if (expression.length > EXPRESSION_LENGTH) {
    throw new RefusedValue('expression', `at most ${EXPRESSION_LENGTH} characters`, expression.length);
  }
  const strange = /[^\dA-Za-z+\-*/^(),. ]/u.exec(expression)?.[0];
  if (strange !== undefined) {
    const code = strange.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
    const expected = 'letters, digits, spaces and + - * / ^ ( ) , . only';
    throw new RefusedValue(`${refusal('expression', expected, strange)} (U+${code})`);
  }
  return formulaOf(parsed(expression), { derived: false, nodes: 0 }, 0);
}

function derivativesOf(text: string): readonly [Formula, Formula] {
  const first = math.derivative(parsed(text), 't', { simplify: false });
  const second = math.derivative(first, 't', { simplify: false });
  return [formulaOf(first, { derived: true, nodes: 0 }, 0), formulaOf(second, { derived: true, nodes: 0 }, 0)];
}

function parsed(text: string): MathNode {
  try {
    return math.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'no reason';
    throw new RefusedValue(`${refusal('expression', 'a formula in t', text)}: ${reason}`);
  }
}

function formulaOf(node: MathNode, reading: Reading, depth: number): Formula {
  const { derived } = reading;
  reading.nodes++;
  if (reading.nodes > (derived ? DERIVATIVE_SIZE : EXPRESSION_SIZE)) {
    const most = derived ? `a derivative of at most ${DERIVATIVE_SIZE}` : `at most ${EXPRESSION_SIZE}`;
    throw new RefusedValue(`"expression" expected ${most} numbers, names and operators, got more`);
  }
  if (!derived && depth > EXPRESSION_DEPTH) {
    throw new RefusedValue(`"expression" expected a nesting of at most ${EXPRESSION_DEPTH}, got a deeper one`);
  }
  const inner = (child: MathNode): Formula => formulaOf(child, reading, depth + 1);
  switch (node.type) {
    case 'ParenthesisNode':
      return inner((node as MathNode & { content: MathNode }).content);
    case 'ConstantNode': {
      const { value } = node as MathNode & { value: unknown };
      if (typeof value === 'number') return constant(value);
      return refuse(String(value));
    }
    case 'SymbolNode':
      return symbol((node as MathNode & { name: string }).name, derived);
    case 'OperatorNode': {
      const { fn, args } = node as unknown as { fn: string; args: MathNode[] };
      if (fn === 'unaryMinus') return apply('negate', inner(args[0]));
      if (fn === 'unaryPlus') return inner(args[0]);
      const name = OPERATIONS.get(fn);
      if (name === undefined || args.length < 2) return refuse(fn);
      return args.map(inner).reduce((left, right) => operation(name, left, right, derived));
    }
    case 'FunctionNode': {
      const { fn, args } = node as unknown as { fn: { type: string; name?: string }; args: MathNode[] };
      if (fn.type !== 'SymbolNode' || fn.name === undefined) return refuse(FOREIGN.get(fn.type) ?? fn.type);
      if ((fn.name === 'max' || fn.name === 'min') && args.length >= 2) {
        const name = fn.name;
        return args.map(inner).reduce((left, right) => combine(name, left, right));
      }
      const name = CALLABLE.find((known) => known === fn.name) ?? (derived && fn.name === 'sech' ? 'sech' : undefined);
      if (name === undefined || args.length !== 1) return refuse(`${fn.name} of ${args.length}`);
      return derived ? applySimply(name, inner(args[0])) : apply(name, inner(args[0]));
    }
    default:
      return refuse(FOREIGN.get(node.type) ?? node.type);
  }
}

function symbol(name: string, derived: boolean): Formula {
  if (name === 't') return VARIABLE;
  const value = CONSTANTS.get(name);
  if (value !== undefined) return constant(value);
  if (derived && /^c\d+$/.test(name)) return { kind: 'selector', index: Number(name.slice(1)) };
  return refuse(name);
}

function operation(name: OperatorName, left: Formula, right: Formula, derived: boolean): Formula {
  if (derived) return combineSimply(name, left, right);
  if (name === '^') {
    const exponent = right.kind === 'constant' && Math.abs(right.value) <= LARGEST_EXPONENT;
    const base = left.kind === 'constant' && (left.value > 0 || right.kind === 'constant');
    if (!exponent && !base) {
      const expected = `powers with a constant exponent from -${LARGEST_EXPONENT} to ${LARGEST_EXPONENT} or a constant base > 0`;
      throw new RefusedValue(`"expression" expected ${expected}, got another`);
    }
  }
  return combine(name, left, right);
}

function refuse(got: string): never {
  throw new RefusedValue('expression', `${ALLOWED}${CALLABLE.join(', ')} only`, got);
}

/** Where a formula may have a kink: `left` − `right` changes its sign there. */
export interface Crossing {
  readonly left: Formula;
  readonly right: Formula;
}

/** A formula with its first and second derivative, symbolic between the kinks. */
export interface Pieces {
  readonly formula: Formula;
  /** One for each abs, max and min, the inner ones first. */
  readonly crossings: readonly Crossing[];
  readonly value: (t: number) => number;
  /** f′, at a kink from the right. */
  readonly slope: (t: number) => number;
  /** f″, at a kink from the right. */
  readonly curvature: (t: number) => number;
}

/**
 * Differentiates a formula twice.
 * Law: max(a, b) = c·a + (1 − c)·b with a selector c that is 1 where a > b and 0 where a < b, and |a| = (2c − 1)·a
 * likewise with b = 0. Between kinks c is constant, so its derivative is 0 and that of the rest is symbolic. Where a = b
 * the larger slope decides, which makes every derivative the one from the right.
 */
export function differentiate(formula: Formula): Pieces {
  const crossings: Crossing[] = [];
  const smooth = withSelectors(formula, crossings);
  const selectors = new Float64Array(crossings.length);
  const [first, second] = derivativesOf(textOf(smooth)).map((derivative) => compile(derivative, selectors));
  const deciders = crossings.map(({ left, right }) => {
    const side = (branch: Formula) => {
      // Every crossing inside the branch is already on the list.
      const [slope] = derivativesOf(textOf(withSelectors(branch, crossings)));
      return { value: compile(branch, selectors), slope: compile(slope, selectors) };
    };
    return { left: side(left), right: side(right) };
  });
  const choose = (t: number): void => {
    for (let k = 0; k < deciders.length; k++) {
      const { left, right } = deciders[k];
      const difference = left.value(t) - right.value(t);
      selectors[k] = difference > 0 || (difference === 0 && left.slope(t) >= right.slope(t)) ? 1 : 0;
    }
  };
  return {
    formula,
    crossings,
    value: compile(formula, selectors),
    slope(t) {
      choose(t);
      return first(t);
    },
    curvature(t) {
      choose(t);
      return second(t);
    },
  };
}

/**
 * The formula with every abs, max and min written with a selector, and expm1 and log1p in full, since mathjs cannot
 * differentiate any of these. A new crossing is added to the list, after those inside its branches.
 */
function withSelectors(formula: Formula, crossings: Crossing[]): Formula {
  const inner = (part: Formula): Formula => withSelectors(part, crossings);
  const selector = (left: Formula, right: Formula): Formula => {
    let index = crossings.findIndex((crossing) => same(crossing.left, left) && same(crossing.right, right));
    if (index < 0) index = crossings.push({ left, right }) - 1;
    return { kind: 'selector', index };
  };
  if (formula.kind === 'apply') {
    const argument = inner(formula.argument);
    if (formula.name === 'abs') {
      const c = selector(formula.argument, constant(0));
      return combine('*', combine('-', combine('*', constant(2), c), constant(1)), argument);
    }
    if (formula.name === 'expm1') return combine('-', apply('exp', argument), constant(1));
    if (formula.name === 'log1p') return apply('log', combine('+', constant(1), argument));
    return apply(formula.name, argument);
  }
  if (formula.kind !== 'combine') return formula;
  const left = inner(formula.left);
  const right = inner(formula.right);
  if (formula.name !== 'max' && formula.name !== 'min') return combine(formula.name, left, right);
  const c = selector(formula.left, formula.right);
  const other = combine('-', constant(1), c);
  return formula.name === 'max'
    ? combine('+', combine('*', c, left), combine('*', other, right))
    : combine('+', combine('*', other, left), combine('*', c, right));
}

/** Whether both are the same object or the same number. */
function same(first: Formula, second: Formula): boolean {
  return first === second || (first.kind === 'constant' && second.kind === 'constant' && first.value === second.value);
}

/** A formula as a function of t: closures over plain numbers, with no name looked up at run time. */
export function compile(formula: Formula, selectors: ArrayLike<number>): (t: number) => number {
  switch (formula.kind) {
    case 'constant': {
      const { value } = formula;
      return () => value;
    }
    case 'variable':
      return (t) => t;
    case 'selector': {
      const { index } = formula;
      return () => selectors[index];
    }
    case 'apply': {
      const f = FUNCTIONS[formula.name];
      const argument = compile(formula.argument, selectors);
      return (t) => f(argument(t));
    }
    case 'combine': {
      const left = compile(formula.left, selectors);
      const right = compile(formula.right, selectors);
      if (formula.name === '*') {
        // A branch that is not selected contributes 0, even where it is infinite.
        return (t) => {
          const factor = left(t);
          return factor === 0 ? 0 : factor * right(t);
        };
      }
      const f = OPERATORS[formula.name];
      return (t) => f(left(t), right(t));
    }
  }
}

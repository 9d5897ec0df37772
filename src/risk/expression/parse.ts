import type { MathNode } from 'mathjs';
import { create, derivativeDependencies, parseDependencies } from 'mathjs/number';
import { refusal } from '../../check/number.ts';
import type { Formula, FunctionName, OperatorName } from './formula.ts';
import { apply, applySimply, combine, combineSimply, constant, VARIABLE } from './formula.ts';

// Numbers only; nothing is ever evaluated by this instance, which has no evaluator and no units.
const math = create({ parseDependencies, derivativeDependencies }, {});

/** Most characters of an expression. */
export const EXPRESSION_LENGTH = 200;

/** Most numbers, names and operators of an expression. */
export const EXPRESSION_SIZE = 100;

/** Deepest nesting of an expression, brackets included. */
export const EXPRESSION_DEPTH = 64;

/** Most nodes of a derivative. */
const DERIVATIVE_SIZE = 20_000;

/** Largest exponent of a power whose base varies, in absolute value. */
const LARGEST_EXPONENT = 64;

/** What an expression may call; a map, so that no name leads to what every object has. */
const CALLS: ReadonlyMap<string, FunctionName> = new Map(
  (['abs', 'cosh', 'exp', 'expm1', 'log', 'log1p', 'sinh', 'sqrt', 'tanh'] as const).map((name) => [name, name]),
);

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

/** What an expression might be taken for, in the words of a refusal. */
const FOREIGN: ReadonlyMap<string, string> = new Map([
  ['AccessorNode', 'a property access'],
  ['AssignmentNode', 'an assignment'],
  ['FunctionAssignmentNode', 'a function definition'],
]);

const ALLOWED = 'numbers, t, e, pi, + - * / ^, max, min and ';

/** What is known of a text while it is read. */
interface Reading {
  /** A derivative: simplified, with selectors, and of any depth. */
  readonly derived: boolean;
  nodes: number;
}

/**
 * Reads an expression in t: numbers, e, pi, + − · / ^, brackets, and abs, cosh, exp, expm1, log, log1p, max, min, sinh,
 * sqrt, tanh. What it may contain is listed, twice: as characters before the parser sees them, as nodes after. Everything
 * else is refused, whatever it means.
 *
 * @throws TypeError for anything that is not a string, RangeError for anything else, naming what is not allowed.
 */
export function parseExpression(expression: unknown): Formula {
  if (typeof expression !== 'string') throw new TypeError(refusal('expression', 'a string', expression));
  if (expression.length > EXPRESSION_LENGTH) {
    throw new RangeError(refusal('expression', `at most ${EXPRESSION_LENGTH} characters`, expression.length));
  }
  const strange = /[^\dA-Za-z+\-*/^(),. ]/u.exec(expression)?.[0];
  if (strange !== undefined) {
    const code = strange.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
    const expected = 'letters, digits, spaces and + - * / ^ ( ) , . only';
    throw new RangeError(`${refusal('expression', expected, strange)} (U+${code})`);
  }
  return formulaOf(parsed(expression), { derived: false, nodes: 0 }, 0);
}

/** The first and the second derivative in t of a formula without abs, max, min, expm1 and log1p, by mathjs. */
export function derivativesOf(text: string): readonly [Formula, Formula] {
  const first = math.derivative(parsed(text), 't', { simplify: false });
  const second = math.derivative(first, 't', { simplify: false });
  return [formulaOf(first, { derived: true, nodes: 0 }, 0), formulaOf(second, { derived: true, nodes: 0 }, 0)];
}

function parsed(text: string): MathNode {
  try {
    return math.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'no reason';
    throw new RangeError(`${refusal('expression', 'a formula in t', text)}: ${reason}`);
  }
}

function formulaOf(node: MathNode, reading: Reading, depth: number): Formula {
  const { derived } = reading;
  reading.nodes++;
  if (reading.nodes > (derived ? DERIVATIVE_SIZE : EXPRESSION_SIZE)) {
    const most = derived ? `a derivative of at most ${DERIVATIVE_SIZE}` : `at most ${EXPRESSION_SIZE}`;
    throw new RangeError(`"expression" expected ${most} numbers, names and operators, got more`);
  }
  if (!derived && depth > EXPRESSION_DEPTH) {
    throw new RangeError(`"expression" expected a nesting of at most ${EXPRESSION_DEPTH}, got a deeper one`);
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
      const name = CALLS.get(fn.name) ?? (derived && fn.name === 'sech' ? 'sech' : undefined);
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
      throw new RangeError(`"expression" expected ${expected}, got another`);
    }
  }
  return combine(name, left, right);
}

function refuse(got: string): never {
  throw new RangeError(refusal('expression', `${ALLOWED}${[...CALLS.keys()].join(', ')} only`, got));
}

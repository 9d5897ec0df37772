import { refusal } from '../../check/number.ts';
import { RefusedValue } from '../../check/refusal.ts';

const { abs, cosh, exp, expm1, log, log1p, sinh, sqrt, tanh } = Math;

/** A function of one argument; `negate` is written as a sign, `sech` occurs in derivatives only. */
export type FunctionName =
  | 'abs'
  | 'cosh'
  | 'exp'
  | 'expm1'
  | 'log'
  | 'log1p'
  | 'negate'
  | 'sech'
  | 'sinh'
  | 'sqrt'
  | 'tanh';

/** An operator, or a function of two arguments. */
export type OperatorName = '+' | '-' | '*' | '/' | '^' | 'max' | 'min';

/** The functions of one argument, in floating point. */
export const FUNCTIONS: Readonly<Record<FunctionName, (x: number) => number>> = {
  abs,
  cosh,
  exp,
  expm1,
  log,
  log1p,
  negate: (x) => -x,
  sech: (x) => 1 / cosh(x),
  sinh,
  sqrt,
  tanh,
};

/** The operators, in floating point. */
export const OPERATORS: Readonly<Record<OperatorName, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '^': (a, b) => a ** b,
  max: (a, b) => Math.max(a, b),
  min: (a, b) => Math.min(a, b),
};

/** A formula in t: plain data whose type can express only what a formula may contain. */
export type Formula =
  | { readonly kind: 'constant'; readonly value: number }
  | { readonly kind: 'variable' }
  /** A number 0 or 1, constant between kinks, that selects the branch of a maximum. In derivatives only. */
  | { readonly kind: 'selector'; readonly index: number }
  | { readonly kind: 'apply'; readonly name: FunctionName; readonly argument: Formula }
  | { readonly kind: 'combine'; readonly name: OperatorName; readonly left: Formula; readonly right: Formula };

/** The formula t. */
export const VARIABLE: Formula = { kind: 'variable' };

/**
 * A number.
 *
 * @throws RangeError unless it is finite, for example for 1e400 or the value of 9^9^9.
 */
export function constant(value: number): Formula {
  if (!Number.isFinite(value)) throw new RefusedValue(refusal('expression', 'finite constants', value));
  return { kind: 'constant', value };
}

/** A function of a formula; for a constant, the value of the function. */
export function apply(name: FunctionName, argument: Formula): Formula {
  if (argument.kind === 'constant') return constant(FUNCTIONS[name](argument.value));
  return { kind: 'apply', name, argument };
}

/** Two formulas combined; for two constants, the value. Nothing else is simplified: 0·log(t) stays undefined at 0. */
export function combine(name: OperatorName, left: Formula, right: Formula): Formula {
  if (left.kind === 'constant' && right.kind === 'constant') {
    return constant(OPERATORS[name](left.value, right.value));
  }
  return { kind: 'combine', name, left, right };
}

/**
 * The same without the neutral terms 0 and 1, which are common in derivatives: 0·t^(−1) is 0. Only for derivatives of
 * functions that are known to be defined where they are needed.
 */
export function combineSimply(name: OperatorName, left: Formula, right: Formula): Formula {
  const is = (formula: Formula, value: number): boolean => formula.kind === 'constant' && formula.value === value;
  if (name === '+' && is(left, 0)) return right;
  if ((name === '+' || name === '-') && is(right, 0)) return left;
  if (name === '-' && is(left, 0)) return apply('negate', right);
  // The form in which expm1 was written for the parser.
  if (name === '-' && is(right, 1) && left.kind === 'apply' && left.name === 'exp')
    return apply('expm1', left.argument);
  if (name === '*' && (is(left, 0) || is(right, 0))) return constant(0);
  if (name === '*' && is(left, 1)) return right;
  if ((name === '*' || name === '/' || name === '^') && is(right, 1)) return left;
  if (name === '/' && is(left, 0)) return left;
  if (name === '^' && is(right, 0)) return constant(1);
  return combine(name, left, right);
}

/**
 * A function of a formula in a derivative. log1p was written as log(1 + x) for the parser and becomes log1p(x) again.
 */
export function applySimply(name: FunctionName, argument: Formula): Formula {
  const shifted = name === 'log' && argument.kind === 'combine' && argument.name === '+';
  if (shifted && argument.left.kind === 'constant' && argument.left.value === 1) return apply('log1p', argument.right);
  return apply(name, argument);
}

/** The formula as text that the parser reads back; a selector is written `c0`, `c1`, … */
export function textOf(formula: Formula): string {
  switch (formula.kind) {
    case 'constant':
      return formula.value < 0 ? `(${formula.value})` : String(formula.value);
    case 'variable':
      return 't';
    case 'selector':
      return `c${formula.index}`;
    case 'apply':
      return formula.name === 'negate'
        ? `(-${textOf(formula.argument)})`
        : `${formula.name}(${textOf(formula.argument)})`;
    case 'combine': {
      const [left, right] = [textOf(formula.left), textOf(formula.right)];
      const named = formula.name === 'max' || formula.name === 'min';
      return named ? `${formula.name}(${left}, ${right})` : `(${left} ${formula.name} ${right})`;
    }
  }
}

/** The number of nodes of a formula. */
export function sizeOf(formula: Formula): number {
  if (formula.kind === 'apply') return 1 + sizeOf(formula.argument);
  return formula.kind === 'combine' ? 1 + sizeOf(formula.left) + sizeOf(formula.right) : 1;
}

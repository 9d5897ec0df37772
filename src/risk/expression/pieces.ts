import { apply, combine, constant, type Formula, FUNCTIONS, OPERATORS, textOf } from './formula.ts';
import { derivativesOf } from './parse.ts';

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
  /** f. */
  readonly value: (t: number) => number;
  /** f′, at a kink from the right. */
  readonly slope: (t: number) => number;
  /** f″, at a kink from the right. */
  readonly curvature: (t: number) => number;
}

/**
 * Differentiates a formula twice.
 *
 * Law: max(a, b) = c·a + (1 − c)·b with a selector c that is 1 where a > b and 0 where a < b, and |a| = (2c − 1)·a likewise
 * with b = 0. Between kinks c is constant, so its derivative is 0 and that of the rest is symbolic. Where a = b the larger
 * slope decides, which makes every derivative the one from the right.
 */
export function differentiate(formula: Formula): Pieces {
  const crossings: Crossing[] = [];
  const smooth = withSelectors(formula, crossings);
  const selectors = new Float64Array(crossings.length);
  const [first, second] = derivativesOf(textOf(smooth)).map((derivative) => compile(derivative, selectors));
  const deciders = crossings.map(({ left, right }) => {
    const side = (branch: Formula) => {
      // Every crossing inside the branch is on the list already.
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
 * differentiate any of these. A crossing that is not on the list yet is added to it, after those inside its branches.
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

/** One and the same object, or the same number. */
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
        // A branch that is not taken counts for nothing, even where it is infinite.
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

import type { Formula } from './formula.ts';
import { FUNCTIONS, OPERATORS } from './formula.ts';

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

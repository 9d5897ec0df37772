import fc from 'fast-check';
import { differentiate, parseExpression as parse } from '../../../../src/risk/expression/parse.ts';

const number = fc.constantFrom('0', '1', '2', '0.5', '3', '0.1', 'e', 'pi');

/** Random texts of expressions, defined or not: every operator and every function occurs. */
export const expressions: fc.Arbitrary<string> = fc
  .letrec<{ formula: string }>((tie) => ({
    formula: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      { weight: 2, arbitrary: fc.constant('t') },
      { weight: 1, arbitrary: number },
      {
        weight: 3,
        arbitrary: fc
          .tuple(fc.constantFrom('+', '-', '*', '/'), tie('formula'), tie('formula'))
          .map(([operator, a, b]) => `(${a} ${operator} ${b})`),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.constantFrom('2', '3', '-1', '-2', '0', '1', '2.5', '1.5', '0.5'), tie('formula'))
          .map(([exponent, a]) => `(t + ${a})^${exponent}`),
      },
      { weight: 1, arbitrary: tie('formula').map((a) => `2^(t - ${a})`) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(
            fc.constantFrom('exp', 'expm1', 'log', 'log1p', 'sqrt', 'abs', 'tanh', 'sinh', 'cosh', '-'),
            tie('formula'),
          )
          .map(([name, a]) => `${name}(t + ${a})`),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.constantFrom('max', 'min'), tie('formula'), tie('formula'))
          .map(([name, a, b]) => `${name}(${a}, t - ${b})`),
      },
    ),
  }))
  .formula.filter((text) => {
    // Divisions by a constant 0 and other constants that are not finite are refused before anything else.
    if (text.length > 190) return false;
    try {
      differentiate(parse(text));
      return true;
    } catch {
      return false;
    }
  });

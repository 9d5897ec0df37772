// An expression may come from a web form: what is no formula in t is refused, whatever it means, and nothing of it is run.
import { describe, expect, test } from '@jest/globals';
import { lossFromExpression } from '../../../../src/risk/expression/loss-from-expression.ts';
import { EXPRESSION_DEPTH, EXPRESSION_LENGTH, EXPRESSION_SIZE } from '../../../../src/risk/expression/parse.ts';

/** The error of an expression; none is a failure. */
function refusal(text: unknown): Error {
  try {
    lossFromExpression(text as string, { lipschitz: 1e9 });
  } catch (error) {
    return error as Error;
  }
  throw new Error(`${String(text).slice(0, 60)} was accepted`);
}

const refused = (texts: readonly string[]): void => {
  for (const text of texts) {
    const error = refusal(text);
    expect([text, error.name]).toEqual([text, 'RangeError']);
    expect(error.message).toMatch(/^"expression" expected /);
    expect(error.message.length).toBeLessThan(500);
  }
};

describe('refused:', () => {
  test('property access, and names that every object has', () => {
    refused([
      't.constructor',
      't.constructor.constructor',
      't["constructor"]',
      'exp.constructor',
      '(t).toString()',
      't.__proto__',
      'constructor',
      'constructor(t)',
      '__proto__',
      '__proto__(t)',
      'prototype',
      'toString',
      'toString(t)',
      'valueOf(t)',
      'hasOwnProperty(t)',
      'isPrototypeOf(t)',
      'this',
      'globalThis',
      'process',
      'Function',
      'eval(t)',
    ]);
    expect(refusal('t.constructor').message).toContain('got "a property access"');
  });

  test('what the library could be asked to do', () => {
    refused([
      'import(t)',
      'import({a: 1})',
      'import("fs")',
      'createUnit("x")',
      'createUnit(t)',
      'evaluate("1")',
      'evaluate(t)',
      'parse(t)',
      'parser()',
      'simplify(t)',
      'derivative(t, t)',
      'config(t)',
      'typed(t)',
      'help(t)',
      'random()',
      'random(t)',
      'format(t)',
      'print(t)',
      'compile(t)',
      'chain(t)',
      'reviver(t)',
      'map(t, exp)',
    ]);
  });

  test('assignments, definitions and programs', () => {
    refused(['t=5', 't = 5', 'f(x)=x', 'f(t)=t', 'exp(t)=t', 'a.b=1', 't;t', 't\nt', 't\r\nt', 't,t', '# t', 't # c']);
    expect(refusal('t=5').message).toContain('got "=" (U+003D)');
  });

  test('other kinds of values', () => {
    refused([
      '"t"',
      "'t'",
      '`t`',
      '[t]',
      '[t, 1]',
      '{a: t}',
      '1:2',
      't[1]',
      '2 cm',
      '2cm',
      't to cm',
      'i',
      '2i',
      'true',
    ]);
    refused([
      'false',
      'null',
      'undefined',
      'NaN',
      'Infinity',
      '-Infinity',
      'NaN*t',
      '0x1G',
      '\\t',
      '$t',
      '@t',
      '~t',
      '|t|',
    ]);
  });

  test('other operators', () => {
    refused([
      "t'",
      't!',
      't%2',
      '5 mod t',
      't ? 1 : 2',
      't < 1',
      't == 1',
      't and t',
      'not t',
      't xor 1',
      't & 1',
      't << 1',
    ]);
    refused(['t .* t', 't ./ t', 't .^ 2', 't ?? 1', 't -> t']);
  });

  test('other names, other functions and other numbers of arguments', () => {
    refused(['x', 'T', 'tt', 'e1', 'E', 'PI', 'c0', 'c1*t', 'sin(t)', 'gamma(t)', 'sech(t)', 'negate(t)', 'pow(t, 2)']);
    refused(['exp', 'exp + t', 'exp exp', 'exp()', 'exp(t, t)', 'max(t)', 'max()', 'log(t, 2)', 't(2)', 'e(t)']);
  });

  test('characters that look like others, or like nothing', () => {
    const lookalikes = [
      'ｔ',
      '𝑡',
      'τ',
      'т',
      'ехр(-t)',
      '−t',
      '–t',
      't²',
      '½ - t',
      't\u200b',
      '\ufefft',
      't\u00a0',
      't\u0000',
    ];
    refused([...lookalikes, 't\t', '2×t', 't÷2', 'π*t', 'ℯ^t', '∞', 'max（0，t）', 't\u202e', '\u{1f600}']);
    expect(refusal('−t').message).toContain('"−" (U+2212)');
    expect(refusal('𝑡').message).toContain('(U+1D461)');
  });

  test('what is no expression at all', () => {
    refused(['', ' ', '(', ')', '()', 't+', '*t', 't)', '(t', '1..2', '2 3', 'max(', ',', '.', '1.2.3', 't t)']);
    for (const value of [undefined, null, 5, {}, ['t'], Symbol.iterator, { toString: () => 't' }, new String('t')]) {
      expect(refusal(value)).toBeInstanceOf(TypeError);
    }
  });

  test('numbers that are none, and towers of exponents', () => {
    refused([
      '1e999',
      '1e309*t',
      '-1e999',
      '9^9^9^9',
      '9^9^9^9*t',
      't^9^9',
      't^65',
      't^-65',
      't^1e300',
      '10^400',
      '0/0',
      '1/0',
      't/0',
    ]);
    refused([
      '0^t',
      '(-2)^t',
      '(1 - 1)^t',
      't^t',
      'e^t^t^t',
      '(t + 2)^(t + 2)',
      'log(0)',
      'log(-1)',
      'sqrt(-1)',
      'exp(1000)',
    ]);
    refused(['(-8)^(1/3)']);
  });

  test('what is too long, too large or too deep, before any work is done', () => {
    expect(refusal(' '.repeat(EXPRESSION_LENGTH + 1)).message).toBe(
      '"expression" expected at most 200 characters, got 201',
    );
    refused([
      't'.repeat(10_000_000),
      `${'('.repeat(100)}t`,
      `${'('.repeat(99)}t${')'.repeat(99)}`,
      `${'-'.repeat(199)}t`,
    ]);
    refused([`${'abs('.repeat(EXPRESSION_DEPTH)}(t)${')'.repeat(EXPRESSION_DEPTH)}`.slice(0, EXPRESSION_LENGTH)]);
    expect(refusal(`${'+'.repeat(EXPRESSION_DEPTH + 1)}t`).message).toContain('a nesting of at most 64');
    const long = Array(EXPRESSION_SIZE / 2 + 1)
      .fill('t')
      .join('+');
    expect(refusal(long).message).toContain('at most 100 numbers, names and operators');
  });

  test('derivatives of a size out of proportion', () => {
    refused([
      `${'t*'.repeat(49)}t`,
      `${'t/(2+'.repeat(18)}t${')'.repeat(18)}`,
      `${'exp('.repeat(38)}t${')'.repeat(38)}`,
    ]);
    refused([`${'log(1+exp('.repeat(15)}t${'))'.repeat(15)}`]);
  });
});

test('a refused expression leaves nothing behind', () => {
  const names = Object.getOwnPropertyNames(globalThis).length;
  refused(['t.constructor.prototype', 'f(x)=x', 't=5', '__proto__(t)', 'import({t: 5})']);
  expect(Object.getOwnPropertyNames(globalThis).length).toBe(names);
  expect(Object.keys(Object.prototype)).toEqual([]);
  // A name defined by one expression would be known to the next.
  refused(['f(t)', 'x']);
  expect(lossFromExpression('t').value(0.25)).toBe(0.25);
});

test('what an expression may look like in many ways is one and the same', () => {
  const values = [
    '2^-1*t',
    '.5t',
    '0.5 t',
    't/2',
    '(t)/(2)',
    '+t*5e-1',
    '- -t/2',
    '1/2 t',
    '((((t))))/2',
    '0x1*t/2',
    '0.5(t)',
  ];
  expect(values.map((text) => lossFromExpression(text).value(0.5))).toEqual(values.map(() => 0.25));
});

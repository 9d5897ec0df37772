import { describe, expect, test } from '@jest/globals';
import { prose } from '../../../../src/node/report/markup.ts';
import { withoutMath } from '../page-text.ts';

const E = '<mi>ε</mi> <mo>=</mo> ';

describe('formulas in sentences', () => {
  test.each([
    ['pure, ε = 0.5', `pure, <math>${E}<mn>0.5</mn></math>`],
    ['e^ε = 2.72', '<math><msup><mi>e</mi><mrow><mi>ε</mi></mrow></msup> <mo>=</mo> <mn>2.72</mn></math>'],
    ['0.1·i^−0.51', '<math><mn>0.1</mn><mo>·</mo><msup><mi>i</mi><mrow><mn>−0.51</mn></mrow></msup></math>'],
    ['i^−α', '<math><msup><mi>i</mi><mrow><mo>−</mo><mi>α</mi></mrow></msup></math>'],
    ['R^d', '<math><msup><mi>R</mi><mrow><mi>d</mi></mrow></msup></math>'],
    [
      'with (s_k²), so',
      'with <span class="whole">(<math><msup><msub><mi>s</mi><mrow><mi>k</mi></mrow></msub><mn>2</mn></msup></math>),</span> so',
    ],
    [
      'θ_{i−1} in I_x(a, b)',
      '<math><msub><mi>θ</mi><mrow><mi>i</mi><mn>−1</mn></mrow></msub></math> in <math><msub><mi>I</mi><mrow><mi>x</mi></mrow></msub></math>(a, b)',
    ],
    ['e^(ε₀)', '<math><msup><mi>e</mi><mrow><msub><mi>ε</mi><mn>0</mn></msub></mrow></msup></math>'],
    ['√2·μ', '<math><msqrt><mn>2</mn></msqrt><mo>·</mo><mi>μ</mi></math>'],
    ['τ₁₂', '<math><msub><mi>τ</mi><mn>12</mn></msub></math>'],
    ['6.4 × 10⁻⁹', '<math><mn>6.4</mn> <mo>×</mo> <msup><mn>10</mn><mn>−9</mn></msup></math>'],
  ])('are set: %s', (text, markup) => {
    expect(prose(text)).toBe(markup);
  });

  test.each([
    'Each of 3,000,000 players, 14 features, 57.6 %, in 2 of 3 runs',
    'the n players (Wang, Smith, Xu 2020, algorithm 1) at 12:30',
    'From 1 to 2, data-1e5x and e-mail, R_CELLS, x_label, sym^j, T_j2',
  ])('are not found where there are none: %s', (text) => {
    expect(prose(text)).toBe(text);
  });

  test('are set in markup of another kind, which stays as it is', () => {
    expect(prose('*a* & α', (text) => text)).toBe('*a* & <math><mi>α</mi></math>');
  });

  test('read as they were written, and everything else is escaped', () => {
    expect(withoutMath(prose('‖w‖ ≤ 1, δ = 1e-6 & <b>'))).toBe('‖w‖ ≤ 1, δ = 10^−6 &amp; &lt;b&gt;');
    expect(prose('<math>')).toBe('&lt;math&gt;');
  });
});

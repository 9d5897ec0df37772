/** The paper that the validations of this folder measure. */
export const PAPER =
  'Wang, Smith, Xu 2020, Noninteractive Locally Private Learning of Linear Models via Polynomial Approximations';

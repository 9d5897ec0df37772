/** The paper of the noninteractive protocols, which their validations measure. */
export const PAPER =
  'Wang, Smith, Xu 2020, Noninteractive Locally Private Learning of Linear Models via Polynomial Approximations';

import { digits, type ExperimentClaim } from 'ldpkit/testing';
import { generalizationBound, populationRiskBound, type StabilityNumbers } from '../bounds.ts';

const { abs, exp, log, max, min, sqrt } = Math;

/** Theorem 3 at a τ as it is printed, term by term; that of Theorem 2 is less by the excess empirical risk. */
function printedAt(tau: number, numbers: StabilityNumbers): number {
  const { excessRisk, leastRisk, records: n, lipschitz: g, smoothness: l, pl: mu } = numbers;
  const inner = ((8 * tau + mu) / (mu * tau)) * excessRisk + (16 * g ** 2) / (n ** 2 * mu ** 2);
  return (tau + l) * inner + (l / tau) * leastRisk;
}

/** The least over τ from e⁻³⁰ to e³⁰, by thirds of log τ, in which the expression is convex. */
function least(numbers: StabilityNumbers): number {
  let [below, above] = [-30, 30];
  for (let i = 0; i < 120; i++) {
    const third = (above - below) / 3;
    if (printedAt(exp(below + third), numbers) < printedAt(exp(above - third), numbers)) above -= third;
    else below += third;
  }
  return printedAt(exp((below + above) / 2), numbers);
}

/** With E L* = 1/n, m = k = ε = 1, and an excess empirical risk of n to the `power`. */
function numbersAt(records: number, power: number): StabilityNumbers {
  const excessRisk = records ** power;
  return { excessRisk, leastRisk: 1 / records, records, lipschitz: 1, smoothness: 1, pl: 1 };
}

/** The exponent of n between 10⁸ and 10⁹. */
function exponent(at: (records: number) => number): number {
  return log(at(1e9) / at(1e8)) / log(10);
}

/** A claim that exponents are those of the paper. */
function ratesClaim(what: string, power: number, taus: readonly Tau[]): ExperimentClaim {
  const found = [
    ...taus.map(({ tau }) => exponent((n) => printedAt(tau(n), numbersAt(n, power)))),
    exponent((n) => populationRiskBound(numbersAt(n, power))),
  ];
  const expected = [...taus.map(({ rate }) => rate), min(...taus.map(({ rate }) => rate))];
  return {
    asked: `${what} (algebra, n from 10⁸ to 10⁹, E L* = 1/n, an excess empirical risk of n to the ${digits(power)}): the bound falls like n to the ${expected.map((rate) => digits(rate)).join(', ')} (± .01)`,
    measured: found.map((value) => digits(value, 5)).join(', '),
    met: found.every((value, i) => abs(value - expected[i]) <= 0.01),
  };
}

interface Tau {
  readonly tau: (records: number) => number;
  readonly rate: number;
}

const ONE: Tau = { tau: () => 1, rate: -1 };
const ROOT: Tau = { tau: sqrt, rate: -1.5 };
// What is left there is 16G²τ/(nμ)²; printed as ε/(n√(km)), of the same order.
const WHOLE: Tau = { tau: (n) => n, rate: -1 };

/** What is said of the bounds themselves, at the numbers that were measured and for large n: no data. */
export function algebraClaims(measured: readonly StabilityNumbers[]): readonly ExperimentClaim[] {
  const off = measured.flatMap((numbers) => [
    abs(populationRiskBound(numbers) / least(numbers) - 1),
    abs(generalizationBound(numbers) / (least(numbers) - numbers.excessRisk) - 1),
  ]);
  return [
    {
      asked:
        'Theorems 2 and 3 (algebra): the bounds are the least of the printed expressions over τ, found by search, at the numbers of every row (1e-9)',
      measured: `off by ${digits(max(...off))} at most`,
      met: off.every((value) => value <= 1e-9),
    },
    ratesClaim('Remark 4, τ = 1, τ = √n and the best τ', -2, [ONE, ROOT]),
    ratesClaim('Theorem 7, its three rates at τ = 1, √n and n, and the best τ', -3, [ONE, ROOT, WHOLE]),
  ];
}

import type { NoisyFitRequest } from 'ldpkit/protocols/noisy-gradient-descent';
import { digits, type ExperimentClaim, type Reproduction } from 'ldpkit/testing';
import type { CentralAlgorithm, CentralPlan } from './algorithm.ts';
import { REGRESSION_MODEL } from './population.ts';

const { abs, max } = Math;

const SHARED = { model: REGRESSION_MODEL, force: true } as const;

/** Plans whose releases have to spend μ, no more and no less. */
const REQUESTS: readonly { readonly label: string; readonly request: NoisyFitRequest }[] = [
  { label: 'μ = 1, n = 500', request: { ...SHARED, mu: 1, records: 500 } },
  { label: 'μ = 1, n = 500, no regions', request: { ...SHARED, mu: 1, records: 500, regions: false } },
  { label: 'μ = .1, n = 10⁵, no regions', request: { ...SHARED, mu: 0.1, records: 100_000, regions: false } },
  { label: 'μ = 3, K = 1', request: { ...SHARED, mu: 3, records: 200, steps: 1 } },
  { label: 'μ = .5, K = 1000', request: { ...SHARED, mu: 0.5, records: 1000, steps: 1000 } },
];

interface Spent {
  readonly label: string;
  readonly mu: number;
  readonly spent: number;
  readonly releases: number;
}

function spentBy<Plan extends CentralPlan>({ plan, certificate }: CentralAlgorithm<Plan>): readonly Spent[] {
  return REQUESTS.map(({ label, request }) => {
    const { totals, releases } = certificate(plan(request));
    const total = totals.find(({ accounting }) => accounting === 'gdp')?.guarantee;
    const count = releases.reduce((sum, release) => sum + release.count, 0);
    return { label, mu: request.mu, spent: total?.kind === 'gdp' ? total.mu : Infinity, releases: count };
  });
}

/** The claim that the releases of every plan, each by its own noise and sensitivity, compose to μ but for rounding, and not above. */
export function compositionClaim<Plan extends CentralPlan>(algorithm: CentralAlgorithm<Plan>): ExperimentClaim {
  const all = spentBy(algorithm);
  const largest = max(...all.map(({ mu, spent }) => abs(spent / mu - 1)));
  return {
    asked: 'the releases of a plan compose to μ, within 1e-12, and never to more',
    measured: `off by at most ${digits(largest, 1)} in ${all.length} plans`,
    met: largest <= 1e-12 && all.every(({ mu, spent }) => spent <= mu),
  };
}

/** What plans spend. */
export function compositionTable<Plan extends CentralPlan>(algorithm: CentralAlgorithm<Plan>): Reproduction {
  return {
    title: `What plans of ${algorithm.name} spend`,
    columns: ['plan', 'releases', 'claimed μ', 'spent μ'],
    rows: spentBy(algorithm).map(({ label, mu, spent, releases }) => [
      label,
      String(releases),
      String(mu),
      spent.toFixed(12),
    ]),
    notes: ['Spent: the root of the sum over releases of (sensitivity/standard deviation)².'],
  };
}

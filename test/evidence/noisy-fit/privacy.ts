import { type Random, seededRandom } from 'ldpkit';
import type { NoisyFitRequest } from 'ldpkit/protocols/noisy-gradient-descent';
import { digits, type ExperimentClaim, plusMinus } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, Reproduction, TheoremValidation } from '../experiment/experiment.ts';
import type { CentralAlgorithm, CentralPlan } from './algorithm.ts';
import { REGRESSION_MODEL } from './population.ts';
import {
  type AttackCounts,
  addCounts,
  attack,
  attackClaim,
  attackFigure,
  deviationClaim,
  deviationOf,
  foundOutClaim,
  provenMu,
} from './threshold-attack.ts';

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
function compositionClaim<Plan extends CentralPlan>(algorithm: CentralAlgorithm<Plan>): ExperimentClaim {
  const all = spentBy(algorithm);
  const largest = max(...all.map(({ mu, spent }) => abs(spent / mu - 1)));
  return {
    asked: 'the releases of a plan compose to μ, within 1e-12, and never to more',
    measured: `off by at most ${digits(largest, 1)} in ${all.length} plans`,
    met: largest <= 1e-12 && all.every(({ mu, spent }) => spent <= mu),
  };
}

/** What plans spend. */
function compositionTable<Plan extends CentralPlan>(algorithm: CentralAlgorithm<Plan>): Reproduction {
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

/** Runs on each of two neighbouring data sets; the noise of what is attacked is divided by `divisor`, 1 but for a control. */
export type NoisyAttackSetting = {
  readonly release: string;
  readonly mu: number;
  readonly divisor: number;
  readonly runs: number;
};

/** An attack on one kind of release of an algorithm by somebody who knows all records but one. */
export interface NoisyAttack {
  readonly key: string;
  /** What is looked at: `the last iterate`. */
  readonly what: string;
  readonly mus: readonly number[];
  readonly runs: number;
  /** μ of what is attacked over μ of everything. */
  readonly share: number;
  /** Share of that μ that is proven at least. */
  readonly close: number;
  /** Too little noise, at the least μ. */
  readonly control: { readonly label: string; readonly divisor: number };
  /**
   * Makes the statistic of a run, which is larger for the first data set. It has standard deviation 1 if the noise is what it should be
   * by hand: nothing in that may come from the plan.
   */
  statistic(mu: number, divisor: number, random: Random): (first: boolean) => number;
}

/** Part 1 of the theorem of an algorithm: μ-GDP, by composition and by attacks on every kind of release. */
export function privacyValidation<Plan extends CentralPlan>(
  algorithm: CentralAlgorithm<Plan>,
  theorems: readonly string[],
  attacks: readonly NoisyAttack[],
): TheoremValidation<NoisyAttackSetting, AttackCounts> {
  const { name, key } = algorithm;
  return {
    paper: 'slides',
    theorems: [...theorems, `Theorem, ${name}, part 1`],
    name: `${key}-privacy`,
    title: `Privacy of ${name}`,
    source: `Slides of Avella-Medina (2023), theorem on ${name}, part 1`,
    summary:
      'Noise multipliers of plans are composed. Attacks know all records but one, which has one of two values as far apart as the ' +
      `sensitivity, and look at one kind of release each: ${attacks.map(({ what }) => what).join(', ')}. All other noise is taken away, ` +
      'so that each has to hide the record by itself, with its share of μ. Standard deviations are compared with those by hand. As ' +
      'controls the noise is taken without √K, or halved.',
    version: 2,
    cells: (scale) =>
      attacks.flatMap(({ key: release, what, mus, control, runs }) =>
        [...mus.map((mu) => ({ mu, divisor: 1 })), { mu: mus[0], divisor: control.divisor }].map(({ mu, divisor }) => ({
          key: `${release}-mu-${mu}${divisor === 1 ? '' : '-control'}`,
          label: divisor === 1 ? `${what}, μ = ${mu}` : `${what}, ${control.label}`,
          setting: { release, mu, divisor, runs },
          chunks: scale === 'full' ? 25 : 1,
        })),
      ),
    smallRun: (setting) => ({ ...setting, runs: 20 }),
    chunk(setting, chunk, seed) {
      const { release, mu, divisor, runs } = setting;
      const random = seededRandom(`${seed}/noisy attack/${key}/${release}/${mu}/${divisor}`).stream(chunk);
      return attack(runs, attackOf(attacks, setting).statistic(mu, divisor, random));
    },
    report: (results) => report(algorithm, attacks, results),
  };
}

function attackOf(attacks: readonly NoisyAttack[], { release }: NoisyAttackSetting): NoisyAttack {
  const found = attacks.find(({ key }) => key === release);
  if (found === undefined)
    throw new RangeError(`"release" expected one of ${attacks.map(({ key }) => key).join(', ')}`);
  return found;
}

function report<Plan extends CentralPlan>(
  algorithm: CentralAlgorithm<Plan>,
  attacks: readonly NoisyAttack[],
  results: readonly CellResult<NoisyAttackSetting, AttackCounts>[],
): ExperimentReport {
  const lines = results.map(({ cell, chunks }) => {
    const { share, close } = attackOf(attacks, cell.setting);
    return { ...cell, ...cell.setting, hidden: share * cell.setting.mu, close, counts: addCounts(chunks) };
  });
  const planned = lines.filter(({ divisor }) => divisor === 1);
  const controls = lines.filter(({ divisor }) => divisor !== 1);
  const [shown] = planned;
  return {
    claims: [
      compositionClaim(algorithm),
      ...planned.map(({ label, hidden, close, counts }) => attackClaim(label, hidden, close * hidden, counts)),
      ...attacks.map(({ key, what }) =>
        deviationClaim(
          `noise of ${what}`,
          addCounts(planned.filter(({ release }) => release === key).map(({ counts }) => counts)),
        ),
      ),
      ...controls.map(({ label, hidden, counts }) => foundOutClaim(label, hidden, counts)),
    ],
    tables: [
      compositionTable(algorithm),
      {
        title: 'What attacks prove',
        columns: ['setting', 'μ of all', 'μ of what is attacked', 'proven μ', 'noise over that by hand', 'runs'],
        rows: lines.map(({ label, mu, hidden, counts }) => [
          label,
          String(mu),
          digits(hidden),
          digits(provenMu(counts)),
          plusMinus(deviationOf(counts).mean, deviationOf(counts).error),
          String(2 * counts.runs),
        ]),
        notes: ['Bounds of both errors at 1 − 1e-4 each.'],
      },
    ],
    figures: [
      attackFigure(
        `${algorithm.key}-attack`,
        `Telling two values of one record apart by ${attacks[0].what}`,
        shown.hidden,
        [{ name: `measured, ${shown.label}`, counts: shown.counts }],
      ),
    ],
    data: lines.map(({ release, mu, divisor, hidden, counts }) => ({
      release,
      mu,
      divisor,
      hidden,
      ...counts,
      proven: provenMu(counts),
    })),
  };
}

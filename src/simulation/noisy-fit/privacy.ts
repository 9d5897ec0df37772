import type { Random } from '../../random/random.ts';
import { seededRandom } from '../../random/seeded.ts';
import type { CellResult, ExperimentReport } from '../paper-experiment.ts';
import { digits } from '../rate-fit.ts';
import type { TheoremValidation } from '../theorem-validation.ts';
import type { CentralAlgorithm, CentralPlan } from './algorithm.ts';
import { compositionClaim, compositionTable } from './composition.ts';
import {
  type AttackCounts,
  addCounts,
  attack,
  attackClaim,
  attackFigure,
  foundOutClaim,
  provenMu,
} from './threshold-attack.ts';

/** Runs on each of two neighbouring data sets; `forgotten` leaves √K out of the noise of gradients. */
export type NoisyAttackSetting = { readonly mu: number; readonly forgotten: boolean; readonly runs: number };

/** An attack on an algorithm by somebody who knows all records but one. */
export interface NoisyAttack {
  /** What the validation measures besides part 1 of the theorem. */
  readonly theorems: readonly string[];
  /** What is looked at: `the last iterate`. */
  readonly what: string;
  readonly runs: number;
  /** μ of what is attacked over μ of everything. */
  readonly share: number;
  /** Share of that μ that is proven at least. */
  readonly close: number;
  /** Makes the statistic of a run, which has standard deviation 1 and is larger for the first data set. */
  statistic(setting: NoisyAttackSetting, random: Random): (first: boolean) => number;
}

const MUS = [1, 2, 4];
const SHOWN = 1;

/** Part 1 of the theorem of an algorithm: μ-GDP, by composition and by attack. */
export function privacyValidation<Plan extends CentralPlan>(
  algorithm: CentralAlgorithm<Plan>,
  given: NoisyAttack,
): TheoremValidation<NoisyAttackSetting, AttackCounts> {
  const { name, key } = algorithm;
  const { what, theorems, runs } = given;
  return {
    paper: 'slides',
    theorems: [...theorems, `Theorem, ${name}, part 1`],
    name: `${key}-privacy`,
    title: `Privacy of ${name}`,
    source: `Slides of Avella-Medina (2023), theorem on ${name}, part 1`,
    summary:
      'Noise multipliers of plans are composed. An attack knows all records but one, which has one of two values, and looks at ' +
      `${what}: scores of those values are 2B apart in every step. As a control the noise of gradients is taken without √K.`,
    version: 1,
    cells: (scale) =>
      [...MUS.map((mu) => ({ mu, forgotten: false })), { mu: SHOWN, forgotten: true }].map(({ mu, forgotten }) => ({
        key: `mu-${mu}${forgotten ? '-forgotten' : ''}`,
        label: forgotten ? 'noise without √K' : `μ = ${mu}`,
        setting: { mu, forgotten, runs },
        parts: scale === 'full' ? 25 : 1,
      })),
    probe: (setting) => ({ ...setting, runs: 20 }),
    part(setting, part, seed) {
      const { mu, forgotten } = setting;
      const random = seededRandom(`${seed}/noisy attack/${key}/${mu}/${forgotten}`).stream(part);
      return attack(setting.runs, given.statistic(setting, random));
    },
    report: (results) => report(algorithm, given, results),
  };
}

function report<Plan extends CentralPlan>(
  algorithm: CentralAlgorithm<Plan>,
  { what, share, close }: NoisyAttack,
  results: readonly CellResult<NoisyAttackSetting, AttackCounts>[],
): ExperimentReport {
  const lines = results.map(({ cell, parts }) => ({ cell, ...cell.setting, counts: addCounts(parts) }));
  const shown = lines.filter(({ mu, forgotten }) => mu === SHOWN && !forgotten);
  return {
    claims: [
      compositionClaim(algorithm),
      ...lines.map(({ cell, mu, forgotten, counts }) =>
        forgotten ? foundOutClaim(cell.label, mu, counts) : attackClaim(cell.label, mu, close * share * mu, counts),
      ),
    ],
    tables: [
      compositionTable(algorithm),
      {
        title: `What an attack on ${what} proves`,
        columns: ['setting', 'claimed μ', 'μ of what is attacked', 'proven μ', 'runs'],
        rows: lines.map(({ cell, mu, counts }) => [
          cell.label,
          String(mu),
          digits(share * mu),
          digits(provenMu(counts)),
          String(2 * counts.runs),
        ]),
        notes: ['Bounds of both errors at 1 − 1e-4 each.'],
      },
    ],
    figures: [
      attackFigure(
        `${algorithm.key}-attack`,
        `Telling two values of one record apart by ${what}`,
        SHOWN,
        shown.map(({ counts }) => ({ name: `measured, μ = ${SHOWN}`, counts })),
      ),
    ],
    data: lines.map(({ mu, forgotten, counts }) => ({ mu, forgotten, ...counts, proven: provenMu(counts) })),
  };
}

import type { TheoremValidation } from '../../../src/simulation/theorem-validation.ts';
import {
  type AuditedLine,
  type AuditedPart,
  type AuditedSetting,
  auditedCells,
  auditedPart,
  auditedProbe,
} from './audited.ts';
import { auditedReport } from './audited-report.ts';

const EPSILONS = [0.5, 1, 2, 4];
const BASE = { players: 2000, samples: 25, domain: 'ball' } as const;

const LINES: readonly AuditedLine[] = [
  {
    ...{ key: 'rotated', label: 'one rotated coordinate, d = 16', trials: 0 },
    request: { ...BASE, maker: 'vector', dimension: 16, form: 'sign' },
  },
  {
    ...{ key: 'unit', label: 'residual as a unit vector, d = 4', trials: 8000 },
    request: { ...BASE, maker: 'vector', dimension: 4, form: 'unit', rounds: 3 },
  },
  {
    ...{ key: 'split', label: 'all coordinates, split budget, d = 3', trials: 0 },
    request: { ...BASE, maker: 'coordinates', dimension: 3, rounds: 3 },
  },
];

/** One player of the rotated estimator keeps ε, and spends all of it. */
export const multivariatePrivacyValidation: TheoremValidation<AuditedSetting, AuditedPart> = {
  name: 'user-level-multivariate-privacy',
  title: 'Privacy of the user-level mean in several dimensions',
  paper: 'slides',
  theorems: ['Theorem, multivariate case, privacy'],
  source:
    'Avella-Medina 2023 (slides), theorem of the multivariate case: the rotated estimator is user-level (ε, δ)-LDP',
  summary:
    'Whole transcripts of one player, enumerated where they are bits, for opposite data in the ball; residuals by an attack that learns its ' +
    'score. All three schemes are pure: δ = 0. The slides’ own coordinate-wise two rounds are not offered in several dimensions.',
  version: 1,
  cells: (scale) => auditedCells(LINES, EPSILONS, scale === 'full' ? 30 : 1),
  probe: auditedProbe,
  part: auditedPart,
  report: (results) =>
    auditedReport(
      {
        name: 'user-level-multivariate-privacy',
        title: 'Privacy of one player over all rounds, in several dimensions',
        notes: ['Enumerated transcripts are exact; an attack on unit vectors finds little of what they may spend.'],
      },
      LINES,
      {
        rotated: { certified: 0.999, found: 0.999 },
        unit: { certified: 0.99, found: 0 },
        split: { certified: 0.999, found: 0.999 },
      },
      results,
    ),
};

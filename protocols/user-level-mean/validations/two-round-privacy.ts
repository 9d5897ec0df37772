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

const DELTA = 0.01;
const EPSILONS = [1, 2, 4];
const BASE = { players: 2000, samples: 100 } as const;

const LINES: readonly AuditedLine[] = [
  {
    ...{ key: 'printed', label: 'as printed', trials: 80_000 },
    request: { ...BASE, maker: 'printed', delta: DELTA },
  },
  {
    ...{ key: 'gaussian', label: 'pair of bins, one budget for the same players', trials: 80_000 },
    request: { ...BASE, maker: 'twoRound', delta: DELTA, samePlayers: true },
  },
  {
    ...{ key: 'pure', label: 'pair of bins and one bit, same players, pure', trials: 0 },
    request: { ...BASE, samples: 20, maker: 'twoRound', samePlayers: true },
  },
  { key: 'one-bit', label: 'one bit, fresh players', trials: 0, request: { ...BASE, maker: 'oneBit' } },
];

/** Two rounds together keep (ε, δ), the printed ones with most of it unspent. */
export const twoRoundPrivacyValidation: TheoremValidation<AuditedSetting, AuditedPart> = {
  name: 'user-level-two-round-privacy',
  title: 'Privacy of the two-round user-level estimator',
  paper: 'slides',
  theorems: [
    'Theorem, two-round estimator, privacy',
    'Algorithm, round 2, noise',
    'User-level privacy, user-level LDP',
  ],
  source: 'Avella-Medina 2023 (slides), theorem on the two-round estimator: it is user-level (ε, δ)-LDP',
  summary:
    'Whole transcripts of one player over both rounds, attacked by the exact likelihood ratio of the worst of several pairs of data, and ' +
    `enumerated where they are finite; beside them what certificates say. δ = ${DELTA} for the schemes that have one, where attacks see ` +
    'something.',
  version: 1,
  cells: (scale) => auditedCells(LINES, EPSILONS, scale === 'full' ? 30 : 1),
  probe: auditedProbe,
  part: auditedPart,
  report: (results) =>
    auditedReport(
      {
        name: 'user-level-two-round-privacy',
        title: `Privacy of one player over both rounds, δ = ${DELTA}`,
        notes: [
          'Of two releases one attack sees both. The certificate is the least total of all accountings; the schemes without δ are pure.',
        ],
      },
      LINES,
      {
        printed: { certified: 0.01, found: 0 },
        gaussian: { certified: 0.85, found: 0.3 },
        pure: { certified: 0.999, found: 0.999 },
        'one-bit': { certified: 0.999, found: 0.999 },
      },
      results,
    ),
};

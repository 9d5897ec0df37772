import type { Json } from '../core/digest.ts';
import type { PaperExperiment } from './paper-experiment.ts';

/** The papers whose theorems are validated, by the keys of `npm run validate -- --only`; docs/theory.md maps every one of them. */
export const PAPERS = ['noninteractive', 'slides', 'online-inference', 'online-rates', 'influence'] as const;

/** One of {@link PAPERS}. */
export type Paper = (typeof PAPERS)[number];

/** What the papers are called. */
export const PAPER_TITLES: Readonly<Record<Paper, string>> = {
  noninteractive: 'Wang, Smith, Xu 2020: noninteractive local privacy by polynomial approximation',
  slides: 'Avella-Medina 2023 (slides): M-estimation, noisy optimization and user-level local privacy',
  'online-inference':
    'Xie, Shi, Jiang, Kong, He 2025: online differentially private inference in stochastic gradient descent',
  'online-rates': 'Shi, Xie, Jiang, Kong, He 2025: non-asymptotic analysis of online local private learning with SGD',
  influence: 'Kang, Li, Liu, Wang: data heterogeneity differential privacy (PIDP-SGD)',
};

/**
 * A theorem measured against what it claims: an experiment whose claims are those of the theorem, with at least one figure that
 * draws what was measured beside what is claimed. The quick scale takes seconds and runs with the tests.
 */
export interface TheoremValidation<Setting extends Json = Json, Part extends Json = Json>
  extends PaperExperiment<Setting, Part> {
  readonly paper: Paper;
  /** The items that it measures, by their names in docs/theory.md, for example `Theorem 11`. At least one. */
  readonly theorems: readonly string[];
}

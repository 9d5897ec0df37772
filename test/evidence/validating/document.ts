import type { CellsEffort, ExperimentResult } from '../engine/cells.ts';
import type { DocumentOrigin, ExperimentEffort } from '../engine/experiment-run.ts';
import { PAPER_TITLES, PAPERS, type Paper } from '../experiment/experiment.ts';

/** A validation and what came of it. */
export interface ValidationRecord extends ExperimentResult {
  readonly paper: Paper;
  /** The items that it measures, as `npm run theory` calls them. */
  readonly theorems: readonly string[];
  readonly effort: CellsEffort;
}

/** How many of all claims are met, and how many are open: too little was computed to decide them. The others are missed. */
export interface ClaimCount {
  readonly met: number;
  readonly open: number;
  readonly all: number;
}

/** Several validations, what came of them and what made them, as plain data. */
export interface ValidationDocument extends DocumentOrigin {
  readonly claims: ClaimCount;
  /** In the order of the papers. */
  readonly validations: readonly ValidationRecord[];
  readonly effort: ExperimentEffort;
}

/** The validations of one paper. */
export interface PaperValidations<Validation> {
  readonly paper: Paper;
  readonly title: string;
  readonly validations: readonly Validation[];
}

/** Validations by paper, in the order of {@link PAPERS}; papers without any are left out. */
export function byPaper<Validation extends { readonly paper: Paper }>(
  validations: readonly Validation[],
): readonly PaperValidations<Validation>[] {
  return PAPERS.map((paper) => ({
    paper,
    title: PAPER_TITLES[paper],
    validations: validations.filter((one) => one.paper === paper),
  })).filter((group) => group.validations.length > 0);
}

/** Whether a claim was decided, and is not met. */
export function isMissed({ met, undecided }: ExperimentResult['claims'][number]): boolean {
  return !met && undecided !== true;
}

/** How many claims are met. */
export function countClaims(results: readonly Pick<ExperimentResult, 'claims'>[]): ClaimCount {
  const claims = results.flatMap((one) => one.claims);
  const open = claims.filter(({ undecided }) => undecided === true).length;
  return { met: claims.filter(({ met }) => met).length, open, all: claims.length };
}

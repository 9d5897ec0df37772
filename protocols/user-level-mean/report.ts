import type { Wire } from '../../src/core/contract.ts';
import type { UserLevelMeanRound } from './parameters.ts';
import { isVector } from './scalar/kind.ts';
import { scalarReport } from './scalar/report.ts';
import type { UserLevelReport } from './scalar/types.ts';
import { vectorReport } from './vector/report.ts';

export type { UserLevelReport };

/** The wire of a round: see the frame in src/core. */
export const report: Wire<UserLevelMeanRound, UserLevelReport> = {
  encode: (round, sent) => (isVector(round) ? vectorReport.encode(round, sent) : scalarReport.encode(round, sent)),
  decode: (round, bytes) => (isVector(round) ? vectorReport.decode(round, bytes) : scalarReport.decode(round, bytes)),
};

/** The report as bytes. */
export const encode: Wire<UserLevelMeanRound, UserLevelReport>['encode'] = report.encode;

/**
 * The report in the bytes.
 *
 * @throws ReportError for anything that players of this round cannot have produced: a report of another round or plan, too.
 */
export const decode: Wire<UserLevelMeanRound, UserLevelReport>['decode'] = report.decode;

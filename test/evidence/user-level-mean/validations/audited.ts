import { digestOf, type Json, seededRandom } from 'ldpkit';
import { audit, transcriptTarget } from 'ldpkit/audit';
import { normal } from 'ldpkit/mechanism';
import { readAt } from 'ldpkit/privacy';
import { type UserLevelMeanRequest, userLevelMean, userLevelMeanPlan } from 'ldpkit/protocols/user-level-mean';
import { conduct } from 'ldpkit/simulate';
import { digits } from 'ldpkit/testing';
import type { CellResult, ExperimentCell } from '../../experiment/experiment.ts';

const { max, min, sqrt } = Math;

/** Every bound of an audit is below the truth with this probability. */
export const CONFIDENCE = 0.99999;

/** A plan whose transcripts are attacked. */
export interface AuditedSetting {
  readonly [name: string]: Json;
  readonly request: { readonly [name: string]: Json };
  /** Transcripts to draw; 0 where all of them are enumerated. */
  readonly trials: number;
}

/** What is claimed, certified and found of one player's whole transcript, as ε at the plan's δ (0 for pure claims). */
export interface AuditedPart {
  readonly [name: string]: Json;
  readonly claimed: number;
  readonly certified: number;
  /** What the attack proves, with the confidence {@link CONFIDENCE}; with trials 0 exactly. */
  readonly found: number;
}

/** One attack: rounds are played with few players, then the transcript of another one is audited. */
export function auditedChunk(setting: AuditedSetting, chunk: number, seed: string): AuditedPart {
  const { request, trials } = setting;
  const plan = userLevelMeanPlan(request as unknown as UserLevelMeanRequest);
  const key = `${seed} ${digestOf(setting)} ${chunk}`;
  const { finished } = conduct(userLevelMean, plan, populationOf(plan, key), { seed: key });
  const target = transcriptTarget(
    userLevelMean,
    plan,
    finished.map(({ round }) => round),
  );
  const random = seededRandom(`${key} audit`);
  // Noise of a simulation is of real numbers: its last bits are not for deployment.
  const { lowerBound } = audit(target, { trials, random, confidence: CONFIDENCE, twoReports: false, lastBits: false });
  const { claimed } = userLevelMean.theory.certificate(plan);
  if (claimed === undefined || !('epsilon' in claimed))
    throw new RangeError('"request" expected a variant that claims an ε');
  return {
    claimed: claimed.epsilon,
    certified: certifiedEpsilon(plan),
    found: lowerBound,
  };
}

function populationOf({ players, dimension, bound }: ReturnType<typeof userLevelMeanPlan>, key: string) {
  const random = seededRandom(`${key} data`);
  const samples = new Float64Array(dimension);
  // Inside the box and the ball.
  const limit = bound / sqrt(dimension);
  const datum = { samples };
  return {
    players,
    datum(i: number) {
      random.seek(i);
      for (let j = 0; j < dimension; j++) samples[j] = limit * max(-1, min(1, 0.3 + 0.05 * normal(random)));
      return datum;
    },
  };
}

/** The least ε that any accounting of the certificate gives at the plan's δ, or as a pure guarantee without one. */
function certifiedEpsilon(plan: ReturnType<typeof userLevelMeanPlan>): number {
  const { claimed, totals } = userLevelMean.theory.certificate(plan);
  const delta = claimed?.kind === 'approximate' ? claimed.delta : 0;
  const found = totals.map(({ guarantee }) => {
    if (delta > 0) return readAt(guarantee, delta)?.epsilon ?? Infinity;
    return guarantee.kind === 'pure' ? guarantee.epsilon : Infinity;
  });
  return min(...found);
}

/** Requests at several ε, of which transcripts are attacked. */
export interface AuditedLine {
  readonly key: string;
  readonly label: string;
  readonly request: { readonly [name: string]: Json };
  /** Transcripts to draw at the quick scale; 0 where they are enumerated. */
  readonly trials: number;
}

/** A cell for each line and ε. */
export function auditedCells(
  lines: readonly AuditedLine[],
  epsilons: readonly number[],
  times: number,
): readonly ExperimentCell<AuditedSetting>[] {
  return lines.flatMap(({ key, label, request, trials }) =>
    epsilons.map((epsilon, i) => ({
      key: `${key}-${i}`,
      label: `${label}, ε = ${epsilon}`,
      setting: { request: { ...request, epsilon }, trials: trials * times },
      chunks: 1,
    })),
  );
}

/** What was found on a line, ε by ε. */
export function auditedLine(
  { key }: AuditedLine,
  results: readonly CellResult<AuditedSetting, AuditedPart>[],
): readonly AuditedPart[] {
  return results.filter(({ cell }) => cell.key.replace(/-\d+$/, '') === key).map(({ chunks }) => chunks[0]);
}

/** The same attack, over in milliseconds. */
export function auditedSmallRun(setting: AuditedSetting): AuditedSetting {
  return { request: { ...setting.request, players: 400 }, trials: min(2000, setting.trials) };
}

/** Rows of a table. */
export function auditedRows({ label }: AuditedLine, chunks: readonly AuditedPart[]): readonly (readonly string[])[] {
  return chunks.map(({ claimed, certified, found }) => [
    label,
    digits(claimed),
    digits(certified, 4),
    digits(found, 4),
  ]);
}

/** The heads of {@link auditedRows}. */
export const AUDITED_COLUMNS: readonly string[] = ['scheme', 'ε claimed', 'ε certified', 'ε proved by the attack'];

import { digestOf, type Json, seededRandom } from 'ldpkit';
import { audit, transcriptTarget } from 'ldpkit/audit';
import { normal } from 'ldpkit/mechanism';
import { readAt } from 'ldpkit/privacy';
import { type UserLevelMeanRequest, userLevelMean, userLevelMeanPlan } from 'ldpkit/protocols/user-level-mean';
import { conduct } from 'ldpkit/simulate';
import { digits, type ExperimentClaim } from 'ldpkit/testing';
import type { CellResult, ExperimentCell, ExperimentReport } from '../../experiment/experiment.ts';
import { type CurveFigure, claimedCurve } from '../../experiment/figure.ts';

const { max, min, sqrt } = Math;

/** A sum of exact probabilities is rounded. */
const ROUNDING = 1 + 1e-9;

/** What is said of lines of attacks. */
export interface AuditedTitle {
  readonly name: string;
  readonly title: string;
  readonly notes: readonly string[];
}

/** Lines whose transcripts are enumerated spend all of ε; of the others the least share that is certified and found. */
export interface AuditedShares {
  readonly certified: number;
  /** At every ε, or at each. */
  readonly found: number | readonly number[];
}

/** Attacks against certificates against claims, for schemes that keep what they promise. Lines without shares are for the caller. */
export function auditedReport(
  { name, title, notes }: AuditedTitle,
  lines: readonly AuditedLine[],
  shares: Readonly<Record<string, AuditedShares>>,
  results: readonly CellResult<AuditedSetting, AuditedPart>[],
): ExperimentReport {
  const chunks = lines.map((line) => auditedLine(line, results));
  const all = chunks.flat();
  const largest = (ratio: (chunk: AuditedPart) => number): number => max(...all.map(ratio));
  return {
    claims: [
      {
        // Certificates are computed: no chance is in them.
        asked: 'every total of a certificate is at most the ε that is claimed',
        measured: `at most ${digits(largest(({ certified, claimed }) => certified / claimed))}·ε`,
        met: all.every(({ certified, claimed }) => certified <= claimed * ROUNDING),
      },
      {
        // Each bound is above the truth with probability 1e-5.
        asked: `no attack proves more than is certified, at confidence ${digits(CONFIDENCE, 6)} each`,
        measured: `at most ${digits(largest(({ found, certified }) => found / certified))} of it`,
        met: all.every(({ found, certified }) => found <= certified * ROUNDING),
      },
      ...lines.flatMap((line, i) => (line.key in shares ? [sharesClaim(line, chunks[i], shares[line.key])] : [])),
    ],
    tables: [
      { title, columns: AUDITED_COLUMNS, rows: lines.flatMap((line, i) => auditedRows(line, chunks[i])), notes },
    ],
    figures: [figureOf(name, title, lines, chunks)],
    data: lines.map(({ key }, i) => ({ line: key, chunks: chunks[i] })),
  };
}

/** How much of the claim is certified to be spent, and how much of that an attack finds. */
function sharesClaim({ label }: AuditedLine, chunks: readonly AuditedPart[], least: AuditedShares): ExperimentClaim {
  const certified = min(...chunks.map((chunk) => chunk.certified / chunk.claimed));
  const found = chunks.map((chunk) => chunk.found / chunk.certified);
  const { found: asked } = least;
  const limits = chunks.map((_, i) => (typeof asked === 'number' ? asked : asked[i]));
  const said =
    typeof asked === 'number'
      ? digits(asked)
      : chunks.map(({ claimed }, i) => `${digits(asked[i])} at ε = ${claimed}`).join(', ');
  return {
    asked: `${label}: certified at least ${digits(least.certified)}·ε, of which an attack finds at least ${said}`,
    measured: `${digits(certified)}·ε, ${found.map((share) => digits(share)).join(', ')} of it`,
    met: certified >= least.certified && found.every((share, i) => share >= limits[i]),
  };
}

function figureOf(
  name: string,
  title: string,
  lines: readonly AuditedLine[],
  chunks: readonly (readonly AuditedPart[])[],
): CurveFigure {
  const epsilons = chunks[0].map(({ claimed }) => claimed);
  return {
    ...{ kind: 'curves', name, title },
    x: { label: 'ε claimed', logarithmic: true },
    y: { label: 'ε', logarithmic: true },
    curves: [
      ...lines.map(({ label }, i) => ({
        ...{ name: `attack, ${label}`, style: i, dashed: false },
        // The axis is logarithmic: an attack that finds nothing is drawn at a hundredth.
        points: chunks[i].map(({ claimed, found }) => ({ x: claimed, y: max(0.01 * claimed, found) })),
      })),
      ...lines.map(({ label }, i) => ({
        ...{ name: `certified, ${label}`, style: i, dashed: true },
        points: chunks[i].map(({ claimed, certified }) => ({ x: claimed, y: certified })),
      })),
      claimedCurve('claimed', lines.length, epsilons, (epsilon) => epsilon),
    ],
    levels: [],
  };
}

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

import { digits, type ExperimentClaim } from 'ldpkit/testing';
import type { CellResult, ExperimentReport } from '../../experiment/experiment.ts';
import { type CurveFigure, claimedCurve } from '../../experiment/figure.ts';
import {
  AUDITED_COLUMNS,
  type AuditedLine,
  type AuditedPart,
  type AuditedSetting,
  auditedLine,
  auditedRows,
  CONFIDENCE,
} from './audited.ts';

const { max, min } = Math;

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
    data: lines.map(({ key }, i) => ({ line: key, chunks: chunks[i].map((chunk) => ({ ...chunk })) })),
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

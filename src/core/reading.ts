import { checkInteger } from '../check/number.ts';
import { ReportError } from '../check/report-error.ts';
import type { PublicParameters, Server, Wire } from './contract.ts';
import type { Counts, Read, Refused } from './door.ts';
import { type Marks, markOf } from './marks.ts';
import { receivedBytes } from './received.ts';

/** What became of a report. Only `counted` changed the tally. */
export type Receipt =
  | {
      /**
       * `counted`: it is in the tally. `replay`: the same bytes have been counted before. `full`: as many players as were expected
       * have been counted.
       */
      readonly outcome: 'counted' | 'replay' | 'full';
    }
  | Refused;

/** How many reports met which end. */
export type CollectorCounts = { readonly [outcome in Receipt['outcome']]: number };

/** How a collector is asked to be. */
export interface CollectorOptions {
  /** Reports that are counted at most: those of later players are received and not counted. Default: no limit. */
  readonly maximumPlayers?: number;
  /**
   * Whether to count the same bytes once only, whoever sends them. It stops retries, not an adversary, who can change a bit; and
   * two honest reports that happen to be equal count once: right only where a report has far more values than there are players.
   * Default: false.
   */
  readonly refuseReplays?: boolean;
}

/** What of a protocol a collector needs: any with a wire and a tally, in one round or in many. */
export interface Collectable<Parameters extends PublicParameters, Report, Tally> {
  /** The protocol's folder name. */
  readonly name: string;
  /** The wire format; only `decode` is used. */
  readonly report: Pick<Wire<Parameters, Report>, 'decode'>;
  /** The tally; there is no estimate here. */
  readonly server: Pick<Server<Parameters, Report, Tally, unknown, unknown>, 'empty' | 'add' | 'merge'>;
}

/** How many reports are counted at most. */
export function largestCount({ maximumPlayers }: CollectorOptions): number {
  return maximumPlayers === undefined ? Infinity : checkInteger('maximumPlayers', maximumPlayers, 1);
}

/** The sum of these counts. */
export function countsOf(all: readonly CollectorCounts[]): Counts<Receipt> {
  const sum = { counted: 0, duplicate: 0, replay: 0, full: 0, refused: 0 };
  for (const counts of all) for (const end of Object.keys(sum) as Receipt['outcome'][]) sum[end] += counts[end];
  return sum;
}

/** Whether the bytes are a report of these parameters. */
export function reads<Parameters>(
  wire: Pick<Wire<Parameters, unknown>, 'decode'>,
  parameters: Parameters,
  bytes: Uint8Array,
): boolean {
  try {
    wire.decode(parameters, bytes);
    return true;
  } catch (error) {
    if (error instanceof ReportError) return false;
    throw error;
  }
}

/** Reads reports of these parameters into a tally; `replays` has what was counted, where the same bytes count once. */
export function readInto<Parameters extends PublicParameters, Report, Tally>(
  { report: wire, server }: Collectable<Parameters, Report, Tally>,
  parameters: Parameters,
  tally: Tally,
  replays: Marks | undefined,
): Read<Receipt> {
  return (bytes) => {
    // A copy, so that bytes in memory shared with another thread cannot be one report here and another there.
    const received = replays === undefined ? bytes : receivedBytes(bytes).slice();
    const report = wire.decode(parameters, received);
    const mark = replays === undefined ? undefined : markOf(received);
    if (mark !== undefined && replays?.has(mark)) return { outcome: 'replay' };
    return () => {
      server.add(parameters, tally, report);
      if (mark !== undefined) replays?.add(mark);
      return { outcome: 'counted' };
    };
  };
}

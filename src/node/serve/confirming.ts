import { setTimeout as pause } from 'node:timers/promises';
import { counted } from '../print.ts';
import { type ClusterLog, found, nameOf } from './cluster-log.ts';
import type { Journal, Journaled, Receipted } from './journal.ts';

export interface ConfirmingOptions {
  /** How often the leaders of partitions are asked for, in ms. Default: 1000. */
  readonly every?: number;
  /** Whether the report of a sequence is counted there. Default: every one is. */
  readonly isCounted?: (sequence: number) => Promise<boolean>;
  readonly tell: (text: string) => void;
}

export interface Confirming {
  /** The number of reports with a receipt that were not seen yet where a server leads anew; 0 if nothing is lost. */
  readonly unconfirmed: number;
  /** How often another server has led a partition, or none, as far as is known: to be read before reports are offered. */
  readonly changes: number;
  /** Keeps reports that have been accepted, before their receipts; `since` are the changes before they were offered. */
  keep(reports: readonly Receipted[], since: number): Promise<void>;
  stop(): Promise<void>;
}

/** Leaders are asked for so often, in ms: a new one is elected after 4 s at the earliest, so that none is missed. */
const EVERY = 1000;
/** Reports of a partition that are looked for together in its stream. */
const GROUP = 20_000;
/** Reports that are asked for together. */
const TOGETHER = 500;
/** A stream is read where so many reports are looked for, and no more than so many entries for each: asking for one costs as much as reading ten. */
const [LEAST, MOST_FOR_ONE] = [200, 8];
/** Where servers have lost a few reports, what came after them stands a little before its place. */
const SHIFT = 1000;

/** What is known of a partition. */
const placeOf = (partition: number) => ({
  partition,
  /** The server that led it when it was asked last; undefined where that is not known. */
  leader: undefined as string | undefined,
  /** Whether that server had led it a moment before: else it may still be reading its log. */
  steady: false,
  /** The leader that has everything; undefined where that is not known. */
  confirmed: undefined as string | undefined,
  /** Whether the journal may have reports that were accepted by a leader before the present one, and not looked for since. */
  behind: true,
  /** The number of reports that cannot be counted any more. */
  lost: 0,
  told: undefined as string | undefined,
});
type Place = ReturnType<typeof placeOf>;

/** What is found of a partition, beginning with the server that leads it and the sequence of its last entry. */
const nothingFound = (place: Place, leader: string, last: number) => ({
  ...{ place, leader, last, uncounted: 0, again: 0, others: 0 },
  failed: undefined as unknown,
});
type Findings = ReturnType<typeof nothingFound>;

/**
 * Holds a journal against a cluster: at the start, and whenever another server leads a partition, or the same one after a while
 * without. Its stream is then read beside the journal, and what does not stand about where it stood is asked for. What is
 * missing is offered again, under the same condition as ever: so it is counted once, whoever else offers it.
 *
 * Law: a report with a receipt of this journal is in its partition, unless `unconfirmed` is above 0, or the server that leads
 * was replaced in the last moments (`every`, and what an answer takes).
 */
export function confirm(log: ClusterLog, journal: Journal, options: ConfirmingOptions): Confirming {
  const { every = EVERY, tell, isCounted } = options;
  const ending = new AbortController();
  const { signal } = ending;
  const places = Array.from({ length: log.partitions }, (_, partition) => placeOf(partition));
  let changes = 0;

  const rest = (): Promise<unknown> => pause(every, undefined, { signal, ref: false }).catch(() => undefined);

  function failed(place: Place, error: unknown): void {
    const { message } = error as Error;
    if (message !== place.told) tell(`partition ${place.partition}: ${message}`);
    place.told = message;
  }

  /** A report that stands in the stream: whether it is the one of the journal, and is counted. */
  async function note(findings: Findings, { bytes }: Journaled, there: Uint8Array, sequence: number): Promise<void> {
    if (Buffer.compare(there, bytes) !== 0) findings.others++;
    if (isCounted !== undefined && !(await isCounted(sequence))) findings.uncounted++;
  }

  /** Asks for a report, and offers it again where it is missing. */
  async function ask(findings: Findings, one: Journaled): Promise<void> {
    const there = await log.find(one.mark);
    const written = there === undefined ? await log.restore(one) : undefined;
    const { sequence, bytes } =
      there ?? (written === undefined ? await found(log, one) : { sequence: written, bytes: one.bytes });
    if (there === undefined) findings.again++;
    await note(findings, one, bytes, sequence);
  }

  /** Reads the stream about where these reports stood: those that were not met. */
  async function readFor(findings: Findings, reports: readonly Journaled[]): Promise<Iterable<Journaled>> {
    let [first, end] = [Infinity, 0];
    for (const { sequence } of reports) {
      first = Math.min(first, sequence);
      end = Math.max(end, sequence);
    }
    const after = Math.max(0, first - 1 - SHIFT);
    end = Math.min(end, findings.last);
    if (reports.length < LEAST || end - after > MOST_FOR_ONE * reports.length) return reports;
    const wanted = new Map(reports.map((one) => [nameOf(one.mark), one]));
    const { leader, place } = findings;
    let read = after;
    if (read < end) {
      for await (const entry of log.entries(place.partition, after, signal, leader)) {
        read = entry.sequence;
        const one = wanted.get(entry.name);
        if (one !== undefined && entry.kind === 'report' && wanted.delete(entry.name)) {
          await note(findings, one, entry.bytes, read);
        }
        if (read >= end) break;
      }
    }
    if (read < end && !signal.aborted) throw new Error('the stream was not read to its end');
    return wanted.values();
  }

  async function look(findings: Findings, reports: readonly Journaled[]): Promise<void> {
    const left = Array.from(await readFor(findings, reports));
    for (let at = 0; at < left.length && !signal.aborted; at += TOGETHER) {
      await Promise.all(left.slice(at, at + TOGETHER).map((one) => ask(findings, one)));
    }
  }

  /** Says what was found of a partition; where all went well, it is confirmed. */
  function conclude({ place, leader, uncounted, again, others, failed: failure }: Findings): void {
    const about = `partition ${place.partition}:`;
    if (again > 0) tell(`${about} missing, and offered again: ${counted(again, 'report')} with a receipt`);
    if (failure !== undefined) {
      failed(place, failure);
      return;
    }
    if (others > 0) tell(`${about} there with another report of theirs: ${counted(others, 'player')}`);
    if (uncounted > place.lost) {
      tell(`${about} lost, since the round or step is over: ${counted(uncounted, 'report')} with a receipt`);
    }
    place.lost = uncounted;
    if (!place.behind) place.confirmed = leader;
  }

  /** Looks for all reports of these partitions, in one reading of the journal. */
  async function lookForAll(due: readonly Place[]): Promise<void> {
    const all = new Map<number, Findings>();
    for (const place of due) {
      place.behind = false;
      const { partition, leader = '' } = place;
      await log.last(partition).then(
        (last) => void all.set(partition, nothingFound(place, leader, last)),
        (error: unknown) => failed(place, error),
      );
    }
    for await (const { partition, reports } of journal.read(new Set(all.keys()), GROUP)) {
      if (signal.aborted) return;
      const findings = all.get(partition);
      if (findings === undefined || findings.failed !== undefined) continue;
      await look(findings, reports).catch((error: unknown) => {
        findings.failed = error;
      });
    }
    for (const findings of all.values()) conclude(findings);
  }

  async function watch(place: Place): Promise<void> {
    while (!signal.aborted) {
      // Where nobody says so, whoever leads next may have lost something.
      const leader = (await log.leader(place.partition).catch((error) => failed(place, error))) ?? undefined;
      place.steady = leader !== undefined && leader === place.leader;
      if (!place.steady) {
        changes++;
        place.behind = true;
      }
      if (leader !== place.confirmed) place.confirmed = undefined;
      place.leader = leader;
      await rest();
    }
  }

  async function lookAround(): Promise<void> {
    while (!signal.aborted) {
      const due = places.filter(({ steady, confirmed }) => steady && confirmed === undefined);
      if (due.length > 0) await lookForAll(due).catch((error: unknown) => failed(due[0], error));
      await rest();
    }
  }

  const working = [...places.map(watch), lookAround()];
  return {
    get unconfirmed() {
      return places.reduce(
        (sum, { partition, confirmed, lost }) => sum + (confirmed === undefined ? journal.count(partition) : lost),
        0,
      );
    },
    get changes() {
      return changes;
    },
    async keep(reports, since) {
      await journal.write(reports);
      if (changes === since) return;
      // A leader that has gone may have accepted them, and the journal was looked through without them.
      for (const place of places) {
        place.behind = true;
        place.confirmed = undefined;
      }
    },
    async stop() {
      ending.abort();
      await Promise.all(working);
      await journal.shut();
    },
  };
}

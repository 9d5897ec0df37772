import { hinge } from 'ldpkit/protocols/hinge';
import { hire } from './crew.ts';
import { CHUNK, chunksOf } from './people.ts';
import type { Answered, Fit, Parameters, Plan, Tally, Truth } from './tasks.ts';

/** What is known after so many reports. */
export interface Snapshot {
  /** Reports so far. */
  readonly players: number;
  /** Bytes that travelled so far. */
  readonly bytes: number;
  /** From the start to this moment. */
  readonly milliseconds: number;
  /** The private model, and what the server says about it. */
  readonly fit: Fit;
  /** The best model without privacy, on the same players. */
  readonly truth: Truth;
}

/** What a run tells the page. */
interface Listener {
  /** Reports that were merged. */
  counted(players: number): void;
  /** One more estimate; the last one when all players have answered. */
  estimated(snapshot: Snapshot, last: boolean): void;
  /** At the end: half the widths of the 95 % intervals of w. */
  settled(widths: Float64Array): void;
  /** The run cannot go on. */
  refused(why: string): void;
}

/** Groups of players, each with a tally of its own: from how they differ follow the intervals of w. */
export const GROUPS = 8;

/** About how many messages bring all tallies: enough to see them come, few enough to cost nothing. */
const PIECES = 256;

/** How many times the reports of one estimate the next one has. */
const GROWTH = 2.5;

/** Of Student's law with GROUPS − 1 = 7 degrees of freedom, two-sided 95 %. */
export const CRITICAL = 2.3646;

/**
 * Starts a run: workers make the reports and tally them, some chunks at a time; this side only adds up tallies and asks the
 * workers for estimates, each from more than twice the reports of the one before. The result ends the run.
 */
export function collect(program: string, parameters: Parameters, plan: Plan, listener: Listener): () => void {
  const { server } = hinge;
  const start = performance.now();
  const chunks = chunksOf(plan.people);
  const groups = Array.from({ length: GROUPS }, () => server.empty(parameters));
  const merged: number[] = [];
  let bytes = 0;
  let asked = 0;
  const crew = hire(program, plan, listener.refused);

  const total = (without?: number): Tally => {
    const tally = server.empty(parameters);
    for (const [g, group] of groups.entries()) if (g !== without) server.merge(parameters, tally, group);
    return tally;
  };

  function estimate(): void {
    const last = merged.length === chunks;
    const tally = total();
    const so = { players: tally.players, bytes };
    const own = merged.slice();
    asked = own.length;
    let fit: Fit | undefined;
    let truth: Truth | undefined;
    const arrived = () => {
      if (fit === undefined || truth === undefined) return;
      listener.estimated({ ...so, milliseconds: performance.now() - start, fit, truth }, last);
      if (last) intervals();
    };
    crew.give({ task: 'fit', tally, chunks: own }, true, (result: Fit) => {
      fit = result;
      arrived();
    });
    crew.give({ task: 'truth', chunks: own }, true, (result: Truth) => {
      truth = result;
      arrived();
    });
  }

  function intervals(): void {
    const models: Float64Array[] = [];
    for (let g = 0; g < GROUPS; g++) {
      crew.give({ task: 'fit', tally: total(g), chunks: [] }, false, ({ w }: Fit) => {
        models.push(w);
        if (models.length < GROUPS) return;
        crew.dismiss();
        listener.settled(jackknife(models).map((deviation) => CRITICAL * deviation));
      });
    }
  }

  const piece = Math.max(1, Math.floor(chunks / PIECES));
  for (let first = 0; first < chunks; first += piece) {
    const own = Array.from({ length: Math.min(piece, chunks - first) }, (_, i) => first + i);
    crew.give({ task: 'answer', chunks: own }, false, ({ tally, bytes: sent }: Answered) => {
      server.merge(parameters, groups[(first / piece) % GROUPS], tally);
      bytes += sent;
      merged.push(...own);
      listener.counted(Math.min(plan.people.players, merged.length * CHUNK));
      const due = merged.length >= Math.max(GROUPS, GROWTH * asked);
      // Not when all the others are about to come.
      if (merged.length === chunks || (due && 2 * merged.length <= chunks)) estimate();
    });
  }
  return crew.dismiss;
}

/**
 * The standard deviation of each coordinate of a model, from the models that leave out one of the equal groups each.
 *
 * Source: Efron, Stein 1981, The jackknife estimate of variance.
 */
export function jackknife(models: readonly Float64Array[]): Float64Array {
  const count = models.length;
  return models[0].map((_, j) => {
    const mean = models.reduce((sum, w) => sum + w[j], 0) / count;
    const squares = models.reduce((sum, w) => sum + (w[j] - mean) ** 2, 0);
    return Math.sqrt(((count - 1) / count) * squares);
  });
}

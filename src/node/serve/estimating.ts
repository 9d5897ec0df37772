import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { PlainRequest } from '../../core/contract.ts';
import { type Answer, resultOf } from '../refused.ts';
import type { Collected } from './collection.ts';

/** A state, and what is asked of it. */
export interface EstimateTask {
  /** The protocol as typed. */
  readonly word: string;
  readonly request: PlainRequest;
  /** The state, as `save` of a fold gave it. */
  readonly saved: Uint8Array;
  /** The query; the protocol's defaults where it is absent. */
  readonly query: unknown;
}

/** Estimates in a thread of their own: they may take seconds, in which reports must be taken. */
export interface Estimating {
  /**
   * The estimate as JSON text; numbers of arrays are written out.
   *
   * @throws RangeError for whatever the protocol refuses, such as too few reports.
   */
  estimate(plan: Pick<Collected, 'word' | 'certificate'>, saved: Uint8Array, query: unknown): Promise<string>;
  close(): Promise<void>;
}

/** One thread, begun at the first estimate. */
export function createEstimating(): Estimating {
  const pool = new Piscina({
    filename: fileURLToPath(new URL('./estimate-worker.js', import.meta.url)),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 60_000,
  });
  return {
    async estimate({ word, certificate: { request } }, saved, query) {
      const answer: Answer<string> = await pool.run({ word, request, saved, query } satisfies EstimateTask);
      return resultOf(answer);
    },
    close: () => pool.destroy(),
  };
}

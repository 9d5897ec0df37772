import type { PlainRequest } from 'ldpkit';
import {
  estimateStream,
  type OnlineQuery,
  type OnlineSgdRequest,
  onlineSgd,
  onlineSgdPlan,
  streamReplication,
} from 'ldpkit/protocols/online-sgd';
import { replicationsOf } from 'ldpkit/testing';
import { linearPopulation } from '../reproductions/population.ts';

/** Streams with three intervals along the way. */
export type StreamFigureSetting = {
  readonly request: PlainRequest;
  readonly checkpoints: readonly number[];
  readonly size: number;
};

/** Of one stream: the average at every checkpoint, and half the lengths of the intervals, by method. */
export type StreamFigureRow = {
  readonly theta: readonly (readonly number[])[];
  readonly halves: readonly (readonly (readonly number[])[])[];
};

/** Streams of a part; the first of the first part is drawn. */
export type StreamFigurePart = readonly StreamFigureRow[];

/** Printed: p. */
export const FEATURES = 3;

/** Printed: the level. */
export const LEVEL = 0.95;

/** Printed: the deviation of the noise. */
const DEVIATION = 0.5;

/** The three intervals, in the order of rows. */
export const METHODS: readonly { readonly label: string; readonly query: OnlineQuery }[] = [
  { label: 'random scaling', query: { method: 'random scaling' } },
  { label: 'plug-in', query: { method: 'plug-in', hessian: 'regression', hessianFloor: 0.01 } },
  { label: 'batch means', query: { method: 'batch means' } },
];

/** One part of the streams. */
export function streamFigurePart(
  { request, checkpoints, size }: StreamFigureSetting,
  index: number,
  seed: string,
): StreamFigurePart {
  const plan = onlineSgdPlan(request as unknown as OnlineSgdRequest);
  const { from, to } = replicationsOf(index, size);
  return Array.from({ length: to - from }, (_, r) => {
    const theta: number[][] = [];
    const halves: number[][][] = [];
    streamReplication(onlineSgd, {
      plan,
      population: linearPopulation(FEATURES, DEVIATION),
      players: checkpoints[checkpoints.length - 1],
      seed: `${seed}/stream/${from + r}`,
      checkpoints,
      look(__, state) {
        const made = METHODS.map(({ query }) => estimateStream(plan, state, { level: LEVEL, ...query }));
        theta.push([...made[0].theta]);
        halves.push(made.map(({ intervals }) => intervals.map(([low, high]) => (high - low) / 2)));
      },
    });
    return { theta, halves };
  });
}

import type { Scale } from 'ldpkit/testing';
import type { ExposureSetting } from './exposure.ts';

/** Attacks that belong together: one curve of the figure. */
export interface Series {
  readonly key: string;
  readonly label: string;
  /** What the theorem does not survive, or, for the controls, what is not refuted. */
  readonly refutes: boolean;
  readonly setting: Omit<ExposureSetting, 'epsilon' | 'size'>;
  /** Runs or canaries at either scale, and the claimed ε that so many can refute. */
  readonly size: Readonly<Record<Scale, number>>;
  readonly claimed: readonly number[];
}

const threshold = { attack: 'threshold', maker: 'printed', decision: 'pass', rounds: 1, steps: 40 } as const;
const oneRun = { ...threshold, attack: 'one-run', steps: 8000 } as const;
const natural = { ...threshold, attack: 'natural', decision: 'none', steps: 1 } as const;
const trials = { quick: 6000, full: 60_000 };
const canaries = { quick: 128, full: 512 };

/** All attacks but the counting of runs that show the record. */
export const SERIES: readonly Series[] = [
  {
    key: 'threshold',
    label: 'Theorem 5, events over runs',
    refutes: true,
    setting: threshold,
    size: trials,
    claimed: [0.25, 1, 4],
  },
  {
    key: 'recalibrated',
    label: 'the same with recalibrated noise',
    refutes: true,
    setting: { ...threshold, maker: 'recalibrated' },
    size: trials,
    claimed: [1, 4],
  },
  {
    key: 'rounds',
    label: 'Remark 7: four rounds, events over runs',
    refutes: true,
    setting: { ...threshold, rounds: 4 },
    size: trials,
    claimed: [1, 4],
  },
  {
    key: 'one-run',
    label: 'Theorem 5, one run with canaries',
    refutes: true,
    setting: oneRun,
    size: canaries,
    claimed: [0.25, 0.5, 1],
  },
  {
    key: 'natural',
    label: 'noise (2) in every step, r = 10, T = 1',
    refutes: true,
    setting: natural,
    size: { quick: 100_000, full: 400_000 },
    claimed: [1],
  },
  {
    key: 'control',
    label: 'control: noise of the moments accountant in every step',
    refutes: false,
    setting: { ...threshold, maker: 'recalibrated', decision: 'none' },
    size: trials,
    claimed: [0.25, 1, 4],
  },
  {
    key: 'control-one-run',
    label: 'control, one run',
    refutes: false,
    setting: { ...oneRun, maker: 'recalibrated', decision: 'none' },
    size: canaries,
    claimed: [1],
  },
];

/** The counting of those runs. */
export const MOVED: ExposureSetting = { ...threshold, attack: 'moved', epsilon: 1, size: 500 };
/** T of the figure of δ. */
export const STEPS: readonly number[] = [5, 10, 20, 40];

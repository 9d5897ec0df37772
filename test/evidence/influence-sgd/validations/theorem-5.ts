import { DEVIATIONS, digits } from 'ldpkit/testing';
import type { CellResult, ExperimentReport, Scale, TheoremValidation } from '../../experiment/experiment.ts';
import { dashedCurve, type FigureCurve, linearFigure } from '../../experiment/figure.ts';
import { CLAIMED_DELTA, type ExposureChunk, type ExposureSetting, expose, exposedRadius } from './exposure.ts';

const { max, min, sqrt } = Math;

/** Attacks that belong together: one curve of the figure. */
interface Series {
  readonly key: string;
  readonly label: string;
  /** What the theorem does not survive, or, for the controls, what is not refuted. */
  readonly refutes: boolean;
  readonly setting: Omit<ExposureSetting, 'epsilon' | 'size'>;
  /** Runs or canaries at either scale, and the claimed ε that so many can refute. */
  readonly size: Readonly<Record<Scale, number>>;
  readonly claimed: readonly number[];
}

const threshold = { attack: 'threshold', variant: 'printed', decision: 'pass', rounds: 1, steps: 40 } as const;

const oneRun = { ...threshold, attack: 'one-run', steps: 8000 } as const;

const natural = { ...threshold, attack: 'natural', decision: 'none', steps: 1 } as const;

const trials = { quick: 6000, full: 60_000 };

const canaries = { quick: 128, full: 512 };

/** All attacks but the counting of runs that show the record. */
const SERIES: readonly Series[] = [
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
    setting: { ...threshold, variant: 'recalibrated' },
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
    setting: { ...threshold, variant: 'recalibrated', decision: 'none' },
    size: trials,
    claimed: [0.25, 1, 4],
  },
  {
    key: 'control-one-run',
    label: 'control, one run',
    refutes: false,
    setting: { ...oneRun, variant: 'recalibrated', decision: 'none' },
    size: canaries,
    claimed: [1],
  },
];

/** The counting of those runs. */
const MOVED: ExposureSetting = { ...threshold, attack: 'moved', epsilon: 1, size: 500 };

/** T of the figure of δ. */
const STEPS: readonly number[] = [5, 10, 20, 40];

type Result = CellResult<ExposureSetting, ExposureChunk>;

/** The bounds of the parts of a series, by claimed ε. */
function boundsOf({ setting, claimed }: Series, results: readonly Result[]) {
  return claimed.map((epsilon) => {
    const of = results.filter(
      ({ cell: { setting: s } }) =>
        s.attack === setting.attack &&
        s.variant === setting.variant &&
        s.decision === setting.decision &&
        s.rounds === setting.rounds &&
        s.epsilon === epsilon,
    );
    const radius = exposedRadius(of[0].cell.setting);
    const bounds = of.flatMap(({ chunks }) => chunks.map(({ bound }) => bound));
    return { epsilon, radius, low: min(...bounds), high: max(...bounds) };
  });
}

function report(results: readonly Result[]): ExperimentReport {
  const series = SERIES.map((one) => ({ ...one, bounds: boundsOf(one, results) }));
  const moved = results
    .filter(({ cell }) => cell.setting.attack === 'moved')
    .map(({ cell, chunks }) => {
      const runs = chunks.reduce((sum, p) => sum + p.runs, 0);
      const share = chunks.reduce((sum, p) => sum + p.moved, 0) / runs;
      const { exact } = chunks[0];
      return { steps: cell.setting.steps, share, exact, error: sqrt((exact * (1 - exact)) / runs) };
    });
  const last = moved[moved.length - 1];
  const z = max(...moved.map(({ share, exact, error }) => Math.abs(share - exact) / error));
  const shownRange = (low: number, high: number): string => [...new Set([digits(low), digits(high)])].join(' to ');
  return {
    claims: [
      ...series.map(({ label, refutes, bounds }) => ({
        asked: refutes
          ? `refuted — ${label}: the lower bound on ε is above the claimed ε, at every claim and in every audit`
          : `not refuted by this attack, which is no evidence for a claim — ${label}: no lower bound on ε is above the claimed ε`,
        measured: bounds
          .map(({ epsilon, low, high }) => `${shownRange(low, high)} where ${epsilon} is claimed`)
          .join('; '),
        met: bounds.every(({ epsilon, low, high }) => (refutes ? low > epsilon : high <= epsilon)),
      })),
      {
        asked: `refuted — the probability of showing the record, which no ε covers, is above .87 at T = 40 and n = 20, and is as computed (${DEVIATIONS} standard errors)`,
        measured: `${digits(last.share)}, computed ${digits(last.exact, 4)}, where δ = ${CLAIMED_DELTA} is claimed; ${digits(z, 2)} standard errors at most`,
        met: last.exact > 0.87 && z <= DEVIATIONS,
      },
    ],
    tables: [
      {
        title: 'Lower bounds on ε, confidence .999 each',
        columns: ['attack', 'claimed ε', 'radius r', 'lower bound'],
        rows: series.flatMap(({ label, bounds }) =>
          bounds.map(({ epsilon, radius, low, high }) => [
            label,
            digits(epsilon),
            digits(radius),
            shownRange(low, high),
          ]),
        ),
        notes: [
          'The bounds of refuted claims are about as large as so many runs or canaries can prove.',
          'Every bound holds with probability .999: a control whose ε were exactly the claimed one would be refuted by chance in one of a thousand audits, by one of its sixteen at the full scale with probability .016 at most. Those here are far from it.',
        ],
      },
      {
        title: 'Runs that show the record',
        columns: ['T', 'share', 'computed'],
        rows: moved.map(({ steps, share, exact }) => [String(steps), digits(share), digits(exact, 4)]),
        notes: [`n = 20, one round, (1, ${CLAIMED_DELTA}) claimed.`],
      },
    ],
    figures: [
      linearFigure({
        name: 'influence-theorem-5',
        title: 'What audits prove of Algorithm 1',
        x: 'claimed ε',
        y: 'lower bound on ε',
        curves: [
          ...series.map(
            ({ label, bounds }, style): FigureCurve => ({
              name: label,
              style,
              dashed: false,
              points: bounds.map(({ epsilon, low, high }) => ({ x: epsilon, y: (low + high) / 2, low, high })),
            }),
          ),
          dashedCurve('claimed', 0, [0, 4], [0, 4]),
        ],
      }),
      linearFigure({
        name: 'influence-theorem-5-delta',
        title: 'δ that no ε spares, n = 20',
        x: 'steps T',
        y: 'δ',
        curves: [
          {
            name: 'runs that show the record',
            style: 0,
            dashed: false,
            points: moved.map(({ steps, share, error }) => ({
              x: steps,
              y: share,
              low: max(0, share - 2 * error),
              high: min(1, share + 2 * error),
            })),
          },
          {
            name: 'computed',
            style: 1,
            dashed: true,
            points: moved.map(({ steps, exact }) => ({ x: steps, y: exact })),
          },
          {
            name: 'claimed',
            style: 2,
            dashed: true,
            points: moved.map(({ steps }) => ({ x: steps, y: CLAIMED_DELTA })),
          },
        ],
      }),
    ],
    data: {
      bounds: series.map(({ key, bounds }) => ({ key, bounds })),
      moved,
    },
  };
}

/** Theorem 5, Algorithm 1 and Remark 7. */
export const theorem5: TheoremValidation<ExposureSetting, ExposureChunk> = {
  name: 'influence-theorem-5',
  paper: 'influence',
  theorems: ['Theorem 5', 'Algorithm 1', 'Remark 7'],
  title: 'Audits of the privacy claim',
  source:
    'Kang, Li, Liu, Wang, Data heterogeneity differential privacy: from theory to algorithm, Theorem 5 and Remark 7',
  summary:
    'Algorithm 1 on constructed data that meet every condition of Theorem 5, attacked by events over many runs on two data sets and by one ' +
    'run with canaries; with the noise as printed, with noise that would be enough in every step, with new Hessians in four rounds, and ' +
    'with a radius of 10, where every step has the noise (2). For every contribution to pass the decision the radius r of the parameter space, ' +
    'which the curator chooses, is 10⁵ to 5·10⁷ here: see the table.',
  version: 2,
  cells: (scale) => [
    ...SERIES.flatMap(({ key, label, setting, size, claimed }) =>
      claimed.map((epsilon) => ({
        key: `${key}-${String(epsilon).replace('.', '-')}`,
        label: `${label}, ε = ${epsilon}`,
        setting: { ...setting, epsilon, size: size[scale] },
        chunks: scale === 'full' ? 4 : 1,
      })),
    ),
    ...STEPS.map((steps) => ({
      key: `moved-${steps}`,
      label: `runs that show the record, T = ${steps}`,
      setting: { ...MOVED, steps },
      chunks: scale === 'full' ? 40 : 2,
    })),
  ],
  smallRun: (setting) => ({
    ...setting,
    size: setting.attack === 'one-run' ? 16 : setting.attack === 'moved' ? 10 : 2000,
    steps: setting.attack === 'one-run' ? 40 : setting.rounds,
  }),
  chunk: expose,
  report,
};

import { type CurveFigure, claimedCurve, type Measured, meanCurve, plainPoints } from 'ldpkit/testing';

/** The errors of a cell, and what is claimed of them. */
export interface ApproximationRow {
  readonly records: number;
  /** λ = ζ. */
  readonly ridge: number;
  /** Root mean squares: of the error, of what c_z approximates, and of the error to second order. */
  readonly error: Measured;
  readonly change: Measured;
  readonly expected: Measured;
  readonly largest: number;
  /** E with ζ = λ, and as printed, with ζ = ‖H‖₂. */
  readonly bound: number;
  readonly printed: number;
}

/** The errors by law of the data. */
export interface ApproximationRows {
  readonly even: readonly ApproximationRow[];
  readonly flat: readonly ApproximationRow[];
  readonly lone: readonly ApproximationRow[];
}

const DISTANCE = { label: 'ℓ₂ distance of parameters', logarithmic: true };
const RECORDS = { label: 'records n', logarithmic: true };

/** Errors against n on even and on flat data, and against ζ where a record is alone in its direction. */
export function approximationFigures({ even, flat, lone }: ApproximationRows): readonly CurveFigure[] {
  const n = even.map(({ records }) => records);
  const flatSizes = flat.map(({ records }) => records);
  const zetas = lone.map(({ ridge }) => ridge);
  const law =
    (x: readonly number[], values: readonly number[]) =>
    (at: number): number =>
      values[x.indexOf(at)];
  const line = (name: string, style: number, x: readonly number[], values: readonly number[]) => ({
    name,
    style,
    dashed: false,
    points: plainPoints(x, values),
  });
  const means = (rows: readonly ApproximationRow[], field: 'error' | 'change' | 'expected') =>
    rows.map((row) => row[field]);
  const numbers = (rows: readonly ApproximationRow[], field: 'bound' | 'printed' | 'largest') =>
    rows.map((row) => row[field]);
  const second = (rows: readonly ApproximationRow[]) => rows.map(({ expected }) => expected.mean);
  return [
    {
      kind: 'curves',
      name: 'influence-theorem-4',
      title: 'Error of the influence of leaving out a record',
      x: RECORDS,
      y: DISTANCE,
      curves: [
        meanCurve('error of c_z, rms', 0, n, means(even, 'error')),
        line('largest error', 1, n, numbers(even, 'largest')),
        meanCurve('θ*₋z − θ*, rms', 2, n, means(even, 'change')),
        claimedCurve('error to second order', 0, n, law(n, second(even))),
        claimedCurve('claimed: E', 1, n, law(n, numbers(even, 'bound'))),
      ],
      levels: [],
    },
    {
      kind: 'curves',
      name: 'influence-theorem-4-curvature',
      title: 'Error for a record alone in its direction',
      x: { label: 'ζ = λ', logarithmic: true },
      y: DISTANCE,
      curves: [
        meanCurve('error of c_z', 0, zetas, means(lone, 'error')),
        claimedCurve('error to second order', 0, zetas, law(zetas, second(lone))),
        claimedCurve('claimed: E', 1, zetas, law(zetas, numbers(lone, 'bound'))),
      ],
      levels: [],
    },
    {
      kind: 'curves',
      name: 'influence-theorem-4-flat',
      title: 'Error where one feature hardly varies',
      x: RECORDS,
      y: DISTANCE,
      curves: [
        line('largest error', 0, flatSizes, numbers(flat, 'largest')),
        claimedCurve('E, smallest eigenvalue', 1, flatSizes, law(flatSizes, numbers(flat, 'bound'))),
        claimedCurve('as printed: E, norm', 2, flatSizes, law(flatSizes, numbers(flat, 'printed'))),
      ],
      levels: [],
    },
  ];
}

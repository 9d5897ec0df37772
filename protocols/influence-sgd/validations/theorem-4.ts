import type { CellResult, ExperimentReport } from '../../../src/simulation/paper-experiment.ts';
import type { TheoremValidation } from '../../../src/simulation/theorem-validation.ts';
import { remainderBound } from '../remainder.ts';
import { type ApproximationPart, type ApproximationSetting, approximate, LEFT_OUT, modelOf } from './approximation.ts';
import { digits, fittedSlope, isSlope, meanError, meanPoints, plainPoints, shown, shownSlope } from './statistics.ts';

const { max } = Math;

const SIZES = [50, 100, 200, 400, 800];

function summarize({ cell, parts }: CellResult<ApproximationSetting, ApproximationPart>) {
  const { data, records } = cell.setting;
  const { constants } = modelOf(data);
  const greatest = max(...parts.map((p) => p.greatest));
  return {
    records,
    error: meanError(parts.map((p) => p.error)),
    change: meanError(parts.map((p) => p.change)),
    largest: max(...parts.map((p) => p.largest)),
    least: Math.min(...parts.map((p) => p.least)),
    greatest,
    bound: remainderBound({ records, ...constants }),
    // What the theorem allows as it is printed: ζ may be as large as ‖H‖₂, the largest eigenvalue.
    printed: remainderBound({ records, ...constants, curvature: greatest }),
    // The smallest of the errors of whole data sets: all of them refute the printed form where even this does.
    leastLargest: Math.min(...parts.map((p) => p.largest)),
  };
}

function report(results: readonly CellResult<ApproximationSetting, ApproximationPart>[]): ExperimentReport {
  const of = (data: string) => results.filter(({ cell }) => cell.setting.data === data).map(summarize);
  const [even, flat] = [of('even'), of('flat')];
  const n = even.map(({ records }) => records);
  const slope = fittedSlope(
    n,
    even.map(({ error }) => error),
  );
  const control = fittedSlope(
    n,
    even.map(({ change }) => change),
  );
  const room = even.map(({ bound, largest }) => bound / largest);
  const flatRoom = flat.map(({ bound, largest }) => bound / largest);
  const excess = flat.map(({ leastLargest, printed }) => leastLargest / printed);
  const largestExcess = flat.map(({ largest, printed }) => largest / printed);
  return {
    claims: [
      {
        asked: 'the error of c_z against refits has log-log slope −2 in n (± .1 for finite n, ± 4.5 standard errors)',
        measured: shownSlope(slope),
        met: isSlope(slope, -2, 0.1),
      },
      {
        asked: 'what it approximates, θ*₋z − θ*, has slope −1 (± .1): the error is of a smaller order',
        measured: shownSlope(control),
        met: isSlope(control, -1, 0.1),
      },
      {
        asked: 'with ζ ≤ the smallest eigenvalue no error is above E = (2LG + CG²/ζ)/(ζ²n²), for either kind of data',
        measured: `E over the largest error is ${digits(Math.min(...room))} to ${digits(max(...room))}, and ${digits(Math.min(...flatRoom))} or more on flat data`,
        met: [...room, ...flatRoom].every((ratio) => ratio >= 1),
      },
      {
        asked: 'refuted: with ζ = ‖H‖₂, as printed, E is exceeded on flat data, on every data set and at every n',
        measured: `the largest error of a data set is ${digits(Math.min(...excess))} to ${digits(max(...largestExcess))} times E`,
        met: excess.every((ratio) => ratio > 1),
      },
    ],
    tables: [
      {
        title: 'Error of the influence approximation',
        columns: ['data', 'n', 'rms error', 'rms change', 'largest error', 'E', 'E as printed', 'eigenvalues'],
        rows: results.map((result) => {
          const row = summarize(result);
          return [
            result.cell.setting.data,
            String(row.records),
            shown(row.error),
            shown(row.change),
            digits(row.largest),
            digits(row.bound),
            digits(row.printed),
            `${digits(row.least)} to ${digits(row.greatest)}`,
          ];
        }),
        notes: ['E takes ζ = λ, below the smallest eigenvalue; as printed, ζ is the largest eigenvalue, ‖H‖₂.'],
      },
    ],
    figures: [
      {
        kind: 'curves',
        name: 'influence-theorem-4',
        title: 'Error of the influence of leaving out a record',
        x: { label: 'records n', logarithmic: true },
        y: { label: 'ℓ₂ distance of parameters', logarithmic: true },
        curves: [
          {
            name: 'error of c_z, rms',
            style: 0,
            dashed: false,
            points: meanPoints(
              n,
              even.map((row) => row.error),
            ),
          },
          {
            name: 'largest error',
            style: 1,
            dashed: false,
            points: plainPoints(
              n,
              even.map((row) => row.largest),
            ),
          },
          {
            name: 'θ*₋z − θ*, rms',
            style: 2,
            dashed: false,
            points: meanPoints(
              n,
              even.map((row) => row.change),
            ),
          },
          {
            name: 'claimed: E',
            style: 1,
            dashed: true,
            points: plainPoints(
              n,
              even.map((row) => row.bound),
            ),
          },
        ],
        levels: [],
      },
      {
        kind: 'curves',
        name: 'influence-theorem-4-flat',
        title: 'Error where one feature hardly varies',
        x: { label: 'records n', logarithmic: true },
        y: { label: 'ℓ₂ distance of parameters', logarithmic: true },
        curves: [
          {
            name: 'largest error',
            style: 0,
            dashed: false,
            points: plainPoints(
              flat.map((row) => row.records),
              flat.map((row) => row.largest),
            ),
          },
          {
            name: 'claimed: E, smallest eigenvalue',
            style: 1,
            dashed: true,
            points: plainPoints(
              flat.map((row) => row.records),
              flat.map((row) => row.bound),
            ),
          },
          {
            name: 'as printed: E, norm',
            style: 2,
            dashed: true,
            points: plainPoints(
              flat.map((row) => row.records),
              flat.map((row) => row.printed),
            ),
          },
        ],
        levels: [],
      },
    ],
    data: { even: even.map(plain), flat: flat.map(plain) },
  };
}

const plain = (row: ReturnType<typeof summarize>) => ({ ...row, error: { ...row.error }, change: { ...row.change } });

/** Theorem 4. */
export const theorem4: TheoremValidation<ApproximationSetting, ApproximationPart> = {
  name: 'influence-theorem-4',
  paper: 'influence',
  theorems: ['Theorem 4'],
  title: 'Error of the influence approximation',
  source: 'Kang, Li, Liu, Wang, Data heterogeneity differential privacy: from theory to algorithm, Theorem 4',
  summary:
    'Logistic regression on records of the unit sphere, λ = .1, m = 3; the influence of each of 24 records against a fit without it. ' +
    'A second law of data has one feature of a hundredth the size and λ = 10⁻⁶, so that the eigenvalues of the Hessian are far apart.',
  version: 1,
  cells: (scale) => {
    const sizes = scale === 'full' ? [...SIZES, 1600, 3200, 6400] : SIZES;
    return (['even', 'flat'] as const).flatMap((data) =>
      (data === 'even' ? sizes : sizes.filter((n) => n >= 200)).map((records) => ({
        key: `${data}-${records}`,
        label: `${data} data, n = ${records}`,
        setting: { data, records, leftOut: scale === 'full' ? 2 * LEFT_OUT : LEFT_OUT },
        parts: scale === 'full' ? 32 : 8,
      })),
    );
  },
  probe: (setting) => ({ ...setting, records: 50, leftOut: 2 }),
  part: approximate,
  report,
};

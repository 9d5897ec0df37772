import { fillNormal } from '../../../src/random/normal.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { fillSphere } from '../../../src/random/sphere.ts';
import { uniformInteger } from '../../../src/random/uniform.ts';
import type { CellResult, ExperimentReport } from '../../../src/simulation/paper-experiment.ts';
import type { TheoremValidation } from '../../../src/simulation/theorem-validation.ts';
import { excessRiskBound } from '../theory.ts';
import { digits, fittedSlope, isSlope, meanError, meanPoints, plainPoints, shown, shownSlope } from './statistics.ts';

const { ceil, log, max, min } = Math;

const DIMENSION = 3;
/** k, the records that call for noise. */
const MARKED = 20;

/** Noise for k of n records, in every step, or for k of n where labels have errors. */
export type Kind = 'marked' | 'all' | 'errors';

/** What a kind is in words, in which share of the steps of n records noise is added, and the standard deviation of the labels. */
interface Marking {
  readonly label: string;
  readonly share: (records: number) => number;
  readonly deviation: number;
}

const KINDS: Readonly<Record<Kind, Marking>> = {
  marked: { label: `noise for k = ${MARKED} of n`, share: (n) => MARKED / n, deviation: 0 },
  all: { label: 'noise in every step', share: () => 1, deviation: 0 },
  errors: { label: `noise for k = ${MARKED} of n, labels with errors of .5`, share: (n) => MARKED / n, deviation: 0.5 },
};

/** Descents for n records. */
export type MarkedSetting = { readonly kind: Kind; readonly records: number; readonly runs: number };

/** The mean excess risk of these descents. */
export type MarkedPart = { readonly excess: number };

const sigmaOf = (records: number): number => 3 / records;
const stepsOf = (records: number): number => ceil(10 * log(records));

/**
 * Linear regression y = ⟨θ*, x⟩ + error on records of the sphere, so that E xxᵀ = I/m: from a distance of 1, T = O(log n) steps of
 * 1/L = 1 on single records, k of n of which bring noise. A record is drawn afresh, as from all of an unlimited data set.
 */
function part({ kind, records, runs }: MarkedSetting, index: number, seed: string): MarkedPart {
  const random = seededRandom(`${seed} theorem 6 ${kind} ${records} ${index}`);
  const { share, deviation } = KINDS[kind];
  const noisedBelow = share(records) * records;
  const sigma = sigmaOf(records);
  const steps = stepsOf(records);
  const x = new Float64Array(DIMENSION);
  const noise = new Float64Array(DIMENSION);
  const error = new Float64Array(1);
  const off = new Float64Array(DIMENSION);
  let excess = 0;
  for (let run = 0; run < runs; run++) {
    off.fill(0);
    off[0] = 1;
    for (let t = 0; t < steps; t++) {
      fillSphere(x, random);
      let slope = 0;
      for (let j = 0; j < DIMENSION; j++) slope += off[j] * x[j];
      if (deviation > 0) {
        fillNormal(error, random);
        slope -= deviation * error[0];
      }
      const noised = uniformInteger(records, random) < noisedBelow;
      if (noised) fillNormal(noise, random);
      for (let j = 0; j < DIMENSION; j++) off[j] -= slope * x[j] + (noised ? sigma * noise[j] : 0);
    }
    for (let j = 0; j < DIMENSION; j++) excess += (off[j] * off[j]) / (2 * DIMENSION) / runs;
  }
  return { excess };
}

function summarize({ cell, parts }: CellResult<MarkedSetting, MarkedPart>) {
  const { kind, records } = cell.setting;
  // Single records of norm 1 contract ½‖θ − θ*‖²/m like a descent with μ/L = 1/m.
  const bound = excessRiskBound({
    gap: 1 / (2 * DIMENSION),
    pl: 1 / DIMENSION,
    smoothness: 1,
    dimension: DIMENSION,
    sigma: sigmaOf(records),
    steps: stepsOf(records),
    noisedShare: KINDS[kind].share(records),
  });
  return { kind, records, bound, excess: meanError(parts.map((p) => p.excess)) };
}

function report(results: readonly CellResult<MarkedSetting, MarkedPart>[]): ExperimentReport {
  const rows = results.map(summarize);
  const of = (kind: Kind) => rows.filter((row) => row.kind === kind);
  const n = of('marked').map(({ records }) => records);
  const slope = (kind: Kind) =>
    fittedSlope(
      n,
      of(kind).map(({ excess }) => excess),
    );
  const [marked, all, errors] = [slope('marked'), slope('all'), slope('errors')];
  const room = [...of('marked'), ...of('all')].map(({ bound, excess }) => bound / excess.mean);
  const over = of('errors').map(({ bound, excess }) => (excess.mean - 4.5 * excess.error) / bound);
  return {
    claims: [
      {
        asked:
          'where all gradients vanish at θ*: with noise for k of n records the excess risk has slope −3 in n (± .1; σ = 3/n)',
        measured: shownSlope(marked),
        met: isSlope(marked, -3, 0.1),
      },
      { asked: 'and with noise in every step slope −2 (± .1)', measured: shownSlope(all), met: isSlope(all, -2, 0.1) },
      {
        asked: 'and is at most (1 − μ/L)^T·gap + (k/n)·mσ²/(2μ) at every n',
        measured: `the bound is ${digits(min(...room))} to ${digits(max(...room))} times what was measured`,
        met: room.every((ratio) => ratio >= 1),
      },
      {
        asked: 'refuted: where labels have errors, so that gradients do not vanish, the slope is not −3 but 0 (± .1)',
        measured: shownSlope(errors),
        met: isSlope(errors, 0, 0.1),
      },
      {
        asked: 'refuted: there the excess risk is above the bound at every n, by 4.5 standard errors',
        measured: `${digits(min(...over))} to ${digits(max(...over))} times the bound`,
        met: over.every((ratio) => ratio > 1),
      },
    ],
    tables: [
      {
        title: 'Excess risk of steps on single records',
        columns: ['descent', 'n', 'excess risk', 'bound'],
        rows: rows.map((row) => [KINDS[row.kind].label, String(row.records), shown(row.excess), digits(row.bound)]),
        notes: ['σ = 3/n, without its factor √log n. Standard errors are over parts.'],
      },
    ],
    figures: [
      {
        kind: 'curves',
        name: 'influence-theorem-6',
        title: 'Excess risk where k of n records call for noise',
        x: { label: 'records n', logarithmic: true },
        y: { label: 'mean L(θ_T; D) − L*', logarithmic: true },
        curves: (Object.keys(KINDS) as Kind[]).flatMap((kind, style) => [
          {
            name: KINDS[kind].label,
            style,
            dashed: false,
            points: meanPoints(
              n,
              of(kind).map(({ excess }) => excess),
            ),
          },
          ...(kind === 'errors'
            ? []
            : [
                {
                  name: `claimed, ${KINDS[kind].label}`,
                  style,
                  dashed: true,
                  points: plainPoints(
                    n,
                    of(kind).map(({ bound }) => bound),
                  ),
                },
              ]),
        ]),
        levels: [],
      },
    ],
    data: rows.map((row) => ({ ...row, excess: { ...row.excess } })),
  };
}

/** Theorem 6. */
export const theorem6: TheoremValidation<MarkedSetting, MarkedPart> = {
  name: 'influence-theorem-6',
  paper: 'influence',
  theorems: ['Theorem 6'],
  title: 'Excess empirical risk where k records call for noise',
  source: 'Kang, Li, Liu, Wang, Data heterogeneity differential privacy: from theory to algorithm, Theorem 6',
  summary:
    'Linear regression on records of the sphere, m = 3, steps of 1/L on single records from a distance of 1, σ = 3/n: noise for k = 20 of n ' +
    'records or in every step. Labels without errors, where every gradient vanishes at θ*, and with errors, where none does.',
  version: 1,
  cells: (scale) =>
    (Object.keys(KINDS) as Kind[]).flatMap((kind) =>
      (scale === 'full' ? [100, 200, 400, 800, 1600] : [100, 200, 400]).map((records) => ({
        key: `${kind}-${records}`,
        label: `${KINDS[kind].label}, n = ${records}`,
        // Few runs meet noise that still counts where k/n is small.
        setting: { kind, records, runs: (kind === 'marked' ? 3000 : 500) * (scale === 'full' ? 20 : 1) },
        parts: scale === 'full' ? 24 : 12,
      })),
    ),
  probe: (setting) => ({ ...setting, runs: 2 }),
  part,
  report,
};

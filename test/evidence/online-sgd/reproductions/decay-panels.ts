import type { PlainRequest } from 'ldpkit';
import { type ExperimentClaim, type Measured, plusMinus } from 'ldpkit/testing';
import type { ExperimentReport, Reproduction } from '../../experiment/experiment.ts';
import { type Figure, type FigureCurve, measuredPoints } from '../../experiment/figure.ts';
import { columnMeans } from '../../experiment/statistics.ts';

/** α of Sections 5.2 and 6. */
export const DECAYS: readonly { readonly decay: number; readonly text: string; readonly key: string }[] = [
  { decay: 1 / 3, text: '1/3', key: '1-3' },
  { decay: 1 / 2, text: '1/2', key: '1-2' },
  { decay: 2 / 3, text: '2/3', key: '2-3' },
  { decay: 1, text: '1', key: '1' },
];

/** The budgets of Sections 5.2 and 6, from the least. */
export const BUDGETS: readonly { readonly label: string; readonly key: string; readonly budget: PlainRequest }[] = [
  ...[0.5, 1, 2, 3].map((mu) => ({
    label: `μ = ${mu}`,
    key: `mu-${String(mu).replace('.', '')}`,
    budget: { variant: 'gdp', mu },
  })),
  { label: 'no privacy', key: 'non-private', budget: { variant: 'nonPrivate' } },
];

/** A score along streams of one α and one budget: rows by replication, entries by checkpoint. */
export interface PanelLine {
  /** Places in {@link DECAYS} and {@link BUDGETS}. */
  readonly decay: number;
  readonly budget: number;
  readonly last: readonly (readonly number[])[];
  readonly average: readonly (readonly number[])[];
}

/** One score under all α and budgets. */
export interface Panels {
  /** Of files, such as figure-7. */
  readonly name: string;
  readonly title: string;
  readonly score: string;
  readonly logarithmic: boolean;
  readonly checkpoints: readonly number[];
  readonly lines: readonly PanelLine[];
}

/** Mean and standard error at the last checkpoint. */
export function finalMean(rows: readonly (readonly number[])[]): Measured {
  const means = columnMeans(rows);
  return means[means.length - 1];
}

/** The line of an α and a budget, by their places. */
export function lineAt({ lines }: Panels, decay: number, budget: number): PanelLine {
  const found = lines.find((line) => line.decay === decay && line.budget === budget);
  if (found === undefined) throw new RangeError(`"lines" expected one at ${decay}, ${budget}`);
  return found;
}

/** A figure for every α: the last iterate of every budget solid, the average dashed. */
export function panelFigures(panels: Panels): readonly Figure[] {
  const { name, title, score, logarithmic, checkpoints } = panels;
  return DECAYS.map(({ text, key }, decay): Figure => {
    const curves = (which: 'last' | 'average'): readonly FigureCurve[] =>
      BUDGETS.map(({ label }, budget) => ({
        name: `${which === 'last' ? 'LDP-SGD' : 'LDP-ASGD'}, ${label}`,
        style: budget,
        dashed: which === 'average',
        points: measuredPoints(checkpoints, columnMeans(lineAt(panels, decay, budget)[which])),
      }));
    return {
      kind: 'curves',
      name: `${name}-alpha-${key}`,
      title: `${title}, α = ${text}`,
      x: { label: 'players n', logarithmic: true },
      y: { label: score, logarithmic },
      curves: [...curves('last'), ...curves('average')],
      levels: [],
    };
  });
}

/** Scores after the last player, LDP-SGD / LDP-ASGD, by budget and α. */
export function panelTable(panels: Panels): Reproduction {
  const shown = (rows: readonly (readonly number[])[]): string => {
    const { mean, error } = finalMean(rows);
    return plusMinus(mean, error, 4);
  };
  const replications = panels.lines[0].last.length;
  return {
    title: `${panels.title}: ${panels.score}, LDP-SGD / LDP-ASGD`,
    columns: ['budget', ...DECAYS.map(({ text }) => `α = ${text}`)],
    rows: BUDGETS.map(({ label }, budget) => [
      label,
      ...DECAYS.map((_, decay) => {
        const { last, average } = lineAt(panels, decay, budget);
        return `${shown(last)} / ${shown(average)}`;
      }),
    ]),
    notes: [
      `After ${panels.checkpoints[panels.checkpoints.length - 1].toLocaleString('en-US')} players; means ± standard errors of ${replications} replications.`,
    ],
  };
}

/** Fewer replications than this leave open what is not far from the line. */
const DECISIVE = 20;

/** Whether there are replications enough to decide. */
export function decisive({ lines }: Panels): boolean {
  return lines[0].last.length >= DECISIVE;
}

/** An outcome that few replications do not decide, unless it is clear. */
export function outcome(met: boolean, decided: boolean): Pick<ExperimentClaim, 'met' | 'undecided'> {
  return decided ? { met } : { met: false, undecided: true };
}

/** That one of the two estimators has the smaller error at an α, whatever the budget. */
export function betterClaim(panels: Panels, decay: number, better: 'last' | 'average'): ExperimentClaim {
  const other = better === 'last' ? 'average' : 'last';
  const names = { last: 'LDP-SGD', average: 'LDP-ASGD' };
  const few = !decisive(panels);
  const pairs = BUDGETS.map((_, budget) => {
    const line = lineAt(panels, decay, budget);
    const [one, two] = [finalMean(line[better]), finalMean(line[other])];
    // The error of a few replications is hardly known: a fifth of the mean is the least believed.
    const [first, second] = [one, two].map(({ mean, error }) => (few ? Math.max(error, 0.2 * mean) : error));
    return { ratio: one.mean / two.mean, score: (one.mean - two.mean) / Math.hypot(first, second) };
  });
  const ratios = pairs.map(({ ratio }) => ratio);
  const clear = pairs.some(({ score }) => score > 4) || pairs.every(({ score }) => score < -4);
  return {
    asked: `printed: ${panels.title}, α = ${DECAYS[decay].text}: ${names[better]} has a smaller ${panels.score} than ${names[other]} under every budget`,
    measured: `${ratios.map((ratio, budget) => `${BUDGETS[budget].label} ${ratio.toPrecision(2)}`).join(', ')} times`,
    ...outcome(
      ratios.every((ratio) => ratio < 1),
      clear || !few,
    ),
  };
}

/** That α = 1 does not converge: its best error is more than ten times the best of the others, above the optimum if that is not 0. */
export function divergenceClaim(panels: Panels, optimum: number): ExperimentClaim {
  const ratios = BUDGETS.map((_, budget) => {
    const best = (decay: number): number => {
      const { last, average } = lineAt(panels, decay, budget);
      return Math.min(finalMean(last).mean, finalMean(average).mean) - optimum;
    };
    return best(3) / Math.min(best(0), best(1), best(2));
  });
  return {
    asked: `printed: ${panels.title}: α = 1 fails to converge (here: more than ten times the error of the best other α under every budget)`,
    measured: `${ratios.map((ratio, budget) => `${BUDGETS[budget].label} ${ratio.toPrecision(2)}`).join(', ')} times`,
    ...outcome(
      ratios.every((ratio) => ratio > 10),
      decisive(panels) || ratios.every((ratio) => ratio > 20) || ratios.some((ratio) => ratio < 5),
    ),
  };
}

/** That an α has the least error of an estimator under every budget. */
export function bestDecayClaim(panels: Panels, decay: number, which: 'last' | 'average'): ExperimentClaim {
  const winners = BUDGETS.map((_, budget) => {
    const means = DECAYS.map((__, d) => finalMean(lineAt(panels, d, budget)[which]).mean);
    return means.indexOf(Math.min(...means));
  });
  return {
    asked: `printed: ${panels.title}: α = ${DECAYS[decay].text} has the least ${panels.score} of ${which === 'last' ? 'LDP-SGD' : 'LDP-ASGD'} under every budget`,
    measured: `least at ${winners.map((winner, budget) => `${BUDGETS[budget].label} ${DECAYS[winner].text}`).join(', ')}`,
    ...outcome(
      winners.every((winner) => winner === decay),
      decisive(panels),
    ),
  };
}

/** Claims about panels, with a table, figures and the last scores of every panel. */
export function panelReport(all: readonly Panels[], claims: readonly ExperimentClaim[]): ExperimentReport {
  const data = all.map(({ name, lines }) => ({
    name,
    lines: lines.map(({ decay, budget, last, average }) => ({
      decay: DECAYS[decay].text,
      budget: BUDGETS[budget].label,
      last: finalMean(last),
      average: finalMean(average),
    })),
  }));
  return { claims, tables: all.map(panelTable), figures: all.flatMap(panelFigures), data };
}

import { describeGuarantee } from '../../../privacy/guarantee.ts';
import { counted, wholeNumber } from '../../figures.ts';
import { figures, type Picture } from '../../report/figure.ts';
import { lineChart } from '../../report/line-chart.ts';
import { type Markup, paragraph, STYLES, section, textTable } from '../../report/markup.ts';
import { capital, guaranteeSection, runPage, type Tile } from '../../report/page.ts';
import { profileChart } from '../../report/profile-chart.ts';
import type { ModelRunDocument } from './document.ts';
import { coefficientRows, figure, playedText, promiseText, resultRows, type Summed, summed } from './text.ts';
import { modelVerdict } from './verdict.ts';

/** One HTML page about a document: what was done, charts, tables, guarantee. */
export function modelPage(document: ModelRunDocument): string {
  const { protocol, title, summary, notes, command, version, seed, symbol, budget, variant, certificates } = document;
  return runPage({
    ...{ protocol, title, command, version, seed },
    verdict: modelVerdict(document),
    about: [`${capital(summary)}.`, `${capital(playedText(document))}.`, ...notes],
    tiles: tilesOf(document),
    sections: [
      section(`Distance and excess risk against ${symbol}`, errorCharts(document)),
      section(
        'The model',
        coefficientChart(document),
        textTable(coefficientRows(document), { right: 1 }),
        paragraph(`Of the first run of ${variant} at ${symbol} = ${budget}.`, 'soft'),
      ),
      section('Results', textTable(resultRows(document), { right: 2, grouped: true }), paragraph(NOTE, 'soft')),
      certificates.length > 0
        ? guaranteeSection(
            { symbol, central: document.setting === 'central' },
            certificates.map((one) => ({ ...one, guarantee: one.certificate.claimed })),
          )
        : section('What is not promised', ...promiseText(document).map((text) => paragraph(`${text}.`))),
    ],
  });
}

const NOTE =
  'Distance: ℓ₂, of the coefficients to those of least risk on the same records. The best constant ignores the features; zero asks ' +
  'nobody. Fit, baselines and errors are computed from the records in the clear, for comparison.';

function tilesOf(document: ModelRunDocument): readonly Tile[] {
  const { variant, symbol, budget, baselines, players, records, setting, guarantee, unit } = document;
  const row = summed(document).find((one) => one.variant === variant && one.budget === budget)!;
  return [
    {
      name: `distance to the fit in the clear, ${variant} at ${symbol} = ${budget}`,
      figure: figure(row.distance),
      notes: [unit, `zero ${figure(baselines.zero.distance)}`],
    },
    {
      name: 'excess risk',
      figure: figure(row.excessRisk),
      notes: [`best constant ${figure(baselines.constant.excessRisk)}`, `zero ${figure(baselines.zero.excessRisk)}`],
    },
    {
      name: setting === 'central' ? 'records of the curator' : 'players',
      figure: wholeNumber(players),
      notes:
        setting === 'central'
          ? [`${row.seconds.toFixed(2)} s a fit`]
          : [counted(records, 'record'), `${row.seconds.toFixed(2)} s a fit`],
    },
    {
      name: setting === 'central' ? 'one record is promised' : 'one player is promised',
      figure: guarantee === null ? 'nothing' : describeGuarantee(guarantee),
      notes: [guarantee === null ? 'the claim is refuted' : 'all releases together'],
    },
  ];
}

const ZERO = 'zero: nobody is asked';

/** Distance and excess risk against the budget, both logarithmic. Levels show the answers that need no player. */
function errorCharts(document: ModelRunDocument): Markup {
  const { baselines, symbol, unit } = document;
  const rows = summed(document);
  const variants = [...new Set(rows.map(({ variant }) => variant))];
  const chart = (
    name: string,
    of: (row: Summed) => number,
    levels: readonly (readonly ['solid' | 'dashed', number, string])[],
  ): Picture => {
    // A risk below that of the fit comes from rounding only.
    const series = variants.map((variant, style) => ({
      name: variant,
      style: style % STYLES,
      points: rows
        .filter((row) => row.variant === variant && of(row) > 0)
        .map((row) => ({
          x: row.budget,
          mean: of(row),
          deviation: null,
          tip: `${variant}, ${symbol} = ${row.budget}: ${figure(of(row))}`,
        })),
    }));
    return lineChart({
      label: `${capital(name)} against ${symbol}`,
      xLabel: `${symbol} (logarithmic)`,
      yLabel: `${name} (logarithmic)`,
      limits: [0, Infinity],
      logarithmic: true,
      series: series.filter(({ points }) => points.length > 0),
      levels: levels
        .filter(([, value]) => value > 0)
        .map(([kind, value, name]) => ({ kind, value, name, tip: `${name}: ${figure(value)}` })),
    });
  };
  return figures(
    chart(`distance, ${unit}`, (row) => row.distance, [['dashed', baselines.zero.distance, ZERO]]),
    chart('excess risk', (row) => row.excessRisk, [
      ['solid', baselines.constant.excessRisk, 'best constant'],
      ['dashed', baselines.zero.excessRisk, ZERO],
    ]),
  );
}

/** The coefficients of the headline run above those of the non-private fit. */
function coefficientChart({ features, estimate, baselines, variant, symbol, budget, unit }: ModelRunDocument): Markup {
  const places = features.map((name, i) => {
    const [low, high] = estimate.intervals?.[i] ?? [estimate.theta[i], estimate.theta[i]];
    const value = baselines.nonPrivate.theta[i];
    return {
      name,
      value,
      estimate: estimate.theta[i],
      error: (high - low) / 2,
      tip: `${name}: fit ${figure(value)}, ${variant} ${figure(estimate.theta[i])}`,
    };
  });
  const whiskers = estimate.intervals === null ? '' : ', with intervals of level 0.95';
  const name = `${variant} at ${symbol} = ${budget}, first run${whiskers}; bars are the fit in the clear`;
  return figures(profileChart({ label: 'Coefficients', name, xLabel: 'coefficient', yLabel: unit, places, style: 0 }));
}

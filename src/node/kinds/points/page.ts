import { describeGuarantee } from '../../../privacy/guarantee.ts';
import { counted, wholeNumber } from '../../figures.ts';
import { figures, type Picture } from '../../report/figure.ts';
import { lineChart } from '../../report/line-chart.ts';
import { type Markup, paragraph, STYLES, section, textTable } from '../../report/markup.ts';
import { capital, guaranteeSection, runPage } from '../../report/page.ts';
import type { PointRunDocument } from './document.ts';
import { planePicture } from './plane.ts';
import { averaged, distanceText, pointTable } from './text.ts';
import { pointVerdict } from './verdict.ts';

/** One HTML page about a document; `points` are some of the points of the run. */
export async function pointPage(document: PointRunDocument, points: readonly (readonly number[])[]): Promise<string> {
  const { protocol, title, summary, agreed, players, who, repetitions, command, version, seed, runs, certificates } =
    document;
  const shares = [...new Set(runs.map(({ moved }) => moved))];
  const several = repetitions > 1 ? ` Means of ${repetitions} runs.` : '';
  return runPage({
    ...{ protocol, title, command, version, seed },
    verdict: pointVerdict(document),
    about: [
      `${capital(summary)}. Each of ${counted(players, 'player')} (${who}) sends one randomized report of its point.`,
      agreed,
    ],
    tiles: tilesOf(document),
    sections: [
      ...(document.dimension === 2 ? [await planeSection(document, points)] : []),
      section(
        'Distance from the median against ε',
        figures(...shares.map((moved) => distancePicture(document, moved, shares.length === 1))),
        paragraph('In the clear the median is 0 off where nobody is moved: it is what distances are from.', 'soft'),
      ),
      section(
        'Results',
        textTable(pointTable(document), { right: 2, grouped: true }),
        paragraph(`${NOTE}${several}`, 'soft'),
      ),
      guaranteeSection(
        { symbol: 'ε' },
        certificates.map(({ epsilon, certificate }) => ({
          budget: epsilon,
          certificate,
          guarantee: certificate.claimed,
        })),
      ),
    ],
  });
}

const NOTE =
  'Distances are from the median of the points that nobody moved. Weiszfeld: the median of the points as moved, in the clear; plain ' +
  'mean: their mean, in the clear. The private mean comes from the same reports as the private median.';

function tilesOf(document: PointRunDocument) {
  const { variant, epsilon, metrics, baselines, players, scale, guarantee, grade, unit } = document;
  const text = (value: number): string => distanceText(value, document);
  return [
    {
      name: `distance in ${unit}, ${variant} at ε = ${epsilon}`,
      figure: text(metrics.distance),
      notes: [
        `private mean ${text(baselines.mean.distance)}`,
        `plain mean ${text(baselines.plainMean.distance)}`,
        `middle of the bounds ${text(baselines.centre.distance)}`,
      ],
    },
    { name: 'players', figure: wholeNumber(players), notes: [`${text(scale)} are 1 in the protocol`] },
    {
      name: 'one player is promised',
      figure: describeGuarantee(guarantee),
      notes: [`variant ${variant}`, `grade ${grade}`],
    },
  ];
}

async function planeSection(document: PointRunDocument, points: readonly (readonly number[])[]): Promise<Markup> {
  const { unit, repetitions, variant } = document;
  const runs = repetitions > 1 ? `all ${counted(repetitions, 'run')} of its kind` : 'the run';
  const note =
    `Grey: some of the points, the darker the more. Coloured: the first private median under ${variant}, in the middle of a ` +
    `circle whose radius is the error of ${runs} (root mean square).`;
  const land =
    unit === 'km'
      ? ' Players who fly to Alaska, Hawaii or the islands take part beyond the edge. Lines: boundaries of the U.S. Census Bureau.'
      : '';
  return section('Where it is', figures(await planePicture(document, points)), paragraph(note + land, 'soft'));
}

/** Distance against ε: the private median and mean of each variant; levels show what is possible without privacy. */
function distancePicture(document: PointRunDocument, share: number, wide: boolean): Picture {
  const runs = averaged(document.runs).filter(({ moved }) => moved === share);
  const variants = [...new Set(runs.map(({ variant }) => variant))];
  const curves = variants.flatMap((variant, index) =>
    (['median', 'mean'] as const).map((what, place) => ({
      name: `private ${what}, ${variant}`,
      style: (2 * index + place) % STYLES,
      points: runs
        .filter((run) => run.variant === variant)
        .map((run) => ({
          x: run.epsilon,
          mean: run[what],
          deviation: null,
          tip: `${variant}, ε = ${run.epsilon}: private ${what} ${distanceText(run[what], document)} off`,
        })),
    })),
  );
  const levels = [
    { kind: 'solid' as const, value: runs[0].weiszfeld, name: 'median in the clear' },
    { kind: 'dashed' as const, value: runs[0].plainMean, name: 'mean in the clear' },
  ].filter(({ value }) => value > 1e-6 * document.scale);
  const moved = share === 0 ? 'nobody moved' : `${100 * share} % moved`;
  return lineChart({
    label: `Distance from the median, ${moved}`,
    caption: capital(moved),
    wide,
    xLabel: 'ε of one player (logarithmic)',
    yLabel: `distance, ${document.unit} (logarithmic)`,
    limits: [0, Infinity],
    logarithmic: true,
    series: curves,
    levels: levels.map((level) => ({ ...level, tip: `${level.name}: ${distanceText(level.value, document)}` })),
  });
}

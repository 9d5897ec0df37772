import type { SurveyQuantity } from '../../../simulation/survey-study.ts';
import { counted, wholeNumber } from '../../figures.ts';
import { figures, type Picture } from '../../report/figure.ts';
import { type Markup, paragraph, section, textTable } from '../../report/markup.ts';
import { capital, guaranteeSection, promisedBy, runPage } from '../../report/page.ts';
import { profileChart } from '../../report/profile-chart.ts';
import type { SurveyDocument } from './document.ts';
import { errorWords, quantityTable, runTable, shownWithin } from './text.ts';
import { surveyVerdict } from './verdict.ts';

/** With fewer quantities in a group each of them is drawn against ε. */
const MANY = 4;

/** One HTML page about a document. */
export function surveyPage(document: SurveyDocument): string {
  const { protocol, title, summary, command, version, seed, players, confidence, estimate } = document;
  const groups = [...new Set(estimate.quantities.map(({ group }) => group))];
  return runPage({
    ...{ protocol, title, command, version, seed },
    verdict: surveyVerdict(document),
    about: [
      `${capital(summary)}. Each of ${counted(players, 'player')} sends one randomized report.`,
      `The intervals of a run that are of one kind hold all at once with probability ${confidence}; they are for sampling and noise ` +
        'together. The bars are the same numbers in the clear, for comparison; only the reports are private.',
    ],
    tiles: tilesOf(document),
    sections: [
      ...groups.map((group) => groupSection(document, group)),
      section('Estimates', textTable(quantityTable(document), { right: 1 })),
      section(
        'All runs',
        textTable(runTable(document), { right: 2, grouped: true }),
        paragraph(`Error: ${errorWords(document)}.`, 'soft'),
      ),
      guaranteeSection({ symbol: 'ε' }, promisedBy(document)),
    ],
  });
}

function tilesOf(document: SurveyDocument) {
  const { variant, epsilon, metrics, players, estimate, runs } = document;
  const [{ seconds }] = runs.filter((run) => run.epsilon === epsilon);
  return [
    {
      name: `error, ${variant} at ε = ${epsilon}`,
      figure: metrics.error.toPrecision(3),
      notes: [errorWords(document), `widest interval ${metrics.widest.toPrecision(3)}`],
    },
    {
      name: 'intervals that hold',
      figure: `${metrics.held} of ${estimate.quantities.length}`,
      notes: ['the number in the clear'],
    },
    {
      name: 'players',
      figure: wholeNumber(players),
      notes: [`${seconds.toFixed(1)} s a run`, `${wholeNumber(players / seconds)} a second`],
    },
  ];
}

/** Many quantities side by side in the headline run, or each of a few against ε. */
function groupSection(document: SurveyDocument, group: string): Markup {
  const { estimate, truth, runs, variant, epsilon } = document;
  const places = estimate.quantities.flatMap((quantity, at) => (quantity.group === group ? [at] : []));
  if (places.length >= MANY) {
    const shown = places.map((at) => placeOf(estimate.quantities[at], truth[at], estimate.quantities[at].name));
    return section(capital(group), figures(chart(`${variant} at ε = ${epsilon}`, '', group, shown)));
  }
  const first = runs.filter((run) => run.variant === runs.find((one) => one.epsilon === run.epsilon)?.variant);
  const drawn = first.filter(({ repetition }) => repetition === 0);
  const charts = places.map((at) => {
    const shown = drawn.map((run) => placeOf(run.quantities[at], truth[at], `ε = ${run.epsilon}`));
    return chart('private', 'ε of one player', estimate.quantities[at].name, shown);
  });
  return section(capital(group), ...charts.map((one) => figures(one)));
}

function placeOf({ name: of, value, lower, upper }: SurveyQuantity, truth: number, name: string) {
  const [estimated, from, to, clear] = [value, lower, upper, truth].map((one) => shownWithin(one, upper - lower));
  const tip = `${of}, ${name}: ${estimated}, from ${from} to ${to}; in the clear ${clear}`;
  return { name, value: truth, estimate: value, error: [lower, upper] as const, tip };
}

function chart(
  series: string,
  xLabel: string,
  yLabel: string,
  places: Parameters<typeof profileChart>[0]['places'],
): Picture {
  return profileChart({ label: yLabel, name: `${series}, with its interval`, xLabel, yLabel, places, style: 0 });
}

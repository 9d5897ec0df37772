import { decimal } from '../../privacy/rounding.ts';
import type { RunDocument } from '../experiment/document.ts';
import { compact, counted } from '../figures.ts';
import { barChart } from './bar-chart.ts';
import { styleOf } from './legend.ts';
import { element, escapeText, type Markup } from './markup.ts';

/** How many players each variant needs for a gradient as exact as the best variant's with the players there are. */
export function playersChart(document: RunDocument): Markup {
  const { playersForSameVariance, epsilon, delta, players, collectedDegree } = document;
  if (playersForSameVariance.length === 0) return '';
  const [best] = playersForSameVariance;
  const bars = playersForSameVariance.map(({ variant, ratio, players: needed, variance }) => ({
    name: variant,
    style: styleOf(document, variant),
    value: needed,
    text: `${compact(needed)}  (${compact(ratio)} ×)`,
    tip: `${variant}: ${compact(needed)} players; variance ${compact(variance)} of one report`,
  }));
  const caption =
    `So many players give, under each variant, a gradient of the variance that ${counted(players, 'player')} give ` +
    `under ${best.variant}; ε = ${epsilon}, δ = ${decimal(delta)}, ‖w‖ = 1, degree ${collectedDegree}.`;
  return [
    element('p', {}, escapeText(caption)),
    element(
      'figure',
      { class: 'wide' },
      barChart({ label: 'Players needed for the same variance', xLabel: 'players (logarithmic)', bars }),
    ),
  ].join('');
}

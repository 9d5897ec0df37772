import type { Figure, FigureAxis, FigurePoint } from '../experiment/figure.ts';

/** How many colours curves and boxes have; from the number of marks on, the forms of marks come again. */
export const COLOURS = 8;

/**
 * What of figures cannot be drawn: numbers that are not finite, or not positive on a logarithmic axis, styles without a colour, figures
 * without anything in them, and names that cannot be names of files side by side.
 */
export function figureFaults(figures: readonly Figure[]): readonly string[] {
  const names = figures.map(({ name }) => name);
  return figures.flatMap((figure, index) => {
    const faults = faultsOf(figure);
    if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(figure.name))
      faults.push('its name is not of small letters, digits and hyphens');
    if (names.indexOf(figure.name) < index) faults.push('its name is taken');
    return faults.map((fault) => `figure ${figure.name}: ${fault}`);
  });
}

function faultsOf(figure: Figure): string[] {
  const upright = valuesOf(figure);
  const faults = [
    ...axisFaults('y', figure.y, [...upright, ...figure.levels.map(({ value }) => value)]),
    ...(figure.kind === 'curves'
      ? axisFaults(
          'x',
          figure.x,
          pointsOf(figure).map(({ x }) => x),
        )
      : []),
  ];
  const drawn = figure.kind === 'curves' ? figure.curves : figure.groups.flatMap(({ boxes }) => boxes);
  for (const { name, style } of drawn) {
    if (!(Number.isInteger(style) && style >= 0 && style < COLOURS))
      faults.push(`${name} has the style ${style}, and there are ${COLOURS}`);
  }
  if (upright.length === 0) faults.push('there is nothing in it');
  return faults;
}

function valuesOf(figure: Figure): readonly number[] {
  if (figure.kind === 'boxes') return figure.groups.flatMap(({ boxes }) => boxes.flatMap(({ five }) => five));
  return pointsOf(figure).flatMap(({ y, low = y, high = y }) => [low, y, high]);
}

function pointsOf({ curves }: Extract<Figure, { readonly kind: 'curves' }>): readonly FigurePoint[] {
  return curves.flatMap(({ points }) => points);
}

function axisFaults(axis: string, { logarithmic }: FigureAxis, values: readonly number[]): string[] {
  const wrong = values.filter((value) => !Number.isFinite(value) || (logarithmic && value <= 0));
  return [...new Set(wrong)].map((value) => `${value} on the ${logarithmic ? 'logarithmic ' : ''}axis ${axis}`);
}

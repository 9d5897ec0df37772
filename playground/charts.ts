import type { Snapshot } from './collection.ts';
import { draw, frame, HEIGHT, points, scale, shape, WIDTH } from './svg.ts';

/** Two-sided 95 % of the normal law. */
export const NORMAL = 1.96;

/** The largest risk that is shown: a model that says nothing has ½. */
const MOST = 0.6;

const format = (players: number): string => (players >= 1e6 ? `${players / 1e6} M` : players.toLocaleString('en'));

/** Risk against players: what the server says with its interval, what is true of the same model, and the best model. */
export function drawRisk(picture: Element, snapshots: readonly Snapshot[], players: number): void {
  const decades = [1e3, 1e4, 1e5, 1e6].filter((decade) => decade <= players);
  const { x, y, axes } = frame(
    {
      name: 'reports',
      from: 3,
      to: Math.max(3.5, Math.log10(players)),
      ticks: decades.map((decade) => [Math.log10(decade), format(decade)]),
    },
    {
      name: 'risk (mean hinge loss)',
      from: 0,
      to: MOST,
      ticks: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6].map((risk) => [risk, risk.toFixed(1)]),
    },
  );
  const at = ({ players: reports }: Snapshot) => x(Math.log10(reports));
  const line = (risk: (snapshot: Snapshot) => number, kind: string) => [
    shape('polyline', { points: points(snapshots.map((one) => [at(one), y(risk(one))])), class: `line ${kind}` }),
  ];
  const band = [
    ...snapshots.map((one) => [at(one), y(one.fit.risk + NORMAL * one.fit.standardError)] as const),
    ...snapshots.map((one) => [at(one), y(one.fit.risk - NORMAL * one.fit.standardError)] as const).reverse(),
  ];
  // An interval of few reports is larger than the picture.
  const window = shape('rect', { x: x(3) - 4, y: y(MOST), width: WIDTH, height: y(0) - y(MOST) });
  const drawn = [
    shape('polygon', { points: points(band), class: 'band s0' }),
    ...line(({ truth }) => truth.risk, 's2 dashed'),
    ...line(({ fit }) => fit.known?.risk ?? 0, 's1'),
    ...line(({ fit }) => fit.risk, 's0'),
    ...snapshots.flatMap((one) => [
      shape('circle', { cx: at(one), cy: y(one.fit.risk), r: 3.5, class: 'marker s0' }),
      shape('rect', {
        x: at(one) - 3,
        y: y(one.fit.known?.risk ?? 0) - 3,
        width: 6,
        height: 6,
        class: 'marker s1',
      }),
    ]),
  ];
  draw(picture, riskInWords(snapshots), [
    ...axes,
    shape('clipPath', { id: 'window' }, window),
    shape('g', { 'clip-path': 'url(#window)' }, ...drawn),
  ]);
}

function riskInWords(snapshots: readonly Snapshot[]): string {
  const last = snapshots.at(-1);
  if (last === undefined) return 'Risk against reports: nothing has been collected yet.';
  const { players, fit, truth } = last;
  return (
    `Risk against reports. After ${format(players)} reports the server estimates ${fit.risk.toFixed(3)} plus or minus ` +
    `${(NORMAL * fit.standardError).toFixed(3)}; the true risk of its model is ${fit.known?.risk.toFixed(3)}, ` +
    `that of the best model without privacy ${truth.risk.toFixed(3)}.`
  );
}

/** What is drawn of the models: names of the coordinates, the two models, and half widths of intervals when known. */
export interface Models {
  readonly names: readonly string[];
  readonly private: Float64Array;
  readonly truth: Float64Array;
  readonly widths: Float64Array | undefined;
}

const NAMES = 108;

/** Each coordinate of w: the private model beside the best one. */
export function drawModels(picture: Element, models: Models): void {
  const { names, private: w, truth, widths } = models;
  const x = scale([-1, 1], [NAMES, WIDTH - 12]);
  const row = scale([-0.5, names.length - 0.5], [24, HEIGHT - 44]);
  const inside = (value: number) => x(Math.max(-1, Math.min(1, value)));
  const rows = names.flatMap((name, j) => {
    const y = row(j);
    const drawn = [
      shape('text', { x: NAMES - 10, y: y + 4, class: 'tick end' }, name),
      shape('line', { x1: x(-1), x2: x(1), y1: y, y2: y, class: 'grid' }),
    ];
    if (widths !== undefined) {
      const ends = { x1: inside(w[j] - widths[j]), x2: inside(w[j] + widths[j]), y1: y, y2: y };
      drawn.push(shape('line', { ...ends, class: 'interval s0' }));
    }
    return [
      ...drawn,
      shape('rect', { x: x(truth[j]) - 2, y: y - 8, width: 4, height: 16, class: 'marker s2' }),
      shape('circle', { cx: x(w[j]), cy: y, r: 4.5, class: 'marker s0' }),
    ];
  });
  const said = names.map((name, j) => `${name}: ${w[j].toFixed(2)}, best ${truth[j].toFixed(2)}`).join('; ');
  draw(picture, `The private model beside the best one. ${said}.`, [
    ...[-1, -0.5, 0, 0.5, 1].map((value) =>
      shape('text', { x: x(value), y: HEIGHT - 26, class: 'tick middle' }, String(value)),
    ),
    shape('line', { x1: x(0), x2: x(0), y1: 20, y2: HEIGHT - 42, class: 'axis' }),
    ...rows,
    shape('text', { x: x(0), y: HEIGHT - 6, class: 'middle' }, 'weight of the coordinate in the model w'),
  ]);
}

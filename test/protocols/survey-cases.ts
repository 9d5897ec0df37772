import { frequency } from '../../protocols/frequency/index.ts';
import { mean } from '../../protocols/mean/index.ts';
import type { PlainRequest, Player, Server } from '../../src/core/contract.ts';
import type { Random } from '../../src/random/random.ts';

const STRANGE = {
  null: null,
  undefined,
  'a text': '3.16227766',
  'an object': { point: 2.2360679 },
  NaN,
};

/** The tally of reports of so many players about data that are drawn one after the other. */
export function collected<Parameters, Datum, Report, Tally>(
  {
    player,
    server,
  }: {
    readonly player: Pick<Player<Parameters, Datum, Report>, 'randomize'>;
    readonly server: Pick<Server<Parameters, Report, Tally, unknown, never>, 'empty' | 'add'>;
  },
  parameters: Parameters,
  players: number,
  datum: (index: number) => Datum,
  random: Random,
): Tally {
  const tally = server.empty(parameters);
  for (let i = 0; i < players; i++) server.add(parameters, tally, player.randomize(parameters, datum(i), random));
  return tally;
}

/** The contract case of a request of categories or bins. */
export function frequencyCase(request: PlainRequest) {
  const { edges, categories = 0 } = request as { edges?: number[]; categories?: number };
  const others = [{ epsilon: 2 }, edges ? { edges: [...edges, 9999] } : { categories: categories + 1 }];
  return {
    name: JSON.stringify(request),
    make: () => frequency.make(request),
    others: [...others, { grade: request.grade ? 'simulation' : 'deployment' }].map((change) =>
      frequency.make({ ...request, ...change }),
    ),
    data: edges
      ? Array.from({ length: 9 }, (_, i) => edges[0] + ((edges.at(-1)! - edges[0]) * i) / 8)
      : Array.from({ length: categories }, (_, i) => i),
    refused: {
      ...STRANGE,
      ...(edges ? {} : { 'a fraction': 3.16227766 }),
      'too much': 1234567.5,
      'a negative number': -1234567.25,
      'a list': [3],
    },
  };
}

/** The contract case of a request of a box or a ball. */
export function meanCase(request: PlainRequest) {
  const { bounds, radius = 1, dimension = 2 } = request as { bounds?: number[][]; radius?: number; dimension?: number };
  const d = bounds?.length ?? dimension;
  const place = (j: number, share: number): number =>
    bounds ? bounds[j][0] + share * (bounds[j][1] - bounds[j][0]) : ((2 * share - 1) * radius) / Math.sqrt(d + 0.01);
  const changes = [
    { epsilon: 2.5 },
    bounds ? { bounds: bounds.map(([lower, upper]) => [lower, upper + 1]) } : { radius: radius + 1 },
    { grade: request.grade ? 'simulation' : 'deployment' },
  ];
  return {
    name: JSON.stringify(request),
    make: () => mean.make(request),
    others: changes.map((change) => mean.make({ ...request, ...change })),
    data: Array.from({ length: 11 }, (_, i) =>
      d === 1 ? place(0, i / 10) : Array.from({ length: d }, (__, j) => place(j, ((3 * i + 7 * j) % 11) / 10)),
    ),
    refused: {
      ...STRANGE,
      'too much': d === 1 ? 1234567.5 : new Array(d).fill(1234567.5),
      'a negative number': d === 1 ? -1234567.25 : new Array(d).fill(-1234567.25),
      'too few': new Array(d - 1).fill(0),
      'too many': new Array(d + 1).fill(0),
      'a text among them': new Array(d).fill('0.17320508'),
      'NaN among them': new Array(d).fill(Number.NaN),
      'the other form': d === 1 ? [] : 0,
    },
    exact: false,
    tolerance: 1e-9,
  };
}

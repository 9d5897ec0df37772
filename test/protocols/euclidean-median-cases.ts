import type { EuclideanMedianEstimate, EuclideanMedianQuery } from '../../protocols/euclidean-median/estimate.ts';
import { euclideanMedianParameters } from '../../protocols/euclidean-median/index.ts';
import type {
  EuclideanMedianDatum,
  EuclideanMedianParameters,
  EuclideanMedianRequest,
} from '../../protocols/euclidean-median/parameters.ts';
import type { ChannelTally } from '../../src/core/channel.ts';
import { fillSphere, uniform } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import type { ContractCase } from '../../src/testing/contract/law.ts';
import { floatsOf } from './hinge-cases.ts';

/** A case of the Euclidean median protocol. */
export type EuclideanMedianCase = ContractCase<
  EuclideanMedianParameters,
  EuclideanMedianDatum,
  ChannelTally,
  EuclideanMedianEstimate,
  EuclideanMedianQuery
>;

/** Points spread over the ball, the first of them on the sphere. */
export function points(count: number, dimension: number, seed: string): EuclideanMedianDatum[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, i) => {
    const point = new Float64Array(dimension);
    fillSphere(point, random);
    const norm = i === 0 ? 1 : uniform(random);
    return { point: point.map((entry) => norm * entry) };
  });
}

/** What is not a point of this dimension. */
function strangers(dimension: number): { readonly [what: string]: unknown } {
  const fill = (value: unknown, length: number = dimension): unknown[] => new Array(length).fill(value);
  const inside = 0.3141592653589793 / Math.sqrt(dimension);
  return {
    null: null,
    undefined,
    'a number': 0.6180339887498949,
    'a text': '0.6180339887498949',
    'no point': { features: fill(inside) },
    'a point that is null': { point: null },
    'a point that is a number': { point: 0.6180339887498949 },
    'a point that is a text': { point: '0.6180339887498949' },
    'one coordinate too few': { point: fill(inside, dimension - 1) },
    'one coordinate too many': { point: fill(inside, dimension + 1) },
    'a NaN among the coordinates': { point: fill(inside).with(0, NaN) },
    'an infinity among the coordinates': { point: fill(inside).with(dimension - 1, -Infinity) },
    'a text among the coordinates': { point: fill(inside).with(0, '0.6180339887498949') },
    'a hole among the coordinates': { point: Array.from({ length: dimension }) },
    'a norm above 1': { point: fill(1.7320508075688772) },
    'a norm just above 1': { point: fill(1.0000012345678 / Math.sqrt(dimension)) },
  };
}

/** What a tally holds, in an order that does not depend on the order of the reports. */
export function content(parameters: EuclideanMedianParameters, tally: ChannelTally): readonly number[] {
  if (tally.kind === 'moments') return [tally.players, ...tally.sums];
  const { length } = parameters;
  const reports = Array.from({ length: tally.players }, (_, i) =>
    Array.from(tally.values.subarray(i * length, (i + 1) * length)),
  );
  reports.sort((a, b) => a[0] - b[0]);
  return [tally.players, ...reports.flat()];
}

/** The numbers of an estimate, the risk at a point that is not the median among them. */
export function numbers({ w, mean, riskAt, ...rest }: EuclideanMedianEstimate): readonly number[] {
  const { players, radius, degree, coefficients, bias, risk, standardError } = rest;
  const elsewhere = Float64Array.from(w, (_, i) => ((i % 3) - 1) * 0.4);
  return [...w, ...mean, players, radius, degree, ...coefficients, bias, risk, standardError, riskAt(elsewhere)];
}

/** A request of a variant: those with δ have one in a million. */
export function euclideanMedianRequest(
  variant: EuclideanMedianRequest['variant'],
  degree: number,
  dimension: number,
  epsilon: number,
): EuclideanMedianRequest {
  return variant === 'lifted'
    ? { variant, epsilon, degree, dimension }
    : { variant, epsilon, delta: 1e-6, degree, dimension };
}

/** The case of one request, and the other requests its reports must not be taken for. */
export function euclideanMedianCase(request: EuclideanMedianRequest): EuclideanMedianCase {
  const { variant, epsilon, degree, dimension } = request;
  const parameters = euclideanMedianParameters(request);
  const changed: readonly object[] = [
    { epsilon: epsilon * 1.5 },
    { degree: degree + 1 },
    { dimension: dimension + 1 },
    ...(variant === 'lifted'
      ? [{ shares: parameters.variant === 'lifted' ? parameters.scales : [] }]
      : [{ delta: 1e-7 }]),
  ];
  const others = changed.map((change) =>
    euclideanMedianParameters({ ...request, ...change } as EuclideanMedianRequest),
  );
  const elsewhere: EuclideanMedianRequest =
    variant === 'lifted'
      ? { variant: 'gaussian', epsilon, degree, dimension, delta: 1e-6 }
      : { variant: 'lifted', epsilon: 3, degree, dimension };
  const product = variant === 'printed' || variant === 'copies';
  return {
    name: `${variant}, ${request.grade ?? 'simulation'}, ε = ${epsilon}, degree ${degree}, dimension ${dimension}`,
    make: () => euclideanMedianParameters(structuredClone(request)),
    others: [...others, euclideanMedianParameters(elsewhere)],
    data: points(11, dimension, `contract ${dimension}`),
    refused: strangers(dimension),
    queries: [
      { coefficients: [0.7], radius: 0.8 },
      { degree: 0, radius: 2, beta: 0.3 },
      ...(product
        ? ([
            { decoder: 'product', method: 'averaged-sgd', radius: 0.5, seed: 'another' },
            { decoder: 'product', method: 'sigm-with-replacement', beta: 0.3 },
            { decoder: 'averaged', degree: 0 },
          ] as const)
        : []),
    ],
    content,
    numbers,
    exact: false,
    tolerance: 1e-6,
    ...floatsOf('euclidean-median', parameters.precision),
  };
}

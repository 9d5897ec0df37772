import type { MarginDatum } from '../../protocols/generalized-linear/device.ts';
import { carriesPowers } from '../../protocols/generalized-linear/margin/parameters.ts';
import type { MarginEstimate, MarginQuery } from '../../protocols/generalized-linear/margin/query.ts';
import { type HingeParameters, type HingeRequest, hingeParameters } from '../../protocols/hinge/index.ts';
import type { ChannelTally } from '../../src/core/channel.ts';
import { createReport, type Precision } from '../../src/core/frame.ts';
import { fillSphere, uniform } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import type { ContractCase } from '../../src/testing/contract/law.ts';

/** A case of the hinge protocol. */
export type HingeCase = ContractCase<HingeParameters, MarginDatum, ChannelTally, MarginEstimate, MarginQuery>;

/** Records spread over the ball, with labels ±1 and some in between. */
export function records(count: number, dimension: number, seed: string): MarginDatum[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, i) => {
    const features = new Float64Array(dimension);
    fillSphere(features, random);
    const norm = i === 0 ? 1 : uniform(random);
    return {
      features: features.map((entry) => norm * entry),
      label: i % 5 === 4 ? 2 * uniform(random) - 1 : i % 2 ? -1 : 1,
    };
  });
}

/** What is not a record of this dimension. */
function strangers(dimension: number): { readonly [what: string]: unknown } {
  const fill = (value: unknown, length: number = dimension): unknown[] => new Array(length).fill(value);
  const inside = 0.3141592653589793 / Math.sqrt(dimension);
  const outside = 1.7320508075688772;
  return {
    null: null,
    undefined,
    'a number': 0.6180339887498949,
    'a text': '0.6180339887498949',
    'no features': { label: 1 },
    'features null': { features: null, label: 1 },
    'features a number': { features: 0.6180339887498949, label: 1 },
    'features a text': { features: '0.6180339887498949', label: 1 },
    'one feature too few': { features: fill(inside, dimension - 1), label: 1 },
    'one feature too many': { features: fill(inside, dimension + 1), label: 1 },
    'a NaN among the features': { features: fill(inside).with(0, NaN), label: 1 },
    'an infinity among the features': { features: fill(inside).with(dimension - 1, Infinity), label: -1 },
    'a text among the features': { features: fill(inside).with(0, '0.6180339887498949'), label: 1 },
    'null among the features': { features: fill(inside).with(0, null), label: 1 },
    'a hole among the features': { features: Array.from({ length: dimension }), label: 1 },
    'a norm above 1': { features: fill(outside), label: 1 },
    'a norm just above 1': { features: fill(1.0000012345678 / Math.sqrt(dimension)), label: 1 },
    'no label': { features: fill(inside) },
    'label 2': { features: fill(inside), label: 2 },
    'a label just above 1': { features: fill(inside), label: 1.000001234567 },
    'a label below −1': { features: fill(inside), label: -2.23606797749979 },
    'label NaN': { features: fill(inside), label: NaN },
    'an infinite label': { features: fill(inside), label: -Infinity },
    'label a text': { features: fill(inside), label: '0.6180339887498949' },
  };
}

/** What a tally holds, in an order that does not depend on the order of the reports. */
export function content(parameters: HingeParameters, tally: ChannelTally): readonly number[] {
  if (tally.kind === 'moments') return [tally.players, ...tally.sums];
  const { length } = createReport(parameters).values;
  const reports = Array.from({ length: tally.players }, (_, i) =>
    Array.from(tally.values.subarray(i * length, (i + 1) * length)),
  );
  reports.sort((a, b) => a[0] - b[0]);
  return [tally.players, ...reports.flat()];
}

/** The numbers of an estimate, the risk at a point that is not the minimiser among them. */
export function numbers({ w, riskAt, ...rest }: MarginEstimate): readonly number[] {
  const { players, radius, degree, coefficients, ridge, bias, risk, standardError } = rest;
  const elsewhere = Float64Array.from(w, (_, i) => ((i % 3) - 1) * 0.4);
  return [...w, players, radius, degree, ...coefficients, ridge, bias, risk, standardError, riskAt(elsewhere)];
}

/** Where the floats of a framed report begin, for a protocol's name and the precision of its parameters; integers have none. */
export function floatsOf(
  name: string,
  precision: Precision,
): { readonly floats?: { readonly offset: number; readonly size: 4 | 8 } } {
  if (precision === 'int32' || precision === 'uint32') return {};
  return { floats: { offset: 28 + name.length, size: precision === 'float32' ? 4 : 8 } };
}

/** A request of a variant: those with δ have one in a million. */
export function hingeRequest(
  variant: HingeRequest['variant'],
  degree: number,
  dimension: number,
  epsilon: number,
): HingeRequest {
  return carriesPowers(variant)
    ? { variant, epsilon, degree, dimension }
    : { variant, epsilon, delta: 1e-6, degree, dimension };
}

/** The case of one request, and the other requests its reports must not be taken for. */
export function hingeCase(request: HingeRequest): HingeCase {
  const { variant, epsilon, degree, dimension } = request;
  const parameters = hingeParameters(request);
  const changed: readonly Partial<HingeRequest>[] = [
    { epsilon: epsilon * 1.5 },
    { degree: degree + 1 },
    { dimension: dimension + 1 },
    // No integer holds the values of a budget beyond all bounds.
    ...((carriesPowers(variant) || variant === 'gaussian') && epsilon < 100
      ? [{ grade: request.grade === 'deployment' ? 'simulation' : 'deployment' } as const]
      : []),
    ...(carriesPowers(variant)
      ? [{ shares: Array.from({ length: variant === 'direct' ? degree || 1 : degree + 1 }, (_, j) => 3 ** -j) }]
      : [{ delta: 1e-7 }]),
  ];
  const others = changed.map((change) => hingeParameters({ ...request, ...change } as HingeRequest));
  const elsewhere: HingeRequest =
    variant === 'lifted'
      ? { variant: 'gaussian', epsilon, degree, dimension, delta: 1e-6 }
      : { variant: 'lifted', epsilon: 3, degree, dimension };
  const product = variant === 'printed' || variant === 'copies';
  return {
    name: `${variant}, ${request.grade ?? 'simulation'}, ε = ${epsilon}, degree ${degree}, dimension ${dimension}`,
    make: () => hingeParameters(structuredClone(request)),
    others: [...others, hingeParameters(elsewhere)],
    data: records(11, dimension, `contract ${dimension}`),
    refused: strangers(dimension),
    queries: [
      { coefficients: [-0.7, 0.3].slice(0, degree + 1), ...(variant === 'printed' ? {} : { ridge: 0.5 }) },
      { degree: 0, radius: 2 },
      ...(product
        ? ([
            { decoder: 'product', server: 'average', radius: 0.5, seed: 'another' },
            { decoder: 'product', server: 'sigm-with-replacement', beta: 0.3 },
            { server: 'sigm', radius: 2, degree: 0, start: 0 },
            { server: 'average', decoder: 'signs', start: 0.5, distance: 0.3, beta: 0.2, degree: 0 },
            { decoder: 'averaged', semidefinite: false },
          ] as const)
        : []),
    ],
    content,
    numbers,
    exact: false,
    tolerance: 1e-9,
    ...floatsOf('hinge', parameters.precision),
    padded: variant === 'direct' || variant === 'sampled',
  };
}

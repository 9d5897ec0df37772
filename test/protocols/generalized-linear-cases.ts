import type { MarginDatum } from '../../protocols/generalized-linear/device.ts';
import { generalizedLinearParameters } from '../../protocols/generalized-linear/index.ts';
import {
  carriesPowers,
  type MarginParameters,
  type MarginTask,
} from '../../protocols/generalized-linear/margin/parameters.ts';
import type { MarginEstimate } from '../../protocols/generalized-linear/margin/query.ts';
import type {
  GeneralizedLinearParameters,
  GeneralizedLinearRequest,
} from '../../protocols/generalized-linear/parameters.ts';
import type { GeneralizedLinearQuery } from '../../protocols/generalized-linear/server.ts';
import type { ChannelTally } from '../../src/core/channel.ts';
import type { ContractCase } from '../../src/testing/contract/law.ts';
import { content, floatsOf, hingeCase, numbers, records } from './hinge-cases.ts';

/** A case of the generalized-linear protocol. */
export type GeneralizedLinearCase = ContractCase<
  GeneralizedLinearParameters,
  MarginDatum,
  ChannelTally,
  MarginEstimate,
  GeneralizedLinearQuery
>;

/**
 * A request of a variant: those with δ have one in a million. Spherical Laplace reports answer where they beat lifted ones,
 * which for a handful of players takes a large ε.
 */
export function generalizedLinearRequest(
  variant: GeneralizedLinearRequest['variant'],
  degree: number,
  dimension: number,
  task?: MarginTask,
): GeneralizedLinearRequest {
  if (variant === 'sphericalLaplace') return { variant, epsilon: 60, dimension };
  const chosen = task === undefined ? {} : { task };
  return carriesPowers(variant)
    ? { variant, epsilon: 2, degree, dimension, ...chosen }
    : ({ variant, epsilon: 2, delta: 1e-6, degree, dimension, ...chosen } as GeneralizedLinearRequest);
}

function changes(request: GeneralizedLinearRequest): readonly object[] {
  const { variant, epsilon, dimension } = request;
  const common = [{ epsilon: epsilon * 1.5 }, { dimension: dimension + 1 }];
  if (variant === 'sphericalLaplace') return common;
  const { degree } = request;
  const more = [...common, { degree: degree + 1 }];
  if (carriesPowers(variant)) {
    const length = variant === 'direct' ? degree || 1 : degree + 1;
    return [...more, { shares: Array.from({ length }, (_, j) => 3 ** -j) }, ...otherTask(request)];
  }
  return [...more, { delta: 1e-7 }, ...(variant === 'gaussian' ? otherTask(request) : [])];
}

function otherTask(request: { readonly task?: string; readonly degree: number }): readonly object[] {
  return request.task === 'regression'
    ? [{ task: 'classification' }]
    : [{ task: 'regression', degree: request.degree + 1 }];
}

function queries(request: GeneralizedLinearRequest): readonly GeneralizedLinearQuery[] {
  const { variant } = request;
  if (variant === 'sphericalLaplace')
    return [{ loss: 'squared', ridge: 0.5 }, { degree: 0, radius: 2 }, { force: true }];
  if ('task' in request && request.task === 'regression') {
    return [{ coefficients: [0, 1], ridge: 0.5 }, { loss: 'absolute', degree: 1 }, { radius: 'automatic' }];
  }
  const losses: GeneralizedLinearQuery[] = [
    { loss: 'squared', ...(variant === 'printed' ? {} : { ridge: 0.5 }) },
    { loss: 'hinge-1', degree: 0, radius: 2 },
  ];
  if (carriesPowers(variant) || variant === 'gaussian') return [...losses, { loss: 'logistic', radius: 'automatic' }];
  return [
    ...losses,
    { decoder: 'product', server: 'average', radius: 0.5, seed: 'another' },
    { decoder: 'product', server: 'sigm-with-replacement', loss: 'hinge', beta: 0.3 },
    { server: 'sigm', loss: 'hinge', decoder: 'averaged', start: 0.3, distance: 0.5, degree: 0 },
    { decoder: 'averaged', semidefinite: false },
  ];
}

/** The case of one request, and the other requests its reports must not be taken for. */
export function generalizedLinearCase(request: GeneralizedLinearRequest): GeneralizedLinearCase {
  const { variant, epsilon, dimension } = request;
  const parameters = generalizedLinearParameters(request);
  const others = changes(request).map((change) =>
    generalizedLinearParameters({ ...request, ...change } as GeneralizedLinearRequest),
  );
  const elsewhere: GeneralizedLinearRequest =
    variant === 'lifted'
      ? { variant: 'sphericalLaplace', epsilon, dimension }
      : { variant: 'lifted', epsilon: 3, degree: 1, dimension };
  return {
    name: JSON.stringify(request),
    make: () => generalizedLinearParameters(structuredClone(request)),
    others: [...others, generalizedLinearParameters(elsewhere)],
    data: records(11, dimension, `contract ${dimension}`),
    refused: hingeCase({ variant: 'gaussian', epsilon: 1, delta: 1e-6, degree: 0, dimension }).refused,
    queries: queries(request),
    // Looks at the length and the precision of the reports alone.
    content: (made, tally) => content(made as MarginParameters, tally),
    numbers,
    exact: false,
    tolerance: 1e-9,
    ...floatsOf('generalized-linear', parameters.precision),
    padded: variant === 'direct' || variant === 'sampled',
  };
}

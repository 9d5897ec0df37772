import { checkWord, refusal } from '../../../src/check/number.ts';
import type { Json } from '../../../src/core/digest.ts';
import type { CopiesDecoder, MarginEstimate, MarginQuery, MarginServer } from './query.ts';

/** Names of the servers. */
const SERVERS: readonly MarginServer[] = ['sigm', 'average', 'newton', 'sigm-with-replacement'];

/** Names of the decoders of noisy copies. */
const DECODERS: readonly CopiesDecoder[] = ['product', 'averaged', 'signs'];

/** The decoder and the server that a query of noisy copies asks for, with the defaults that each has from the other. */
export interface Serving {
  readonly decoder: CopiesDecoder;
  readonly server: MarginServer;
}

/**
 * The decoder and server of a query of noisy copies: as printed for `printed`, and for `copies` the averaged copies all at once.
 *
 * @throws TypeError or RangeError naming the field; RangeError for products of copies all at once, which nobody should want.
 */
export function servingOf(variant: 'printed' | 'copies', query: Pick<MarginQuery, 'decoder' | 'server'>): Serving {
  const walk: MarginServer = variant === 'printed' ? 'sigm-with-replacement' : 'sigm';
  const printed = variant === 'printed' && query.server !== 'newton';
  const decoder = checkWord('decoder', query.decoder ?? (printed ? 'product' : 'averaged'), DECODERS);
  const server = checkWord('server', query.server ?? (decoder === 'product' ? walk : 'newton'), SERVERS);
  if (decoder === 'product' && server === 'newton') {
    throw new RangeError(refusal('server', 'one that steps report by report for the product decoder', server));
  }
  return { decoder, server };
}

/**
 * Refuses what only noisy copies have: a decoder, and a server that needs the reports themselves.
 *
 * @throws RangeError naming the field.
 */
export function refuseServing(variant: string, query: Pick<MarginQuery, 'decoder' | 'server'>): void {
  if (query.decoder !== undefined) {
    throw new RangeError(refusal('decoder', `none for variant ${variant}, which has one only`, query.decoder));
  }
  if (query.server !== undefined && query.server !== 'newton') {
    throw new RangeError(
      refusal('server', `newton or none for variant ${variant}: others are for noisy copies`, query.server),
    );
  }
}

/**
 * The part of a query that says how a study decodes: the labels of its records are −1 or 1, which averaged copies profit from.
 *
 * @throws TypeError or RangeError naming the field, before there is a tally.
 */
export function studyServing(
  variant: string | undefined,
  asked: { readonly server?: string | undefined; readonly decoder?: string | undefined },
): Pick<MarginQuery, 'decoder' | 'server'> {
  const query = {
    ...(asked.server === undefined ? {} : { server: checkWord('server', asked.server, SERVERS) }),
    ...(asked.decoder === undefined ? {} : { decoder: checkWord('decoder', asked.decoder, DECODERS) }),
  };
  if (variant !== 'copies' && variant !== 'printed') {
    if (variant !== undefined) refuseServing(variant, query);
    return query;
  }
  return variant === 'copies' && query.decoder === undefined
    ? servingOf(variant, { ...query, decoder: 'signs' })
    : servingOf(variant, query);
}

/** What an estimate says besides its model and risk, as plain data: who made it, and how. */
export function estimateDetails(estimate: MarginEstimate): { readonly [key: string]: Json } {
  const { coefficients, ridge, bias, server, plan } = estimate;
  const found = { coefficients: Array.from(coefficients), ridge, bias, server };
  return plan === undefined ? found : { ...found, plan: { ...plan } };
}

/** Variants of plans in several dimensions: the first two in one dimension too, the others are scalar there. */
export type SeveralMaker = 'vector' | 'coordinates' | 'twoRound' | 'printed';

/** Whether a plan or a round is one of several dimensions: those alone say where vectors of samples lie. */
export function isVector<Parameters extends object>(
  parameters: Parameters,
): parameters is Extract<Parameters, { readonly domain: unknown }> {
  return 'domain' in parameters;
}

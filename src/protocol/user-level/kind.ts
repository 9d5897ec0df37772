/** Whether a plan or a round is one of several dimensions. */
export function isVector<
  Several extends { readonly maker: 'vector' | 'coordinates' },
  One extends { readonly maker: string },
>(parameters: Several | One): parameters is Several {
  return parameters.maker === 'vector' || parameters.maker === 'coordinates';
}

import type { PlainRequest, PublicParameters } from '../../core/contract.ts';
import type { Uncertainty } from '../../inference/model-interval.ts';
import type { StudyQuery } from '../../simulation/study.ts';
import { type Answering, answering } from '../refused.ts';
import { loadAnyStudy } from '../studies.ts';
import { type EstimateTask, folding } from './collection.ts';
import { restoreFold, type Served } from './fold.ts';

/** Estimates from a state, in a thread of its own. */
const estimate: Answering<EstimateTask, string> = answering(async ({ word, request, saved, query }) =>
  estimateText(await estimateOf(word, request, saved, query)),
);
export default estimate;

/** The estimate; with `uncertainty` beside its fields where the protocol has a study that tells it from a tally. */
async function estimateOf(word: string, request: PlainRequest, saved: Uint8Array, query: unknown): Promise<unknown> {
  const { protocol, parameters, fold } = await folding(word, request);
  const uncertaintyOf = await uncertainties(word, parameters, query);
  if (uncertaintyOf === undefined || !('estimate' in protocol.server))
    return fold(new Uint8Array(saved)).estimate(query);
  const { server } = protocol as OneShot;
  const telling = {
    ...protocol,
    server: {
      ...server,
      estimate(plan: PublicParameters, tally: unknown, asked: unknown): object {
        const found = server.estimate(plan, tally, asked);
        return { ...found, uncertainty: uncertaintyOf(tally, found as never) };
      },
    },
  };
  return restoreFold(telling as unknown as Served, parameters, new Uint8Array(saved)).estimate(query);
}

interface OneShot {
  readonly server: { estimate(plan: PublicParameters, tally: unknown, query: unknown): object };
}

/** What the noise leaves open, from a tally and its estimate; absent where a study tells it in another way, or there is none. */
async function uncertainties(
  word: string,
  parameters: PublicParameters,
  query: unknown,
): Promise<((tally: unknown, found: never) => Uncertainty) | undefined> {
  const study = await loadAnyStudy(word);
  if (study.kind === 'points') return (tally, found) => study.uncertainty(parameters, tally, found);
  if (study.kind !== 'records') return undefined;
  const asked = (query ?? {}) as { readonly radius?: number; readonly loss?: string };
  const { loss } = asked;
  const told = loss === undefined ? study : (study.withLoss?.(loss) ?? study);
  const variant = parameters.variant ?? study.variants[0];
  return (tally, found) => told.uncertainty(parameters, tally, found, { radius: 1, ...asked, variant } as StudyQuery);
}

/** An estimate as JSON text, with the numbers of its arrays. */
function estimateText(estimate: unknown): string {
  return JSON.stringify(estimate, (_, part: unknown) =>
    ArrayBuffer.isView(part) ? Array.from(part as Float64Array) : typeof part === 'bigint' ? String(part) : part,
  );
}

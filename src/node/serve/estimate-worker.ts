import type { PlainRequest, PublicParameters } from '../../core/contract.ts';
import { type Answering, answering } from '../refused.ts';
import { openStudy } from '../studies.ts';
import type { EstimateTask } from './collection.ts';
import { folding } from './collection.ts';
import { restoreFold, type Served } from './fold.ts';

/** Estimates from a state, in a thread of its own. */
const estimate: Answering<EstimateTask, string> = answering(async ({ word, request, saved, query }) =>
  estimateText(await estimateOf(word, request, saved, query)),
);
export default estimate;

/** The estimate; with `uncertainty` beside its fields where the protocol has a study that tells it from a tally. */
async function estimateOf(word: string, request: PlainRequest, saved: Uint8Array, query: unknown): Promise<unknown> {
  const { protocol, parameters, fold } = await folding(word, request);
  const uncertaintyOf = (await openStudy(word)).uncertainty?.(parameters, query);
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

/** An estimate as JSON text, with the numbers of its arrays. */
function estimateText(estimate: unknown): string {
  return JSON.stringify(estimate, (_, part: unknown) =>
    ArrayBuffer.isView(part) ? Array.from(part as Float64Array) : typeof part === 'bigint' ? String(part) : part,
  );
}

import { type Answering, answering } from '../refused.ts';
import { folding } from './collection.ts';
import type { EstimateTask } from './estimating.ts';

/** Estimates from a state, in a thread of its own. */
const estimate: Answering<EstimateTask, string> = answering(async ({ word, request, saved, query }) => {
  const { fold } = await folding(word, request);
  return estimateText(fold(new Uint8Array(saved)).estimate(query));
});
export default estimate;

/** An estimate as JSON text, with the numbers of its arrays. */
function estimateText(estimate: unknown): string {
  return JSON.stringify(estimate, (_, part: unknown) =>
    ArrayBuffer.isView(part) ? Array.from(part as Float64Array) : typeof part === 'bigint' ? String(part) : part,
  );
}

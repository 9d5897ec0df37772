import { hinge, lifted, study } from '../../../../protocols/hinge/index.ts';
import type { SentReceipt } from '../../../../src/client/collector-client.ts';
import { createCollector } from '../../../../src/core/collector.ts';
import { type Fold, restoreFold, type Served } from '../../../../src/node/serve/fold.ts';
import { seededRandom } from '../../../../src/random/seeded.ts';

/** The plan that is collected, of hinge. */
export const parameters = lifted({ epsilon: 1, degree: 1, dimension: 3, grade: 'deployment' });
const { digest } = parameters;
export const plan = `plans/${digest}`;

export const makeFold = (saved?: Uint8Array): Fold => restoreFold(hinge as unknown as Served, parameters, saved);

/** Reports of so many players, by the coins of a seed. */
export function reportsOf(seed: string, count: number): readonly Uint8Array[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, i) => {
    const datum = { features: Float64Array.of(0.6, 0, i % 2 ? 0.8 : -0.8), label: (i % 3 ? 1 : -1) as 1 | -1 };
    return hinge.report.encode(parameters, hinge.player.randomize(parameters, datum, random));
  });
}

export const reports = reportsOf('reports to collect', 300);

/** Sends bytes to a collector; its answer. */
export async function post(address: string, path: string, body: Uint8Array, headers: Record<string, string> = {}) {
  const answer = await fetch(`${address}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', ...headers },
    body: body.slice(),
  });
  return { status: answer.status, said: (await answer.json()) as { error?: string; receipts?: SentReceipt[] } };
}

export const get = async (address: string, path: string) => (await fetch(`${address}${path}`)).json();

/** The tally of the first reports in one process, and its estimate. */
function tallyHere(count: number) {
  const { tally, receive } = createCollector(hinge, parameters);
  for (const bytes of reports.slice(0, count)) receive(bytes);
  return { tally, estimate: hinge.server.estimate(parameters, tally) };
}

/** The estimate of the same reports in one process, as JSON has it. */
export function estimateHere(count: number): unknown {
  const { estimate } = tallyHere(count);
  return JSON.parse(
    JSON.stringify(estimate, (_, part) => (ArrayBuffer.isView(part) ? Array.from(part as never) : part)),
  );
}

/** Its uncertainty. */
export function uncertaintyHere(count: number): unknown {
  const { tally, estimate } = tallyHere(count);
  return study.uncertainty(parameters, tally, estimate, { radius: 1, variant: 'lifted' });
}

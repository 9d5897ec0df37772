import { hinge, lifted, study } from '../../../../protocols/hinge/index.ts';
import type { SentReceipt } from '../../../../src/client/collector-client.ts';
import { createCollector } from '../../../../src/core/collector.ts';
import { seededRandom } from '../../../../src/random/seeded.ts';

/** The plan that is collected, of hinge. */
export const parameters = lifted({ epsilon: 1, degree: 1, dimension: 3, grade: 'deployment' });
const { digest } = parameters;
export const plan = `plans/${digest}`;
const random = seededRandom('reports to collect');
/** Reports of 300 players. */
export const reports = Array.from({ length: 300 }, (_, i) => {
  const datum = { features: Float64Array.of(0.6, 0, i % 2 ? 0.8 : -0.8), label: (i % 3 ? 1 : -1) as 1 | -1 };
  return hinge.report.encode(parameters, hinge.player.randomize(parameters, datum, random));
});

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

/** The estimate of the same reports in one process, as JSON has it. */
export function estimateHere(count: number): unknown {
  const here = createCollector(hinge, parameters);
  for (const bytes of reports.slice(0, count)) here.receive(bytes);
  const estimate = hinge.server.estimate(parameters, here.tally);
  return JSON.parse(
    JSON.stringify(estimate, (_, part) => (ArrayBuffer.isView(part) ? Array.from(part as never) : part)),
  );
}

/** Its uncertainty. */
export function uncertaintyHere(count: number): unknown {
  const here = createCollector(hinge, parameters);
  for (const bytes of reports.slice(0, count)) here.receive(bytes);
  const estimate = hinge.server.estimate(parameters, here.tally);
  return study.uncertainty(parameters, here.tally, estimate, { radius: 1, variant: 'lifted' });
}

import { OUTCOMES } from '../../client/receipt.ts';
import type { OpenPlan } from './collection.ts';
import { optionalModule } from './optional.ts';

/** The numbers of a collector in the text format of Prometheus. */
export interface CollectorMetrics {
  readonly contentType: string;
  text(): Promise<string>;
  /** One request: its route, its status and its time in seconds. */
  observe(route: string, status: number, seconds: number): void;
}

/**
 * The metrics of plans: reports by outcome, requests by route and status, and what the process uses.
 *
 * @throws RangeError where the package `prom-client` is not installed.
 */
export async function collectorMetrics(plans: readonly OpenPlan[]): Promise<CollectorMetrics> {
  const { Registry, Gauge, Histogram, collectDefaultMetrics } =
    await optionalModule<typeof import('prom-client')>('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'ldpkit_reports',
    help: 'Reports by outcome since the collector began',
    labelNames: ['plan', 'outcome'],
    registers: [registry],
    collect() {
      for (const { parameters, intake } of plans) {
        for (const outcome of OUTCOMES) this.set({ plan: parameters.digest, outcome }, intake.outcomes[outcome]);
      }
    },
  });
  new Gauge({
    name: 'ldpkit_players',
    help: 'Counted reports of a plan, over all rounds and restarts',
    labelNames: ['plan'],
    registers: [registry],
    async collect() {
      for (const { parameters, intake } of plans) {
        this.set({ plan: parameters.digest }, (await intake.standing()).counted);
      }
    },
  });
  const requests = new Histogram({
    name: 'ldpkit_request_seconds',
    help: 'Time of a request, from its first byte to the last of its answer',
    labelNames: ['route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
    registers: [registry],
  });
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    observe: (route, status, seconds) => requests.observe({ route, status }, seconds),
  };
}

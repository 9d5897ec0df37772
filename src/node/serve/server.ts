import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import {
  decodeBatch,
  OUTCOMES,
  type SentReceipt,
  type SentReport,
  toPlainJson,
} from '../../client/collector-client.ts';
import { LONGEST_ID } from '../../core/door.ts';
import { refusedBy } from '../refused.ts';
import type { Estimating, OpenPlan } from './collection.ts';
import { optionalModule } from './log.ts';
import * as schemas from './routes.ts';

export interface CollectorServerOptions {
  readonly plans: readonly OpenPlan[];
  readonly estimating: Estimating;
  readonly mostBytes: number;
  readonly mostReports: number;
  /** The largest number of requests of one address a minute; 0 for no limit. */
  readonly requestsPerMinute: number;
  /** A text that closes rounds; without it nobody can close one by HTTP. */
  readonly coordinator?: string | undefined;
  /** Whether to write a line of JSON for each request: its route, its status, its time, and nothing of who sent it. */
  readonly log: boolean;
  /** Key and certificate in PEM, for HTTPS. */
  readonly tls?: { readonly key: Uint8Array; readonly cert: Uint8Array };
}

/** A request that takes longer than this to arrive, its head or its body, is cut off, in ms. */
const REQUEST_TIMEOUT = 30_000;
/** How often such requests are looked for, in ms. */
const CHECKED_EVERY = 5000;
/** What a client waits before it asks again, in seconds. */
const RETRY_AFTER = 1;

/** The collector as an HTTP server, not yet listening. Its routes are in the document that it serves at `/openapi.json`. */
export async function createCollectorServer(options: CollectorServerOptions): Promise<FastifyInstance> {
  const [{ fastify, LogController }, { default: swagger }, { default: rateLimit }, metrics] = await Promise.all([
    optionalModule<typeof import('fastify')>('fastify'),
    optionalModule<typeof import('@fastify/swagger')>('@fastify/swagger'),
    optionalModule<typeof import('@fastify/rate-limit')>('@fastify/rate-limit'),
    collectorMetrics(options.plans),
  ]);
  const { tls } = options;
  const limits = { headersTimeout: REQUEST_TIMEOUT, connectionsCheckingInterval: CHECKED_EVERY };
  const secured = tls && { https: { ...limits, key: Buffer.from(tls.key), cert: Buffer.from(tls.cert) } };
  const app = fastify({
    bodyLimit: options.mostBytes,
    requestTimeout: REQUEST_TIMEOUT,
    connectionTimeout: REQUEST_TIMEOUT,
    keepAliveTimeout: 5000,
    forceCloseConnections: true,
    logController: new LogController({ disableRequestLogging: true }),
    logger: options.log ? { base: null } : false,
    http: limits,
    ...secured,
  }) as unknown as FastifyInstance;
  await app.register(swagger, { openapi: schemas.OPENAPI });
  if (options.requestsPerMinute > 0) {
    await app.register(rateLimit, { max: options.requestsPerMinute, timeWindow: '1 minute' });
  }
  app.addContentTypeParser(
    ['application/octet-stream', schemas.BATCH_TYPE],
    { parseAs: 'buffer' },
    (_request, body, done) => done(null, body),
  );
  app.addHook('onRequest', async (request, reply) => {
    const { 'content-encoding': encoding = 'identity' } = request.headers;
    if (encoding !== 'identity') await reply.code(415).send({ error: 'no encoding but identity' });
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    metrics.observe(route, reply.statusCode, reply.elapsedTime / 1000);
    request.log.info({ method: request.method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime) });
  });
  app.setErrorHandler(async (error: Error & { readonly statusCode?: number }, _request, reply) => {
    if (refusedBy(error) !== undefined) return reply.code(400).send({ error: error.message });
    const status = error.statusCode ?? 500;
    // The text of an unexpected error may name files.
    return reply.code(status).send({ error: status < 500 ? error.message : 'the collector failed' });
  });
  routes(app, options);
  app.get('/metrics', { schema: schemas.METRICS }, async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  );
  app.get('/openapi.json', { schema: schemas.DOCUMENT }, async () => app.swagger());
  return app;
}

interface PlanRoute {
  Params: { readonly digest: string };
  Querystring: { readonly round?: number };
}

function routes(app: FastifyInstance, options: CollectorServerOptions): void {
  const { plans, mostReports, coordinator } = options;
  const estimateOf = estimatesOf(options.estimating);
  const byDigest = new Map(plans.map((plan) => [plan.parameters.digest, plan]));
  /** Adds a route of a plan; where no plan has its digest, the answer says so. */
  const route = (
    method: 'GET' | 'POST',
    path: string,
    schema: FastifySchema,
    does: (plan: OpenPlan, reply: FastifyReply, request: FastifyRequest<PlanRoute>) => unknown,
  ) =>
    app.route<PlanRoute>({
      ...{ method, url: `/plans/:digest${path}`, schema },
      async handler(request, reply) {
        const plan = byDigest.get(request.params.digest);
        return plan === undefined
          ? reply.code(404).send({ error: 'no plan with this digest' })
          : does(plan, reply, request);
      },
    });

  const page = schemas.livePage(plans);
  app.get('/', { schema: schemas.INDEX }, async (_request, reply) => reply.type('text/html').send(page));
  app.get('/plans', { schema: schemas.PLANS }, async () => plans.map(planDocument));
  route('GET', '', schemas.PLAN, async (plan) => planDocument(plan));
  route('GET', '/round', schemas.ROUND, async (plan, reply) => {
    const asked = plan.intake.asked();
    if (asked === undefined) return reply.code(204).send();
    return reply.type('application/json').send(toPlainJson(asked));
  });
  route('GET', '/status', schemas.STATUS, (plan, reply) => storing(reply, UNKNOWN, () => statusOf(plan)));
  route('GET', '/estimate', schemas.ESTIMATE, async (plan, reply) => {
    const standing = await storing(reply, UNKNOWN, () => plan.intake.standing());
    if (!('counted' in standing)) return reply;
    if (standing.counted < plan.minimumPlayers) {
      return reply.code(409).send({ error: `estimates are given from ${plan.minimumPlayers} reports on` });
    }
    return reply.type('application/json').send(await estimateOf(plan));
  });
  route('GET', '/events', schemas.EVENTS, async (plan, reply) => {
    sendEvents(reply, plan, estimateOf);
    return reply;
  });

  const receive = async (plan: OpenPlan, reports: readonly SentReport[], reply: FastifyReply) => {
    if (plan.intake.busy) return later(reply, 'too many reports wait for the disk');
    return storing(reply, 'nothing was counted', () => plan.intake.receive(reports));
  };
  route('POST', '/report', schemas.REPORT, async (plan, reply, request) => {
    const player = request.headers['ldpkit-player'];
    if (typeof player !== 'string' || player.length === 0 || player.length > LONGEST_ID) {
      return reply.code(400).send({ error: `a header "ldpkit-player" of 1 to ${LONGEST_ID} characters` });
    }
    if (!Buffer.isBuffer(request.body)) return reply.code(415).send({ error: 'a body of application/octet-stream' });
    const receipts = await receive(plan, [{ player, bytes: request.body }], reply);
    return Array.isArray(receipts) ? (receipts as readonly SentReceipt[])[0] : reply;
  });
  route('POST', '/reports', schemas.REPORTS, async (plan, reply, request) => {
    if (!Buffer.isBuffer(request.body)) return reply.code(415).send({ error: `a body of ${schemas.BATCH_TYPE}` });
    const receipts = await receive(plan, decodeBatch(request.body, mostReports), reply);
    return Array.isArray(receipts) ? { receipts } : reply;
  });
  route('POST', '/close', schemas.CLOSE, async (plan, reply, request) => {
    if (!isCoordinator(request, coordinator)) {
      return reply.code(403).send({ error: 'only the coordinator closes rounds' });
    }
    return storing(reply, 'the round may have ended or not', async () => {
      await plan.intake.close(request.query.round);
      return statusOf(plan);
    });
  });
}

/** The answer that one should ask again a little later. */
function later(reply: FastifyReply, error: string): FastifyReply {
  return reply.code(503).header('retry-after', RETRY_AFTER).send({ error });
}

/** What may follow for who asks where the reports stand: a cluster may have no leader for a moment. */
const UNKNOWN = 'nobody knows where the reports stand';

/** What needs the store, or the answer that it failed. */
async function storing<Result>(
  reply: FastifyReply,
  consequence: string,
  does: () => Promise<Result>,
): Promise<Result | FastifyReply> {
  try {
    return await does();
  } catch (error) {
    if (refusedBy(error) !== undefined) throw error;
    reply.log.error({ failure: (error as Error).name }, 'the store failed');
    return later(reply, `the store failed, and ${consequence}`);
  }
}

function isCoordinator({ headers }: FastifyRequest, coordinator: string | undefined): boolean {
  if (coordinator === undefined) return false;
  const [given, expected] = [headers.authorization ?? '', `Bearer ${coordinator}`].map((text) => Buffer.from(text));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function planDocument({ parameters: { protocol, digest }, certificate }: OpenPlan): object {
  return { protocol, request: certificate.request, digest, certificate };
}

/** What everybody may know of a collection: numbers of reports, and nothing of who sent them. */
async function statusOf({ intake, minimumPlayers }: OpenPlan) {
  const { rounds, round = null, ...standing } = await intake.standing();
  return { ...standing, ...{ round, minimumPlayers, outcomes: { ...intake.outcomes } } };
}

/** What an estimate depends on: with the same reports there may be none before the end of a round, and one after it. */
function placeOf({ counted, round }: { readonly counted: number; readonly round?: number | null | undefined }): string {
  return `${counted} ${round}`;
}

/**
 * What the reports so far say: for all who ask before the next report, one estimate. Of a plan one is made at a time: for all who ask
 * meanwhile it is the next one, so that estimates that take long do not wait for each other in a row.
 */
function estimatesOf(estimating: Estimating): (plan: OpenPlan) => Promise<string> {
  const last = new WeakMap<OpenPlan, { readonly of: string; readonly text: Promise<string> }>();
  const next = new WeakMap<OpenPlan, Promise<string>>();
  const make = async (plan: OpenPlan): Promise<string> => {
    await last.get(plan)?.text.catch(() => undefined);
    const { standing, saved } = await plan.intake.tallied().finally(() => next.delete(plan));
    // From a copy of the state; reports that come meanwhile belong to the next one.
    const text = estimating.estimate(plan, saved(), plan.query);
    last.set(plan, { of: placeOf(standing), text });
    // What failed may be asked again.
    text.catch(() => last.delete(plan));
    return text;
  };
  return async (plan) => {
    const of = placeOf(await plan.intake.standing());
    const known = last.get(plan);
    if (known?.of === of) return known.text;
    const made = next.get(plan) ?? make(plan);
    next.set(plan, made);
    return made;
  };
}

/** The time between two events, in ms. */
const EVENT_EVERY = 1000;

/** Server-sent events: the status, and the estimate where there is a new one. */
function sendEvents(reply: FastifyReply, plan: OpenPlan, estimateOf: (plan: OpenPlan) => Promise<string>): void {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  if (raw.req.method === 'HEAD') {
    raw.end();
    return;
  }
  let estimatedAt: string | undefined;
  let running = false;
  const send = (name: string, text: string): void => void raw.write(`event: ${name}\ndata: ${text}\n\n`);
  const tick = async (): Promise<void> => {
    const status = await statusOf(plan);
    send('status', JSON.stringify(status));
    const place = placeOf(status);
    if (running || status.counted < plan.minimumPlayers || place === estimatedAt) return;
    running = true;
    estimatedAt = place;
    estimateOf(plan)
      .then((text) => send('estimate', text))
      .catch((error: unknown) =>
        send('refused', JSON.stringify(refusedBy(error) ? (error as Error).message : 'failed')),
      )
      .finally(() => {
        running = false;
      });
  };
  const look = (): void => {
    // An answer behind another one of its connection never hears that it was closed.
    if (raw.req.socket.destroyed) clearInterval(timer);
    // There it would wait in memory, and be written when nobody asks for it any more. A cluster that does not answer may at the next tick.
    else if (raw.socket !== null) void tick().catch(() => undefined);
  };
  const timer = setInterval(look, EVENT_EVERY).unref();
  look();
}

/** Metrics in the text format of Prometheus: reports by outcome, the seconds of requests, and what the process uses. */
async function collectorMetrics(plans: readonly OpenPlan[]) {
  const { Registry, Gauge, Histogram, collectDefaultMetrics } =
    await optionalModule<typeof import('prom-client')>('prom-client');
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'ldpkit_reports',
    help: 'Reports by outcome since the collector began',
    labelNames: ['plan', 'outcome'],
    registers,
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
    registers,
    async collect() {
      for (const { parameters, intake } of plans) {
        // Where a cluster does not answer, the number stays as it was, and the others are told.
        const standing = await intake.standing().catch(() => undefined);
        if (standing !== undefined) this.set({ plan: parameters.digest }, standing.counted);
      }
    },
  });
  const requests = new Histogram({
    name: 'ldpkit_request_seconds',
    help: 'Time of a request, from its first byte to the last of its answer',
    labelNames: ['route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
    registers,
  });
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    observe: (route: string, status: number, seconds: number) => requests.observe({ route, status }, seconds),
  };
}

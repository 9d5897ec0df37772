import type { FastifySchema } from 'fastify';
import { OUTCOMES } from '../../client/collector-client.ts';

// The routes of a collector as JSON Schema: they check what comes and goes, and the OpenAPI document is made of them.

/** The schema of a route, with its words for the OpenAPI document. */
type RouteSchema = FastifySchema & { readonly summary: string; readonly consumes?: readonly string[] };

/** The type of a body with several reports: see `encodeBatch`. */
export const BATCH_TYPE = 'application/vnd.ldpkit.batch';

/** The head of the OpenAPI document. */
export const OPENAPI = {
  openapi: '3.1.0',
  info: {
    title: 'ldpkit collector',
    description: 'Takes reports of local differential privacy protocols, each player once, and gives estimates.',
    version: '1',
  },
} as const;

const params = {
  type: 'object',
  required: ['digest'],
  properties: { digest: { type: 'string', description: 'The digest of the plan, 32 hexadecimal digits' } },
} as const;

const error = { type: 'object', properties: { error: { type: 'string' } } } as const;
const missing = { description: 'No such plan', ...error } as const;
const json = { description: 'JSON', type: 'object', additionalProperties: true } as const;

const receipt = {
  type: 'object',
  required: ['outcome'],
  properties: {
    outcome: {
      type: 'string',
      enum: OUTCOMES,
      description:
        'counted: it is on the disk and in the tally. duplicate: this player was counted before. refused: the plan cannot ' +
        'have produced it. late: its round is over. full: the round has all its players. forbidden: no such player or ticket.',
    },
    reason: { type: 'string', description: 'Why it was refused' },
  },
} as const;

const plan = {
  description: 'What a device must know: it makes the parameters itself, and compares the digest',
  type: 'object',
  properties: {
    protocol: { type: 'string' },
    request: { type: 'object', additionalProperties: true },
    digest: { type: 'string' },
    certificate: { type: 'object', additionalProperties: true },
  },
} as const;

const status = {
  description: 'Numbers of reports',
  type: 'object',
  properties: {
    counted: { type: 'integer', description: 'Counted reports, over all rounds and restarts' },
    countedInRound: { type: 'integer' },
    waiting: { type: 'integer', description: 'Reports with a receipt that no tally has yet; 0 but in a cluster' },
    unconfirmed: {
      type: 'integer',
      description:
        'Reports with a receipt of this collector that a cluster may have lost, and that are looked for; 0 but in a cluster',
    },
    round: { type: ['integer', 'null'], description: 'The open round, from 0; null after the last' },
    minimumPlayers: { type: 'integer', description: 'Estimates are given from so many reports on' },
    outcomes: { type: 'object', additionalProperties: { type: 'integer' } },
  },
} as const;

const unavailable = {
  description: 'Too many reports wait, or the store failed: send the same bytes again after Retry-After seconds',
  ...error,
} as const;

export const INDEX: RouteSchema = {
  summary: 'The live page',
  response: { 200: { description: 'HTML', type: 'string' } },
} as const;
export const PLANS: RouteSchema = {
  summary: 'All plans',
  response: { 200: { description: 'Plans', type: 'array', items: plan } },
} as const;
export const PLAN: RouteSchema = { summary: 'One plan', params, response: { 200: plan, 404: missing } } as const;
export const ROUND: RouteSchema = {
  summary: 'The open round or step, as plain data: {"$array": "float64", "hex": "…"} stands for an array of numbers',
  params,
  response: { 200: json, 404: missing },
} as const;
export const STATUS: RouteSchema = {
  summary: 'How many reports there are',
  params,
  response: { 200: status, 404: missing },
} as const;
export const ESTIMATE: RouteSchema = {
  summary: 'What the reports say',
  params,
  response: { 200: json, 404: missing, 409: { description: 'Too few reports', ...error } },
} as const;
export const EVENTS: RouteSchema = {
  summary: 'Server-sent events: status and estimate',
  params,
  response: { 200: { description: 'text/event-stream', type: 'string' }, 404: missing },
} as const;
export const REPORT: RouteSchema = {
  summary: 'One report of one player',
  params,
  consumes: ['application/octet-stream'],
  headers: {
    type: 'object',
    properties: { 'ldpkit-player': { type: 'string', description: 'The id or the ticket of the player' } },
  },
  response: { 200: { description: 'The receipt', ...receipt }, 404: missing, 503: unavailable },
} as const;
export const REPORTS: RouteSchema = {
  summary:
    'Several reports: for each the length of the player’s text (2 bytes), the text, the length (4 bytes) and the report',
  params,
  consumes: [BATCH_TYPE],
  response: {
    200: {
      description: 'The receipts, in the order of the reports',
      type: 'object',
      properties: { receipts: { type: 'array', items: receipt } },
    },
    400: { description: 'No batch', ...error },
    404: missing,
    503: unavailable,
  },
} as const;
export const CLOSE: RouteSchema = {
  summary: 'Ends the open round; for the coordinator. One who names the round ends that one alone, and may ask again',
  params,
  querystring: { type: 'object', properties: { round: { type: 'integer', minimum: 0 } } },
  response: {
    200: status,
    400: { description: 'Too few reports, or no round of that name', ...error },
    403: { description: 'Not the coordinator', ...error },
    404: missing,
  },
} as const;
export const METRICS: RouteSchema = {
  summary: 'Metrics in the format of Prometheus',
  response: { 200: { description: 'Text', type: 'string' } },
} as const;
export const DOCUMENT: RouteSchema = { summary: 'This document', response: { 200: json } } as const;

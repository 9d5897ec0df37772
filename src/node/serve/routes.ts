import type { FastifySchema } from 'fastify';
import { OUTCOMES } from '../../client/collector-client.ts';
import { describeGuarantee } from '../../privacy/guarantee.ts';
import { escapeText } from '../report/markup.ts';
import { PAGE_STYLE, PICTURE_STYLE } from '../report/page.ts';
import type { Collected } from './collection.ts';

// The routes of a collector as JSON Schema: they check what comes and goes, and the OpenAPI document is made of them.

/** The schema of a route, with its words for the OpenAPI document. */
type RouteSchema = FastifySchema & { readonly summary: string; readonly consumes?: readonly string[] };

/** The type of a body with several reports: see `encodeBatch`. */
export const BATCH_TYPE = 'application/vnd.ldpkit.batch';

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
  description: 'Too many reports wait, or the store failed: ask again after Retry-After seconds, with the same bytes',
  ...error,
} as const;

/** A route that answers 200, or something else. */
const route = (summary: string, answer: object, others: object = {}, more: FastifySchema = {}): RouteSchema => ({
  summary,
  ...more,
  response: { 200: answer, ...others },
});
/** The same for one plan, which may not be there. */
const ofPlan: typeof route = (summary, answer, others, more) =>
  route(summary, answer, { ...others, 404: missing }, { params, ...more });
const refused = (description: string) => ({ description, ...error });
const text = (description: string) => ({ description, type: 'string' });
/** What one who names a round, or a player, adds. */
const ROUND_NAMED = { type: 'object', properties: { round: { type: 'integer', minimum: 0 } } };
const PLAYER_NAMED = {
  type: 'object',
  properties: { 'ldpkit-player': { type: 'string', description: 'The id or the ticket of the player' } },
};

export const INDEX: RouteSchema = route('The live page', text('HTML'));
export const PLANS: RouteSchema = route('All plans', { description: 'Plans', type: 'array', items: plan });
export const PLAN: RouteSchema = ofPlan('One plan', plan);
export const ROUND: RouteSchema = ofPlan(
  'The open round or step, as plain data: {"$array": "float64", "hex": "…"} stands for an array of numbers',
  json,
  { 204: { description: 'No round is open', type: 'null' } },
);
export const STATUS: RouteSchema = ofPlan('How many reports there are', status, { 503: unavailable });
export const ESTIMATE: RouteSchema = ofPlan('What the reports say', json, {
  ...{ 409: refused('Too few reports'), 503: unavailable },
});
export const EVENTS: RouteSchema = ofPlan('Server-sent events: status and estimate', text('text/event-stream'));
export const REPORT: RouteSchema = ofPlan(
  'One report of one player',
  { description: 'The receipt', ...receipt },
  { 503: unavailable },
  { consumes: ['application/octet-stream'], headers: PLAYER_NAMED },
);
export const REPORTS: RouteSchema = ofPlan(
  'Several reports: for each the length of the player’s text (2 bytes), the text, the length (4 bytes) and the report',
  {
    description: 'The receipts, in the order of the reports',
    type: 'object',
    properties: { receipts: { type: 'array', items: receipt } },
  },
  { 400: refused('No batch'), 503: unavailable },
  { consumes: [BATCH_TYPE] },
);
export const CLOSE: RouteSchema = ofPlan(
  'Ends the open round; for the coordinator. One who names the round ends that one alone, and may ask again',
  status,
  { 400: refused('Too few reports, or no round of that name'), 403: refused('Not the coordinator') },
  { querystring: ROUND_NAMED },
);
export const METRICS: RouteSchema = route('Metrics in the format of Prometheus', text('Text'));
export const DOCUMENT: RouteSchema = route('This document', json);

/** One page that shows collections while reports come in. It loads nothing from elsewhere. */
export function livePage(plans: readonly Pick<Collected, 'parameters' | 'certificate' | 'fold'>[]): string {
  const sections = plans.map(
    ({ parameters: { protocol, variant, digest }, certificate: { totals }, fold }) =>
      `<section data-plan="${digest}"${fold().rounds ? ' data-rounds' : ''}><h2>${protocol}, ${variant}</h2><p class="soft digest">plan ${digest}</p>` +
      `<p>What a player is promised: ${escapeText(describeGuarantee(totals[0].guarantee))}.</p>` +
      '<dl class="tiles numbers"></dl><h3>Estimate</h3><p class="soft state">No estimate yet.</p>' +
      '<p class="left-open"></p><table class="estimate"></table></section>',
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'">
<title>ldpkit collector</title><style>${PICTURE_STYLE}${PAGE_STYLE}${STYLE}</style></head><body><main><h1>Collector</h1>${sections.join('')}</main>
<script>${SCRIPT}</script></body></html>`;
}

const STYLE = `.digest { overflow-wrap: anywhere; }
.tiles { grid-template-columns: repeat(auto-fit, minmax(115px, 1fr)); }
h3 { margin: 24px 0 4px; }
.estimate { display: block; overflow-x: auto; }
.estimate td:last-child:not(.number) { min-width: 0; }`;

// Texts of the server are put in as texts, never as markup.
const SCRIPT = `const MOST_ROWS = 200;
const figure = (value) => (typeof value === 'number' ? String(Number(value.toPrecision(5))).replace('-', '\u2212') : String(value));
const range = (ends) => { const [low, high] = Array.isArray(ends) ? ends : [ends.lower, ends.upper]; return figure(low) + ' to ' + figure(high); };
const numbers = (part) => Array.isArray(part) && part.length > 0 && part.every((one) => typeof one === 'number');

// An interval, or a standard error, stands beside the first list of numbers that has as many.
function rowsOf(name, value, rows) {
  if (value === null || typeof value !== 'object') { rows.push([name, figure(value), '']); return; }
  const { intervals, standardErrors, standardError, ...rest } = value;
  const errors = standardErrors ?? standardError;
  const lists = [intervals, errors].map((list) => (Array.isArray(list) && list.length > 0 ? list : undefined));
  const partner = lists.map((list) => list && Object.keys(rest).find((key) => numbers(rest[key]) && rest[key].length === list.length));
  const inner = (key) => (name === '' ? key : name + '.' + key);
  for (const [key, part] of Object.entries(value)) {
    if (rows.length >= MOST_ROWS) return;
    const [ends, near] = lists.map((list, at) => (partner[at] === key ? list : undefined));
    if ((part === intervals && partner[0]) || (part === errors && partner[1])) continue;
    if (numbers(part)) {
      part.slice(0, MOST_ROWS - rows.length).forEach((one, i) =>
        rows.push([inner(key) + '[' + i + ']', figure(one), ends ? range(ends[i]) : near ? '\u00b1 ' + figure(near[i]) + ' (standard error)' : '']));
    } else rowsOf(inner(key), part, rows);
  }
}

// What the noise of the reports leaves open, as ldpkit run says it.
function leftOpen({ level, risk, effect, what, enough, playersNeeded }) {
  const risky = risk === null ? '' : 'the risk is ' + range(risk) + ', and ';
  const few = enough ? '' : ' Players are too few to tell from the reports alone that anything was learnt' +
    (playersNeeded === null ? '.' : '; about ' + Number(playersNeeded.toPrecision(2)).toLocaleString('en-US') + ' would do.');
  return 'The noise of the reports leaves open (' + Number((100 * level).toPrecision(12)) + ' % each) that ' + risky + what + ' ' + range(effect) + '.' + few;
}

for (const section of document.querySelectorAll('section')) {
  const base = 'plans/' + section.dataset.plan;
  const find = (name) => section.querySelector('.' + name);
  const add = (parent, tag, text) => parent.appendChild(Object.assign(document.createElement(tag), { textContent: text }));
  const events = new EventSource(base + '/events');
  events.addEventListener('status', ({ data }) => {
    const { counted, round, minimumPlayers, outcomes } = JSON.parse(data);
    const { counted: _, ...others } = outcomes;
    const list = find('numbers');
    list.replaceChildren();
    const open = 'rounds' in section.dataset ? { round: round === null ? 'all over' : round } : {};
    for (const [name, value] of Object.entries({ 'players counted': counted, ...open, 'players before an estimate': minimumPlayers, ...others })) {
      const item = add(list, 'div', '');
      add(item, 'dt', name);
      add(item, 'dd', typeof value === 'number' ? value.toLocaleString('en-US') : value).className = 'figure';
    }
  });
  events.addEventListener('refused', ({ data }) => { find('state').textContent = JSON.parse(data); });
  events.addEventListener('estimate', ({ data }) => {
    const { uncertainty, ...estimate } = JSON.parse(data);
    find('state').textContent = 'From ' + new Date().toLocaleTimeString();
    find('left-open').textContent = uncertainty === undefined ? '' : leftOpen(uncertainty);
    const rows = [];
    rowsOf('', estimate, rows);
    if (uncertainty?.risk) for (const row of rows) if (row[0] === 'risk') row[2] = range(uncertainty.risk);
    const table = find('estimate');
    table.replaceChildren();
    const head = add(table, 'tr', '');
    const beside = rows.some(([, , interval]) => interval !== '');
    for (const title of ['what', 'estimate', ...(beside ? ['interval'] : [])]) add(head, 'th', title);
    for (const cells of rows) {
      const row = add(table, 'tr', '');
      for (const cell of cells.slice(0, beside ? 3 : 2)) add(row, 'td', cell);
    }
  });
}`;

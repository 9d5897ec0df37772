import { describeGuarantee } from '../../privacy/guarantee.ts';
import { escapeText } from '../report/markup.ts';
import { PAGE_STYLE, PICTURE_STYLE } from '../report/page.ts';
import type { Collected } from './collection.ts';

/** One page that shows collections while reports come in. It loads nothing from elsewhere. */
export function livePage(plans: readonly Pick<Collected, 'parameters' | 'certificate'>[]): string {
  const sections = plans.map(
    ({ parameters: { protocol, variant, digest }, certificate: { totals } }) =>
      `<section data-plan="${digest}"><h2>${protocol}, ${variant}</h2><p class="soft digest">plan ${digest}</p>` +
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
  const told = risk === null ? '' : 'the risk is ' + range(risk) + ', and ';
  const few = enough ? '' : ' Players are too few to tell from the reports alone that anything was learnt' +
    (playersNeeded === null ? '.' : '; about ' + Number(playersNeeded.toPrecision(2)).toLocaleString('en-US') + ' would do.');
  return 'The noise of the reports leaves open (' + 100 * level + ' % each) that ' + told + what + ' ' + range(effect) + '.' + few;
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
    for (const [name, value] of Object.entries({ 'players counted': counted, 'round': round === null ? 'all over' : round, 'players before an estimate': minimumPlayers, ...others })) {
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

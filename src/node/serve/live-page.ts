import { describeGuarantee } from '../../privacy/guarantee.ts';
import { escapeText } from '../report/markup.ts';
import type { Collected } from './collection.ts';

/** One page that shows collections while reports come in. It loads nothing from elsewhere. */
export function livePage(plans: readonly Pick<Collected, 'parameters' | 'certificate'>[]): string {
  const sections = plans.map(
    ({ parameters: { protocol, variant, digest }, certificate: { totals } }) =>
      `<section data-plan="${digest}"><h2>${protocol}, ${variant}</h2><p class="digest">plan ${digest}</p>` +
      `<p class="promise">What a player is promised: ${escapeText(describeGuarantee(totals[0].guarantee))}.</p>` +
      '<dl class="numbers"></dl><h3>Estimate</h3><p class="state">No estimate yet.</p>' +
      '<table class="estimate"></table></section>',
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'">
<title>ldpkit collector</title><style>${STYLE}</style></head><body><main><h1>Collector</h1>${sections.join('')}</main>
<script>${SCRIPT}</script></body></html>`;
}

const STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 52rem; margin: 0 auto; padding: 1rem; }
.digest, .promise { color: color-mix(in srgb, currentColor 65%, transparent); overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(8rem, 1fr)); gap: .75rem; }
dt { font-size: .85rem; } dd { margin: 0; font-size: 1.6rem; font-variant-numeric: tabular-nums; }
table { border-collapse: collapse; display: block; overflow-x: auto; } td { padding: .2rem .8rem .2rem 0; border-bottom: 1px solid #8884; font-variant-numeric: tabular-nums; }`;

// Texts of the server are put in as texts, never as markup.
const SCRIPT = `for (const section of document.querySelectorAll('section')) {
  const base = 'plans/' + section.dataset.plan;
  const find = (name) => section.querySelector('.' + name);
  const add = (parent, tag, text) => parent.appendChild(Object.assign(document.createElement(tag), { textContent: text }));
  const events = new EventSource(base + '/events');
  events.addEventListener('status', ({ data }) => {
    const { counted, round, minimumPlayers, outcomes } = JSON.parse(data);
    const numbers = { counted, round: round === null ? 'all over' : round, 'estimate from': minimumPlayers, ...outcomes };
    delete numbers.counted;
    const list = find('numbers');
    list.replaceChildren();
    for (const [name, value] of Object.entries({ players: counted, ...numbers })) {
      const item = add(list, 'div', '');
      add(item, 'dt', name);
      add(item, 'dd', String(value));
    }
  });
  events.addEventListener('refused', ({ data }) => { find('state').textContent = JSON.parse(data); });
  events.addEventListener('estimate', ({ data }) => {
    find('state').textContent = 'From ' + new Date().toLocaleTimeString();
    const rows = [];
    const walk = (name, value) => {
      if (rows.length >= 200) return;
      if (value !== null && typeof value === 'object') for (const [key, part] of Object.entries(value)) walk(name === '' ? key : name + '.' + key, part);
      else rows.push([name, typeof value === 'number' ? String(Number(value.toPrecision(5))) : String(value)]);
    };
    walk('', JSON.parse(data));
    const table = find('estimate');
    table.replaceChildren();
    for (const cells of rows) { const row = add(table, 'tr', ''); for (const cell of cells) add(row, 'td', cell); }
  });
}`;

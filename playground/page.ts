import { deviceReport, partsOf } from './bytes.ts';
import { drawModels, drawRisk, NORMAL } from './charts.ts';
import { collect, type Snapshot } from './collection.ts';
import { byId, readParameters, readPeople, show } from './form.ts';
import { createGame } from './game.ts';
import { type Example, namesOf, recordsOf } from './people.ts';

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Makes the page work. The program is its own text, which the workers run too. */
export function openPage(program: string): void {
  const example: Example = JSON.parse(byId('example').textContent ?? '');
  const game = createGame();
  const collection = createCollection(program, example);
  const report = () => soon('report', () => drawBytes(example));
  const attacked = () => soon('game', game);
  byId('setting').oninput = ({ target }) => {
    const id = (target as Element).id;
    if (id === 'epsilon') byId<HTMLInputElement>('strength').value = byId<HTMLInputElement>('epsilon').value;
    show();
    report();
    if (id === 'epsilon' || id === 'variant') attacked();
  };
  byId('strength').oninput = () => {
    show();
    attacked();
  };
  byId('setting').onsubmit = (event) => {
    event.preventDefault();
    collection.start();
  };
  byId('stop').onclick = collection.stop;
  byId('again').onclick = report;
  show();
  report();
  attacked();
  drawRisk(byId<SVGElement>('risk'), [], readPeople().players);
}

const waiting = new Map<string, number>();

/** Does something in a task of its own, once for all that ask for it before: the page stays quick to answer. */
function soon(name: string, step: () => void): void {
  clearTimeout(waiting.get(name));
  waiting.set(name, window.setTimeout(step, 0));
}

function createCollection(program: string, example: Example): { start(): void; stop(): void } {
  const startButton = byId<HTMLButtonElement>('start');
  const stopButton = byId<HTMLButtonElement>('stop');
  const progress = byId<HTMLProgressElement>('progress');
  const status = byId('status');
  let end: (() => void) | undefined;

  function finish(words: string): void {
    end?.();
    end = undefined;
    stopButton.disabled = true;
    startButton.disabled = false;
    status.textContent = words;
  }

  function start(): void {
    end?.();
    const people = readPeople();
    const parameters = readParameters();
    const names = namesOf(people);
    const snapshots: Snapshot[] = [];
    const count = people.players.toLocaleString('en');
    const models = (widths: Float64Array | undefined) => {
      const { fit, truth } = snapshots.at(-1)!;
      drawModels(byId<SVGElement>('models'), { names, private: fit.w, truth: truth.w, widths });
    };
    // The button keeps the keyboard's focus: it starts anew.
    stopButton.disabled = false;
    status.textContent = `${count} people are asked.`;
    progress.value = 0;
    const plan = { request: parameters.request!, digest: parameters.digest, people, example };
    end = collect(program, parameters, plan, {
      counted(players) {
        progress.value = players / people.players;
      },
      estimated(snapshot, last) {
        snapshots.push(snapshot);
        snapshots.sort((a, b) => a.players - b.players);
        drawRisk(byId<SVGElement>('risk'), snapshots, people.players);
        models(undefined);
        tabulate(snapshots.at(-1)!);
        if (last) {
          status.textContent = `${count} people answered, and the model was found, in ${(snapshot.milliseconds / 1000).toFixed(1)} s.`;
          status.dataset.milliseconds = String(Math.round(snapshot.milliseconds));
        }
      },
      settled(widths) {
        models(widths);
        finish(status.textContent ?? '');
      },
      refused: (why) => finish(`The collection ended: ${why}`),
    });
  }
  return { start, stop: () => finish('Stopped. What was learnt so far is shown below.') };
}

function tabulate({ players, bytes, fit, truth }: Snapshot): void {
  const texts: Readonly<Record<string, string>> = {
    accuracy: percent(fit.known?.accuracy ?? 0),
    'best-accuracy': percent(truth.accuracy),
    'true-risk': (fit.known?.risk ?? 0).toFixed(4),
    'best-risk': truth.risk.toFixed(4),
    'said-risk': `${fit.risk.toFixed(4)} ± ${(NORMAL * fit.standardError).toFixed(4)}`,
    bytes: `${players.toLocaleString('en')} × ${Math.round(bytes / players)} = ${bytes.toLocaleString('en')}`,
  };
  for (const [id, text] of Object.entries(texts)) byId(id).textContent = text;
}

function drawBytes(example: Example): void {
  const parameters = readParameters();
  const people = readPeople();
  const { dimension, features, labels } = recordsOf(people, example, 0);
  const datum = { features: Array.from(features.subarray(0, dimension)), label: labels[0] };
  const bytes = deviceReport(parameters, datum);
  const parts = partsOf(parameters, bytes);
  byId('size').textContent = `It has ${bytes.length} bytes.`;
  const hexOf = (from: number, to: number) =>
    Array.from(bytes.subarray(from, to), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  byId('hex').replaceChildren(
    ...parts.flatMap(({ name, from, to }, i) => {
      const span = document.createElement('span');
      span.className = `s${i % 3}`;
      span.title = name;
      span.textContent = hexOf(from, to);
      return [span, ' '];
    }),
  );
  const rows = parts.map(({ name, from, to, meaning }, i) => {
    const row = document.createElement('tr');
    const key = document.createElement('span');
    key.className = `key s${i % 3}`;
    const cells = [`${from}${to > from + 1 ? `–${to - 1}` : ''}`, name, meaning].map((text) => {
      const cell = document.createElement('td');
      cell.textContent = text;
      return cell;
    });
    cells[0].prepend(key);
    row.append(...cells);
    return row;
  });
  byId('parts')
    .querySelector('tbody')!
    .replaceChildren(...rows);
}

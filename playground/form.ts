import { hinge } from 'ldpkit/protocols/hinge';
import { namesOf, type People } from './people.ts';
import type { Parameters } from './tasks.ts';

/** The element of the page with this id. */
export function byId<Kind extends Element = HTMLElement>(id: string): Kind {
  const element = document.getElementById(id);
  if (element === null) throw new TypeError(`the page has no "${id}"`);
  return element as unknown as Kind;
}

/** The values of ε that can be chosen. */
const BUDGETS: readonly number[] = [0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 4, 6, 8];

/** δ of the variant that needs one. */
const DELTA = 1e-6;

const numberOf = (id: string): number => Number(byId<HTMLInputElement>(id).value.replaceAll(',', ''));
const wordOf = (id: string): string => byId<HTMLSelectElement>(id).value;

/** The people of the form. */
export function readPeople(): People {
  return {
    source: wordOf('source') === 'penguins' ? 'penguins' : 'classes',
    players: numberOf('players'),
    dimension: numberOf('dimension'),
    positive: numberOf('positive') / 100,
    wrong: numberOf('wrong') / 100,
  };
}

/** The chosen ε of one of the two sliders. */
export const readBudget = (id: 'epsilon' | 'strength'): number => BUDGETS[numberOf(id)];

function make(epsilon: number, degree: number, dimension: number): Parameters {
  const variant = wordOf('variant');
  const budget = variant === 'gaussian' ? { epsilon, delta: DELTA } : { epsilon };
  return hinge.make!({ variant, ...budget, degree, dimension, grade: 'deployment' });
}

/** The public parameters of the collection. */
export function readParameters(): Parameters {
  return make(readBudget('epsilon'), numberOf('degree'), namesOf(readPeople()).length);
}

/** The parameters of the game: two numbers, so that a report can be drawn, and all of ε for them. */
export function readGame(): Parameters {
  return make(readBudget('strength'), 0, 2);
}

/** Says beside each slider where it stands, and hides what belongs to other people. */
export function show(): void {
  const said: Readonly<Record<string, (value: number) => string>> = {
    dimension: String,
    positive: (value) => `${value} %`,
    wrong: (value) => `${value} %`,
    epsilon: (value) => `ε = ${BUDGETS[value]}`,
    strength: (value) => `ε = ${BUDGETS[value]}`,
  };
  for (const [id, text] of Object.entries(said)) {
    const words = text(numberOf(id));
    byId(id).setAttribute('aria-valuetext', words);
    byId(id).nextElementSibling!.textContent = words;
  }
  const { source } = readPeople();
  for (const element of document.querySelectorAll<HTMLElement>('.classes')) element.hidden = source !== 'classes';
  for (const element of document.querySelectorAll<HTMLElement>('.penguins')) element.hidden = source !== 'penguins';
}

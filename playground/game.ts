import { type Attacked, attack, guaranteesOf, misses, mostRight, playRound, type Round } from './attack.ts';
import { byId, readBudget, readGame } from './form.ts';
import { draw, frame, HEIGHT, points, scale, shape, WIDTH } from './svg.ts';
import type { Parameters } from './tasks.ts';

/** Guesses of the best attacker at one press: they take a few milliseconds. */
const GUESSES = 2000;

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** What was played under one budget. */
interface Played {
  readonly parameters: Parameters;
  readonly round: Round;
  readonly right: number;
  readonly guesses: number;
}

/** Sets up the attacker's part of the page; the result starts it anew. */
export function createGame(): () => void {
  let played: Played;

  function restart(): void {
    const parameters = readGame();
    tellBound(parameters);
    played = { parameters, round: playRound(parameters), right: 0, guesses: 0 };
    byId('you').textContent = byId('attacker').textContent = '–';
    byId('verdict').textContent = 'Guess as often as you like.';
    drawTradeOff(parameters, undefined);
    drawReport(played.round);
  }

  function guess(yes: boolean): void {
    const { parameters, round } = played;
    const hit = round.first === yes;
    const right = played.right + Number(hit);
    const guesses = played.guesses + 1;
    played = { ...played, right, guesses, round: playRound(parameters) };
    byId('verdict').textContent =
      `${hit ? 'Right' : 'Wrong'}: it was a ${round.first ? 'yes' : 'no'}. The next report is drawn.`;
    byId('you').textContent = `${percent(right / guesses)} (${right} of ${guesses})`;
    drawReport(played.round);
  }

  byId('yes').onclick = () => guess(true);
  byId('no').onclick = () => guess(false);
  byId('thousand').onclick = () => {
    const { parameters } = played;
    const found = attack(parameters, GUESSES);
    byId('attacker').textContent = `${percent(found.right / found.guesses)} (${found.right} of ${found.guesses})`;
    drawTradeOff(parameters, found);
  };
  return restart;
}

function tellBound(parameters: Parameters): void {
  const most = mostRight(guaranteesOf(parameters));
  byId('most').textContent = percent(most);
  byId('bound').textContent =
    `At ε = ${readBudget('strength')} this variant lets nobody, with whatever knowledge and computer, guess right more ` +
    `often than ${percent(most)} of the time. A coin is right 50 % of the time.`;
}

const TICKS = [0, 0.25, 0.5, 0.75, 1].map((share) => [share, `${100 * share} %`] as const);

function drawTradeOff(parameters: Parameters, found: Attacked | undefined): void {
  const curve = misses(guaranteesOf(parameters));
  const axis = { from: 0, to: 1, ticks: TICKS };
  const { x, y, axes } = frame(
    { name: 'false alarms: a no that is taken for a yes', ...axis },
    { name: 'misses: a yes that is taken for a no', ...axis },
  );
  const places = Array.from({ length: 201 }, (_, i) => i / 200);
  const inside = [
    ...axes,
    shape('line', { x1: x(0), x2: x(1), y1: y(1), y2: y(0), class: 'line s2 dashed' }),
    shape('polyline', { points: points(places.map((alarms) => [x(alarms), y(curve(alarms))])), class: 'line s0' }),
  ];
  if (found !== undefined) {
    const place = { x: x(found.falseAlarms) - 4, y: y(found.misses) - 4, width: 8, height: 8 };
    inside.push(shape('rect', { ...place, class: 'marker s1' }));
  }
  draw(
    byId<SVGElement>('trade-off'),
    `Whoever has 25 % false alarms misses at least ${percent(curve(0.25))}.` +
      (found === undefined
        ? ''
        : ` The best attacker had ${percent(found.falseAlarms)} false alarms and ${percent(found.misses)} misses.`),
    inside,
  );
}

/** The report as an arrow, made as long as the picture allows: its length says nothing about the person. */
function drawReport({ seen: [across, up] }: Round): void {
  const norm = Math.hypot(across, up);
  const x = scale([-1, 1], [60, WIDTH - 60]);
  const middle = (HEIGHT - 60) / 2;
  const end = { x: x(across / norm), y: middle - (middle - 12) * (up / norm) };
  const angle = Math.atan2(end.y - middle, end.x - x(0));
  const corner = (turn: number): [number, number] => [
    end.x - 14 * Math.cos(angle + turn),
    end.y - 14 * Math.sin(angle + turn),
  ];
  const picture = byId<SVGElement>('report');
  draw(
    picture,
    `The arrow of the report points ${Math.round((180 * Math.atan2(up, across)) / Math.PI)} degrees from yes.`,
    [
      shape('line', { x1: x(-1), x2: x(1), y1: middle, y2: middle, class: 'grid' }),
      shape('text', { x: 6, y: middle + 5 }, 'no'),
      shape('text', { x: WIDTH - 6, y: middle + 5, class: 'end' }, 'yes'),
      shape('line', { x1: x(0), y1: middle, x2: end.x, y2: end.y, class: 'line s1' }),
      shape('polygon', { points: points([[end.x, end.y], corner(0.4), corner(-0.4)]), class: 'marker s1' }),
    ],
  );
  picture.setAttribute('viewBox', `0 0 ${WIDTH} ${HEIGHT - 60}`);
}

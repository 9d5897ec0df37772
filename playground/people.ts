import { seededRandom } from 'ldpkit';
import { bernoulli, fillSphere } from 'ldpkit/mechanism';

/** The people of a simulation. They are the same for the same setting: only the noise of their reports is new each time. */
export interface People {
  /** Two artificial classes in the unit ball, or the penguins of the example. */
  readonly source: 'classes' | 'penguins';
  /** How many there are. */
  readonly players: number;
  /** p of the artificial classes. */
  readonly dimension: number;
  /** The share of the first class, in (0, 1). */
  readonly positive: number;
  /** The share of labels that are turned around, in [0, ½). */
  readonly wrong: number;
}

/** The public example: measured animals, several players for each. */
export interface Example {
  /** Beak length and depth in mm, flipper length in mm, mass in g; then 1 for the species Adelie and −1 for others. */
  readonly animals: readonly (readonly number[])[];
}

/** Labelled records, as `ldpkit/simulate` takes them. */
export interface Records {
  readonly players: number;
  readonly dimension: number;
  readonly names: readonly string[];
  /** Record after record; each has a norm of at most 1. */
  readonly features: Float32Array;
  /** +1 or −1. */
  readonly labels: Int8Array;
}

/** Players that answer in one piece of work. */
export const CHUNK = 125;

/** How many pieces of work there are. */
export const chunksOf = ({ players }: Pick<People, 'players'>): number => Math.ceil(players / CHUNK);

/** How far the centres of the classes are from the origin; the rest of the radius is for the spread around them. */
const CENTRE = 0.3;

/** What a penguin can measure at most and at least: public, from books and not from the records. */
const BOUNDS: readonly (readonly [name: string, least: number, most: number])[] = [
  ['beak length', 30, 60],
  ['beak depth', 13, 22],
  ['flipper length', 170, 232],
  ['mass', 2700, 6300],
];

/** The coins of the people, which are public: not those of the reports. */
const crowd = seededRandom('people of the playground');

/** The names of the coordinates. The last one of the penguins is the same for all of them. */
export function namesOf({ source, dimension }: People): readonly string[] {
  if (source === 'penguins') return [...BOUNDS.map(([name]) => name), 'constant'];
  return Array.from({ length: dimension }, (_, j) => `x${j + 1}`);
}

/** The place of the coordinate that is the same for everybody, where there is one. */
export const interceptOf = ({ source }: People): number | undefined =>
  source === 'penguins' ? BOUNDS.length : undefined;

/** From the origin to the centre of the first class: coordinates of both signs that get smaller. */
export function centre(dimension: number): Float64Array {
  const axis = Float64Array.from({ length: dimension }, (_, j) => (j % 2 === 0 ? 1 : -1) * (dimension - j));
  const norm = Math.hypot(...axis);
  return axis.map((entry) => (CENTRE * entry) / norm);
}

/**
 * The records of one piece of work.
 *
 * Law of the classes: x is y times the centre plus a uniform vector of the ball of radius 0.7, so it is in the unit ball;
 * then the label is turned with the probability `wrong`.
 */
export function recordsOf(people: People, example: Example, chunk: number): Records {
  const from = chunk * CHUNK;
  const players = Math.min(CHUNK, people.players - from);
  const names = namesOf(people);
  const dimension = names.length;
  const features = new Float32Array(players * dimension);
  const labels = new Int8Array(players);
  if (people.source === 'penguins') fillPenguins(example, from, features, labels);
  else fillClasses(people, crowd.stream(chunk), features, labels);
  return { players, dimension, names, features, labels };
}

function fillClasses(
  { dimension, positive, wrong }: People,
  random: ReturnType<typeof seededRandom>,
  features: Float32Array,
  labels: Int8Array,
): void {
  const middle = centre(dimension);
  // The leading coordinates of a point of the sphere with two more dimensions are uniform in the ball.
  const point = new Float64Array(dimension + 2);
  for (let i = 0; i < labels.length; i++) {
    const side = bernoulli(positive, random) ? 1 : -1;
    fillSphere(point, random);
    for (let j = 0; j < dimension; j++) features[i * dimension + j] = side * middle[j] + (1 - CENTRE) * point[j];
    labels[i] = bernoulli(wrong, random) ? -side : side;
  }
}

/** Neighbouring players have animals that are far apart in the list: any few hundred of them are like all. */
const STRIDE = 101;

function fillPenguins({ animals }: Example, from: number, features: Float32Array, labels: Int8Array): void {
  const width = BOUNDS.length + 1;
  // Each of the coordinates is within ±1/√5, so the record is in the unit ball.
  const scale = 1 / Math.sqrt(width);
  for (let i = 0; i < labels.length; i++) {
    const animal = animals[((from + i) * STRIDE) % animals.length];
    for (let j = 0; j < BOUNDS.length; j++) {
      const [, least, most] = BOUNDS[j];
      const place = (2 * (animal[j] - least)) / (most - least) - 1;
      features[i * width + j] = scale * Math.max(-1, Math.min(1, place));
    }
    features[i * width + BOUNDS.length] = scale;
    labels[i] = animal[BOUNDS.length];
  }
}

/** The records of several pieces of work, one after the other. */
export function joined(parts: readonly Records[]): Records {
  const [{ dimension, names }] = parts;
  const players = parts.reduce((sum, part) => sum + part.players, 0);
  const features = new Float32Array(players * dimension);
  const labels = new Int8Array(players);
  let at = 0;
  for (const part of parts) {
    features.set(part.features, at * dimension);
    labels.set(part.labels, at);
    at += part.players;
  }
  return { players, dimension, names, features, labels };
}

// Writes src/node/kinds/points/states.ts: the lines of the states on the map of euclidean-median.
//
//   node scripts/states.mjs
//
// From the file us-10m.json of the npm package vega-datasets, a topology of boundaries that the U.S. Census Bureau
// publishes; works of the United States Government are in the public domain (17 U.S.C. § 105). Every border is
// simplified once (Douglas, Peucker 1973), so that neighbours keep one line, and rounded to a hundredth of a degree.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How far a simplified line may be from the border, and how small an island is left out, in degrees. */
const TOLERANCE = 0.04;
const SMALLEST = 0.3;
/** Units in a degree. */
const UNITS = 100;
const LINE = 112;

const folder = fileURLToPath(new URL('../node_modules/vega-datasets', import.meta.url));
const topology = JSON.parse(readFileSync(join(folder, 'data', 'us-10m.json'), 'utf8'));
const lines = joined(statesOf(topology).map((arc) => decoded(topology, arc))).flatMap((line) => {
  const points = simplified(line);
  const closed = String(points[0]) === String(points.at(-1));
  return closed && extent(points) < SMALLEST ? [] : [encoded(points)];
});
const text = lines.join(';').replace(new RegExp(`(.{1,${LINE}})(?: |$)`, 'g'), '$1\n');
const target = fileURLToPath(new URL('../src/node/kinds/points/states.ts', import.meta.url));
writeFileSync(
  target,
  `// Made by scripts/states.mjs from us-10m.json of the npm package vega-datasets: boundaries of the U.S. Census Bureau, in
// the public domain as a work of the United States Government, simplified.

/**
 * The borders and coasts of the states: lines separated by semicolons. The numbers of a line are longitude and latitude of
 * its first point and then the steps to the next ones, all in hundredths of a degree.
 */
export const STATES: string = \`
${text.trimEnd()}
\`;
`,
);
process.stdout.write(`${target}: ${lines.length} lines, ${text.length} characters\n`);

/** The numbers of all arcs that a state has, each once. */
function statesOf({ objects }) {
  const arcs = objects.states.geometries.flatMap(({ arcs = [] }) => arcs.flat(Infinity));
  return [...new Set(arcs.map((arc) => (arc < 0 ? ~arc : arc)))];
}

/** An arc in degrees: its steps are whole numbers of the topology's grid. */
function decoded({ arcs, transform: { scale, translate } }, arc) {
  const at = [0, 0];
  return arcs[arc].map((step) => step.map((value, axis) => (at[axis] += value) * scale[axis] + translate[axis]));
}

/** The same lines, joined where two of them meet and no third does: arcs end wherever counties do. */
function joined(arcs) {
  const ends = new Map();
  const at = (point) => ends.get(String(point)) ?? ends.set(String(point), new Set()).get(String(point));
  for (const arc of arcs) for (const end of [arc[0], arc.at(-1)]) at(end).add(arc);
  const left = new Set(arcs);
  /** The line with all that follows on its end. */
  const extended = (line) => {
    for (;;) {
      const next = [...at(line.at(-1))].find((arc) => left.has(arc));
      if (at(line.at(-1)).size !== 2 || next === undefined) return line;
      left.delete(next);
      const onwards = String(next[0]) === String(line.at(-1)) ? next : next.toReversed();
      line = [...line, ...onwards.slice(1)];
    }
  };
  return arcs.flatMap((arc) => (left.delete(arc) ? [extended(extended(arc).toReversed())] : []));
}

/** The points of a line that are needed to stay within the tolerance. */
function simplified(points) {
  const last = points.length - 1;
  const [first, end] = [points[0], points[last]];
  let [far, most] = [0, 0];
  for (let i = 1; i < last; i++) {
    const apart = distance(points[i], first, end);
    if (apart > most) [far, most] = [i, apart];
  }
  if (most <= TOLERANCE) return [first, end];
  return [...simplified(points.slice(0, far + 1)), ...simplified(points.slice(far)).slice(1)];
}

/** From a point to a segment, which may be a point itself. */
function distance([x, y], [fromX, fromY], [toX, toY]) {
  const [dx, dy] = [toX - fromX, toY - fromY];
  const length = dx * dx + dy * dy;
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - fromX) * dx + (y - fromY) * dy) / length));
  return Math.hypot(x - fromX - share * dx, y - fromY - share * dy);
}

function extent(points) {
  const wide = (axis) =>
    Math.max(...points.map((point) => point[axis])) - Math.min(...points.map((point) => point[axis]));
  return Math.max(wide(0), wide(1));
}

function encoded(points) {
  let [x, y] = [0, 0];
  const numbers = points.flatMap((point) => {
    const [nextX, nextY] = point.map((value) => Math.round(UNITS * value));
    const step = [nextX - x, nextY - y];
    [x, y] = [nextX, nextY];
    return step;
  });
  return numbers.join(' ');
}

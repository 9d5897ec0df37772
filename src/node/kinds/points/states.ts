import { dirname, join } from 'node:path';
import { readJsonDocument } from '../../files.ts';
import { locateFlights } from '../../flights.ts';

/** A point as (latitude, longitude), in degrees. */
type Place = readonly [latitude: number, longitude: number];
type Line = readonly Place[];

/** A topology: the arcs of which shapes are made, each as whole steps on a grid. */
interface Topology {
  readonly arcs: readonly (readonly (readonly [number, number])[])[];
  readonly transform: { readonly scale: readonly [number, number]; readonly translate: readonly [number, number] };
  readonly objects: { readonly states: { readonly geometries: readonly { readonly arcs?: readonly unknown[] }[] } };
}

/** How far a simplified line may be from the border, and how small an island is left out, in degrees. */
const TOLERANCE = 0.04;
const SMALLEST = 0.3;

/**
 * The borders and coasts of the states, from the file us-10m.json beside that of the flights: a topology of boundaries that the U.S.
 * Census Bureau publishes. Every border is simplified once (Douglas, Peucker 1973), so that neighbours keep one line.
 */
export async function readStates(): Promise<readonly Line[]> {
  const path = join(dirname(locateFlights()), 'us-10m.json');
  const { arcs, transform, objects } = (await readJsonDocument('data', path)) as Topology;
  const { scale, translate } = transform;
  const numbers = objects.states.geometries.flatMap(({ arcs = [] }) => arcs.flat(Infinity) as number[]);
  const lines = Array.from(new Set(numbers.map((arc) => (arc < 0 ? ~arc : arc))), (arc) => {
    let [x, y] = [0, 0];
    return arcs[arc].map(([right, up]): Place => {
      [x, y] = [x + right, y + up];
      return [y * scale[1] + translate[1], x * scale[0] + translate[0]];
    });
  });
  return joined(lines)
    .map(simplified)
    .filter((line) => String(line[0]) !== String(line[line.length - 1]) || extent(line) >= SMALLEST);
}

/** The same lines, joined where two of them meet and no third does: arcs end wherever counties do. */
function joined(arcs: readonly Line[]): readonly Line[] {
  const ends = new Map<string, Set<Line>>();
  const last = (line: Line): string => String(line[line.length - 1]);
  for (const arc of arcs) {
    for (const end of [String(arc[0]), last(arc)]) ends.set(end, (ends.get(end) ?? new Set()).add(arc));
  }
  const left = new Set(arcs);
  const extended = (start: Line): Line => {
    for (let line = start; ; ) {
      const meeting = ends.get(last(line))!;
      const next = [...meeting].find((arc) => left.has(arc));
      if (meeting.size !== 2 || next === undefined) return line;
      left.delete(next);
      line = [...line, ...(String(next[0]) === last(line) ? next : next.toReversed()).slice(1)];
    }
  };
  return arcs.flatMap((arc) => (left.delete(arc) ? [extended(extended(arc).toReversed())] : []));
}

/** The points of a line that are needed to stay within the tolerance. */
function simplified(points: Line): Line {
  const end = points.length - 1;
  let [far, most] = [0, 0];
  for (let i = 1; i < end; i++) {
    const apart = distance(points[i], points[0], points[end]);
    if (apart > most) [far, most] = [i, apart];
  }
  if (most <= TOLERANCE) return [points[0], points[end]];
  return [...simplified(points.slice(0, far + 1)), ...simplified(points.slice(far)).slice(1)];
}

/** From a point to a segment, which may be a point itself. */
function distance([y, x]: Place, [fromY, fromX]: Place, [toY, toX]: Place): number {
  const [dx, dy] = [toX - fromX, toY - fromY];
  const length = dx * dx + dy * dy;
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - fromX) * dx + (y - fromY) * dy) / length));
  return Math.hypot(x - fromX - share * dx, y - fromY - share * dy);
}

function extent(line: Line): number {
  const wide = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);
  return Math.max(wide(line.map(([y]) => y)), wide(line.map(([, x]) => x)));
}

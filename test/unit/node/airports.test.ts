import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import {
  type Destinations,
  discMap,
  loadDestinations,
  moveDestinations,
  UNITED_STATES,
} from '../../../src/node/flights.ts';
import { ROOT } from './command-line.ts';
import { scratchFolder } from './scratch.ts';

const write = scratchFolder();
const map = discMap();

describe('the map of the United States onto the unit disc', () => {
  test('sends the corners of the box to the circle and its middle to the centre (by hand)', () => {
    const { latitude, longitude } = UNITED_STATES;
    const norms = latitude.flatMap((north) => longitude.map((east) => Math.hypot(...map.toDisc(north, east))));
    for (const norm of norms) expect(norm).toBeCloseTo(1, 12);
    expect(Math.hypot(...map.toDisc(44.5, -122))).toBeLessThan(1e-12);
    // Half the diagonal: 27.5° of latitude and 58°·cos 44.5° along the middle parallel.
    expect(map.kilometres).toBeCloseTo(111.2 * Math.hypot(27.5, 58 * Math.cos((44.5 * Math.PI) / 180)), 9);
    expect(map.farCorner).toEqual(map.toDisc(72, -180));
  });

  test('and back', () => {
    const [latitude, longitude] = map.fromDisc(map.toDisc(21.3, -157.9));
    expect(latitude).toBeCloseTo(21.3, 10);
    expect(longitude).toBeCloseTo(-157.9, 10);
  });

  test('reaches the far ends of the country: Utqiagvik, Adak, St. Croix, Lubec', () => {
    for (const [north, east] of [
      [71.29, -156.77],
      [51.88, -176.65],
      [17.7, -64.8],
      [44.86, -66.95],
    ]) {
      expect(Math.hypot(...map.toDisc(north, east))).toBeLessThanOrEqual(1);
    }
  });
});

const AIRPORTS = 'iata,name,latitude,longitude\nAAA,"One, first",40,-100\nBBB,Two,30,-90\nCCC,Far,13.4,144.8\n';

/** A file of flights beside a file of airports. */
function flightsOf(destinations: readonly string[]): string {
  const path = write('flights.csv', `origin,destination\n${destinations.map((code) => `AAA,${code}\n`).join('')}`);
  writeFileSync(`${dirname(path)}/airports.csv`, AIRPORTS);
  return path;
}

describe('destinations', () => {
  test('are one point for each airport, and a player for each flight', async () => {
    const { places, players } = await loadDestinations(map, flightsOf(['BBB', 'AAA', 'BBB']));
    expect(Array.from(players)).toEqual([0, 1, 0]);
    expect(Array.from(places)).toEqual([...map.toDisc(30, -90), ...map.toDisc(40, -100)]);
  });

  test.each(['ZZZ', 'CCC'])(
    '%s, an unknown airport or one outside the bounds, is refused without its name',
    async (code) => {
      const message = await loadDestinations(map, flightsOf(['AAA', code])).then(String, String);
      expect(message).toMatch(/^RangeError: "destination" expected an airport of the table within the bounds/);
      expect(message).not.toContain(code);
    },
  );
});

test('airports go with the flights to whoever plays them elsewhere, where they may lie in another folder', async () => {
  const flights = flightsOf(['BBB', 'AAA']);
  mkdirSync(`${dirname(flights)}/moved`);
  const airports = write('moved/airports.csv', AIRPORTS.replace('30,-90', '31,-90'));
  const built = (file: string) => pathToFileURL(join(ROOT, 'dist/src/node', file)).href;
  const program = `
    import { discMap, loadDestinations, placeFlights } from '${built('flights.js')}';
    import { requestOf } from '${built('jobs/request.js')}';
    placeFlights(${JSON.stringify({ flights, airports })});
    const { places } = await loadDestinations(discMap());
    const filesOf = async (form) => (await requestOf({ word: 'a', study: { form, run: { flights: true } }, typed: {} })).files;
    console.log(JSON.stringify({ places: [...places], points: await filesOf('points'), records: await filesOf('records') }));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
  const { places, points, records } = JSON.parse(stdout);
  expect(places).toEqual([...map.toDisc(31, -90), ...map.toDisc(40, -100)]);
  expect(points).toMatchObject({ flights: { path: flights }, airports: { path: airports } });
  expect(Object.keys(records)).toEqual(['flights']);
});

describe('players who were moved', () => {
  const destinations: Destinations = {
    places: Float64Array.of(0.1, 0.2, -0.3, 0.4),
    players: Uint16Array.from({ length: 100 }, (_, i) => i % 2),
  };

  test('are the share asked for, spread evenly, and the others stay where they were', () => {
    const { population, points, counts, trueCounts } = moveDestinations(destinations, { share: 0.2, to: [0.6, 0.8] });
    expect(population.players).toBe(100);
    expect(Array.from(points)).toEqual([0.1, 0.2, -0.3, 0.4, 0.6, 0.8]);
    expect(Array.from(trueCounts)).toEqual([50, 50, 0]);
    // Every fifth player: of the even and of the odd ones ten each.
    expect(Array.from(counts)).toEqual([40, 40, 20]);
    let moved = 0;
    for (let i = 0; i < 100; i++) if (population.datum(i).point[0] === 0.6) moved++;
    expect(moved).toBe(20);
  });

  test('nobody is, by default; fewer players are spread over the file', () => {
    const { counts, population } = moveDestinations(destinations, { players: 10 });
    expect(Array.from(counts)).toEqual([10, 0, 0]);
    expect(Array.from(population.datum(9).point)).toEqual([0.1, 0.2]);
  });

  test('more players than flights, and a share that is none, are refused by name', () => {
    expect(() => moveDestinations(destinations, { players: 101 })).toThrow(
      '"players" expected a whole number from 1 to 100',
    );
    expect(() => moveDestinations(destinations, { share: 1 })).toThrow(
      '"moved" expected a share from 0 to below 1, got 1',
    );
  });
});

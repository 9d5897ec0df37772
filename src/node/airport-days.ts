import { readNumbers, readTimes } from './cell.ts';
import { fileRefusal } from './file-refusal.ts';
import { locateFlights } from './flights.ts';
import { readTable } from './table.ts';

const { floor, max, min } = Math;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Hours of a day, the coordinates of a profile. */
export const HOURS = 24;

/**
 * Public bounds of a delay in minutes, agreed before anything is seen: an hour early, four hours late. What lies beyond is cut
 * off by the player, and so by the truth it is compared with.
 */
export const DELAY_BOUNDS: readonly [number, number] = [-60, 240];

/** Flights gathered by the airport they leave from and the day: every pair is one player. */
export interface AirportDays {
  /** Number of players, in the order of their first flight in the file. */
  readonly players: number;
  /** The flights of player i are entries `offsets[i]` to `offsets[i + 1] − 1` of what follows. */
  readonly offsets: Uint32Array;
  /** Minutes late, within {@link DELAY_BOUNDS}. */
  readonly delays: Float64Array;
  /** Hour of the departure, 0 … 23. */
  readonly hours: Uint8Array;
}

/**
 * The flights in the npm package vega-datasets (data/flights-3m.parquet) as players with several samples each: the delays of
 * all flights that left one airport on one day.
 *
 * @throws RangeError when the file is not there, lacks a column or has no record.
 */
export async function loadAirportDays(flights: string = locateFlights()): Promise<AirportDays> {
  let expected = 0;
  let rows = 0;
  let player = new Uint32Array(0);
  let late = new Float64Array(0);
  let hour = new Uint8Array(0);
  const places = new Map<string, number>();
  const known = new Map<number, number>();
  const counts: number[] = [];
  await readTable(flights, ['date', 'origin', 'delay'], {
    expect(atMost) {
      expected = atMost;
      player = new Uint32Array(atMost);
      late = new Float64Array(atMost);
      hour = new Uint8Array(atMost);
    },
    add({ rows: count, columns: [dates, origins, delays] }) {
      if (rows + count > expected) throw fileRefusal('data', 'a file that does not change while it is read', flights);
      const times = new Float64Array(count);
      readTimes(dates, 0, count, { column: 'date', row: rows + 1 }, true, times);
      readNumbers(delays, 0, count, { column: 'delay', row: rows + 1 }, late.subarray(rows));
      for (let i = 0; i < count; i++, rows++) {
        const code = String(origins.values[i]);
        let place = places.get(code);
        if (place === undefined) places.set(code, (place = places.size));
        const day = floor(times[i] / DAY);
        // Both are far below 2²⁶.
        const key = day * 2 ** 20 + place;
        let index = known.get(key);
        if (index === undefined) {
          known.set(key, (index = counts.length));
          counts.push(0);
        }
        counts[index]++;
        player[rows] = index;
        late[rows] = max(DELAY_BOUNDS[0], min(DELAY_BOUNDS[1], late[rows]));
        hour[rows] = floor((times[i] - day * DAY) / HOUR);
      }
    },
  });
  if (rows === 0) throw fileRefusal('data', 'a file with one or more records', flights);
  return gather(rows, { player, late, hour, counts });
}

interface Gathering {
  readonly player: Uint32Array;
  readonly late: Float64Array;
  readonly hour: Uint8Array;
  readonly counts: readonly number[];
}

// A counting sort by player; flights of one player keep their order.
function gather(rows: number, { player, late, hour, counts }: Gathering): AirportDays {
  const players = counts.length;
  const offsets = new Uint32Array(players + 1);
  for (let i = 0; i < players; i++) offsets[i + 1] = offsets[i] + counts[i];
  const next = offsets.slice(0, players);
  const delays = new Float64Array(rows);
  const hours = new Uint8Array(rows);
  for (let row = 0; row < rows; row++) {
    const at = next[player[row]]++;
    delays[at] = late[row];
    hours[at] = hour[row];
  }
  return { players, offsets, delays, hours };
}

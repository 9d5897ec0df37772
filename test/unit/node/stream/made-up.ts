import { fillNormal, uniform } from '../../../../src/random/random.ts';
import { seededRandom } from '../../../../src/random/seeded.ts';

/** How the records of {@link regressionCsv} are read. */
export const REGRESSION_SCHEMA: object = {
  title: 'Readings made up',
  label: { column: 'reading', minimum: -30, maximum: 40, unit: 2 },
  order: 'taken',
  features: [
    { column: 'speed', minimum: 0, maximum: 50 },
    { name: 'kind a', column: 'kind', indicator: ['a'], categories: ['a', 'b'], range: [-0.5, 0.5] },
  ],
};

/** Readings 6 + 10·(speed/25 − 1) ± 2, the sign by the kind, with normal errors of deviation 2; the last taken first. */
export function regressionCsv(count: number): string {
  const random = seededRandom('readings');
  const error = new Float64Array(1);
  const lines: string[] = [];
  for (let i = 0; i < count; i++) {
    const speed = 50 * uniform(random);
    const isA = uniform(random) < 0.4;
    fillNormal(error, random, 0, 1);
    const reading = 6 + 10 * (speed / 25 - 1) + (isA ? 2 : -2) + 2 * error[0];
    const taken = new Date(Date.UTC(2020, 0, 1) + 60_000 * i).toISOString().slice(0, 16).replace('T', ' ');
    lines.push(`${taken},${speed.toFixed(3)},${isA ? 'a' : 'b'},${reading.toFixed(3)}`);
  }
  return `taken,speed,kind,reading\n${lines.reverse().join('\n')}\n`;
}

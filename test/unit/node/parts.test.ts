import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { doList, playHere, type Workforce } from '../../../src/node/jobs/jobs.ts';
import { differenceOf, mergeParts, type RunRequest, readParts, writePart } from '../../../src/node/jobs/request.ts';
import { uniform } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { scratchFolder } from './scratch.ts';

const write = scratchFolder();

/** A run whose blocks are sums of random numbers, whose total depends on the order, and a job that is given the total. */
async function run(workforce: Workforce, seed: string): Promise<readonly number[] | undefined> {
  const work = await workforce.open({
    block({ number }: { readonly number: number }) {
      const random = seededRandom(`${seed} ${number}`);
      return Float64Array.from({ length: 3 }, () => uniform(random) * 10 ** (number % 7));
    },
    twice: ({ total, factor }: { readonly total: Float64Array; readonly factor: number }) =>
      total.map((value) => factor * value),
  });
  if (work === undefined) return undefined;
  const total = new Float64Array(3);
  await work.all({
    name: 'block',
    given: Array.from({ length: 11 }, (_, number) => ({ number })),
    merge(part: Float64Array) {
      for (let i = 0; i < 3; i++) total[i] += part[i];
    },
  });
  let result: readonly number[] = [];
  await work.all({
    name: 'twice',
    common: { total },
    given: [{ factor: 2 }],
    merge: (values: Float64Array) => {
      result = [...values];
    },
    late: true,
  });
  return work.whole ? result : undefined;
}

function request(typed: RunRequest['typed'] = {}, rest: Partial<RunRequest> = {}): RunRequest {
  return { version: 'one', word: 'test', typed, files: { data: { path: 'a', digest: 'd' } }, ...rest };
}

/** The paths of parts of the run. */
function partsOf(name: string, parts: number, asked: RunRequest = request(), seed: string = 'a'): Promise<string[]> {
  return Promise.all(
    Array.from({ length: parts }, async (_, i) => {
      const path = write(`${name}-${i + 1}`, '');
      await writePart({ request: asked, part: i + 1, parts }, path, 1, (workforce) => run(workforce, seed));
      return path;
    }),
  );
}

const merged = async (paths: readonly string[], seed: string = 'a') => run(mergeParts(await readParts(paths), 1), seed);

test.each([1, 2, 4, 20])('%i parts, in any order, make what one process makes, to the bit', async (parts) => {
  const alone = await run(playHere(1), 'a');
  expect(await merged((await partsOf(`whole-${parts}`, parts)).reverse())).toEqual(alone);
  // A control: the numbers are of such sizes that another order, or other coins, are seen.
  expect(await run(playHere(1), 'b')).not.toEqual(alone);
});

test('a part of another seed under the same name changes the result: the merge takes what parts hold', async () => {
  const alone = await run(playHere(1), 'a');
  const paths = await partsOf('forged', 3);
  const [other] = await partsOf('other-coins', 3, request(), 'b');
  expect(await merged([other, ...paths.slice(1)])).not.toEqual(alone);
});

test('a part that is missing, or there twice, is named', async () => {
  const paths = await partsOf('named', 5);
  await expect(merged([paths[0], paths[2], paths[4]])).rejects.toThrow('all 5 parts, got none of number 2, 4');
  await expect(merged([...paths, paths[3]])).rejects.toThrow('each part once, got part 4 twice');
});

test('a part of another version, request, number of parts or data set is refused', async () => {
  const [first] = await partsOf('first', 2);
  const others: readonly [string, RunRequest, number][] = [
    ['another version (one and two)', request({}, { version: 'two' }), 2],
    ['another request (seed)', request({ seed: 'b' }), 2],
    ['another request (protocol)', request({}, { word: 'hinge' }), 2],
    ['other content of data', request({}, { files: { data: { path: 'a', digest: 'e' } } }), 2],
    ['another number of parts (2 and 3)', request(), 3],
  ];
  for (const [why, asked, parts] of others) {
    const paths = await partsOf(`not-${why.replaceAll(/\W/g, '-')}`, parts, asked);
    await expect(merged([first, paths[1]])).rejects.toThrow(why);
  }
});

test('a part that is damaged, cut off, or no part is refused', async () => {
  const [path] = await partsOf('damaged', 1);
  const bytes = readFileSync(path);
  for (const at of [25, bytes.length >> 1, bytes.length - 1]) {
    const flipped = Buffer.from(bytes);
    flipped[at] ^= 4;
    await expect(merged([write('flipped', flipped)])).rejects.toThrow('neither damaged nor cut off');
  }
  await expect(merged([write('cut', bytes.subarray(0, -9))])).rejects.toThrow('neither damaged nor cut off');
  await expect(merged([write('no-part', 'x')])).rejects.toThrow('what ldpkit run --part wrote');
  await expect(merged([join(path, 'nothing')])).rejects.toThrow('a file that can be read');
});

test('a file at another place with the same content is the same request', () => {
  const moved = request({ data: 'b' }, { files: { data: { path: 'b', digest: 'd' } } });
  expect(differenceOf(request({ data: 'a' }), moved)).toBeUndefined();
  expect(differenceOf(request({ data: 'a' }), request({ data: 'a', epsilon: '2' }))).toBe('another request (epsilon)');
});

test('a job that fails ends a list, after those that have begun', async () => {
  const ended: number[] = [];
  const merge = (place: number) => ended.push(place);
  const given = Array.from({ length: 9 }, (_, place) => ({ place }));
  const doOne = async ({ place }: { readonly place: number }) => {
    if (place === 3) throw new RangeError('three');
    await new Promise((resolve) => setImmediate(resolve));
    return { result: place, seconds: 0 };
  };
  await expect(doList({ name: 'any', given, merge }, 2, doOne)).rejects.toThrow('three');
  expect(ended).toEqual([0, 1, 2]);
});

import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { sourcesIn, unimportable } from './importable.ts';

const sources = sourcesIn(resolve(__dirname, '../..'));

test('doc comments of public exports name no function that cannot be imported', () => {
  expect(unimportable(sources)).toEqual([]);
});

test('a name of an inner function in backticks, as a call or as a link is found', () => {
  const file = join('src', 'privacy', 'gaussian.ts');
  const text = sources.get(file)!;
  const named = (words: string): string[] =>
    unimportable(
      new Map([...sources, [file, text.replace('The least standard deviation σ', `${words}: the least deviation`)]]),
    );
  const found = [`${file}: analyticGaussianSigma names gdpLogDelta`];
  expect(named('`gdpLogDelta`')).toEqual(found);
  expect(named('`gdpLogDelta(mu, 1)`')).toEqual(found);
  expect(named('{@link gdpLogDelta}')).toEqual(found);
  expect(named('`gdpDelta`, `epsilon`')).toEqual([]);
});

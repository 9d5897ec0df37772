import { resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { deployableMean, userLevelMean } from '../../../../protocols/user-level-mean/index.ts';

const pure = { epsilon: 1, players: 1e4, samples: 20 };
const asked = { ...pure, delta: 1e-6 };

test('the protocol for devices makes the same plans, and refuses what the slides print', () => {
  for (const variant of ['oneBit', 'twoRound', 'vector', 'coordinates', 'naive']) {
    const request = { variant, ...(variant === 'oneBit' || variant === 'coordinates' ? pure : asked) };
    expect(deployableMean.make?.(request).digest).toBe(userLevelMean.make?.(request).digest);
  }
  for (const variant of ['printed', 'printedNaive']) {
    expect(() => deployableMean.make?.({ variant, ...asked })).toThrow('"variant" expected one of oneBit, ');
    expect(userLevelMean.make?.({ variant, ...asked }).variant).toBe(variant);
  }
});

/** The files of which something is left in a bundle of one export. */
async function used(name: string): Promise<readonly string[]> {
  const { metafile } = await build({
    stdin: {
      contents: `export { ${name} } from './protocols/user-level-mean/protocol.ts';`,
      resolveDir: resolve(__dirname, '../../../..'),
      loader: 'ts',
    },
    ...{ bundle: true, minify: true, platform: 'browser', format: 'esm', write: false, metafile: true },
  });
  const [{ inputs }] = Object.values(metafile.outputs);
  return Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0);
}

test('a device that plays it loads nothing of what the slides print; one with the whole protocol does (control)', async () => {
  const printed = 'protocols/user-level-mean/printed.ts';
  expect(await used('deployableMean')).not.toContain(printed);
  expect(await used('userLevelMean')).toContain(printed);
});

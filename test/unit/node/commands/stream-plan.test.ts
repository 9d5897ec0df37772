import { dirname } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { study } from '../../../../protocols/online-sgd/protocol.ts';
import type { StreamStudy } from '../../../../protocols/online-sgd/stream-study.ts';
import { readTyped } from '../../../../src/node/commands/options.ts';
import type { StreamRunOptions } from '../../../../src/node/kinds/stream/request.ts';
import { streamRunPlan } from '../../../../src/node/kinds/stream/run.ts';
import { streams } from '../../../../src/node/kinds/streams.ts';
import { scratchFolder } from '../scratch.ts';
import { REGRESSION_SCHEMA } from '../stream/made-up.ts';

const write = scratchFolder();
const schema = write('readings.json', JSON.stringify(REGRESSION_SCHEMA));
const folder = dirname(schema);

type Typed = { readonly [option: string]: string };

/** What was typed, read as the command line reads it. */
function optionsOf(typed: Typed): StreamRunOptions {
  const read = Object.entries(streams.options.run).map(([name, option]) => {
    return [name, readTyped(option, typed[name])];
  });
  return Object.fromEntries(read);
}

async function planOf(typed: Typed) {
  const records = { data: `${folder}/readings.csv`, schema };
  return (await streamRunPlan(study as StreamStudy, optionsOf({ ...records, ...typed }))).plan;
}

describe('the plan of a stream', () => {
  test('is μ = 1 where no budget is given, and the best variant of the budget that is', async () => {
    const grade = 'simulation';
    const features = 2;
    expect((await planOf({})).request).toEqual({ variant: 'gdp', features, grade, mu: 1 });
    expect((await planOf({ mu: '0.5' })).request).toEqual({ variant: 'gdp', features, grade, mu: 0.5 });
    expect((await planOf({ epsilon: '3' })).request).toEqual({ variant: 'privUnit', features, grade, epsilon: 3 });
    const gaussian = { variant: 'gaussian', features, grade, epsilon: 1, delta: 1e-6 };
    expect((await planOf({ variant: 'gaussian' })).request).toEqual(gaussian);
  });

  test('has what was asked for, and nothing else', async () => {
    const words = {
      mu: '1',
      gamma: '0.2',
      alpha: '0.6',
      hessianMu: '0.4',
      burnIn: '10',
      average: 'suffix:0.25',
      level: '0.9',
      method: 'plug-in',
    };
    const { request, level, method, unit, title } = await planOf(words);
    expect(request).toMatchObject({ rate: 0.2, decay: 0.6, hessianMu: 0.4, burnIn: 10 });
    expect(request).toMatchObject({ average: { kind: 'suffix', share: 0.25 } });
    expect({ level, method, unit, title }).toEqual({
      level: 0.9,
      method: 'plug-in',
      unit: 'reading',
      title: 'Readings made up',
    });
  });

  test('keeps what disjoint batch means need, where they are asked for', async () => {
    const { request, method } = await planOf({ method: 'disjoint-batch-means' });
    expect(method).toBe('disjoint batch means');
    expect(study.plan(request).inference).toEqual(['batch means', 'disjoint batch means', 'plug-in']);
    expect(study.plan((await planOf({})).request).inference).toEqual(['batch means', 'plug-in']);
  });

  test('is on the flights where no file is given, with a step that a day moves little', async () => {
    const { plan, source } = await streamRunPlan(study as StreamStudy, optionsOf({}));
    expect([plan.request.features, plan.request.rate, plan.unit]).toEqual([5, 0.1, 'minutes']);
    expect(source.data).toMatch(/flights-3m\.parquet$/);
  });

  test.each<[Typed, string]>([
    [{ mu: '1', epsilon: '1' }, '"mu" expected either --mu or --epsilon'],
    [{ mu: '0' }, '"mu" expected a finite number > 0, got 0'],
    [{ mu: '1', variant: 'privUnit' }, '"mu" expected none: the budget of privUnit is --epsilon, got 1'],
    [{ epsilon: '1', variant: 'gdp' }, '"epsilon" expected none: the budget of gdp is --mu, got 1'],
    [{ delta: '0.1', variant: 'gdp' }, '"delta" expected none: the budget of gdp is --mu, got 0.1'],
    [{ delta: '0.1', variant: 'privUnit', epsilon: '1' }, '"delta" expected none: the budget of privUnit is pure'],
    [{ variant: 'nonPrivate' }, '"variant" expected one of privUnit, gdp, gaussian'],
    [{ variant: 'gaussian', delta: '1' }, '"delta" expected a number strictly between 0 and 1, got 1'],
    [{ epsilon: '1', hessianMu: '1' }, '"hessian-mu" expected none: only the variant gdp releases Hessians, got 1'],
    [{ alpha: '1.5' }, '"alpha" expected a number in (0, 1], got 1.5'],
    [{ alpha: '0' }, '"alpha" expected a finite number > 0, got 0'],
    [{ gamma: '1e308' }, '"gamma" expected a number from 1e-30 to 1e30, got 1e+308'],
    [{ hessianMu: '1e-308' }, '"hessian-mu" expected a number from 1e-9 to 1e9, got 1e-308'],
    [{ gamma: 'fast' }, '"gamma" expected a number, got "fast"'],
    [{ level: '1' }, '"level" expected a number strictly between 0 and 1, got 1'],
    [{ method: 'best' }, '"method" expected one of random-scaling, batch-means, '],
    [
      { average: 'suffix' },
      '"method" expected plug-in, batch-means, disjoint-batch-means or none with --average suffix',
    ],
    [{ average: 'suffix:all' }, '"average" expected a number, got "all"'],
    [{ average: 'last' }, '"average" expected one of suffix, polynomial'],
    [{ burnIn: '-1' }, '"burn-in" expected a whole number'],
  ])('refuses %j', async (options, message) => {
    await expect(planOf(options)).rejects.toThrow(message);
  });
});

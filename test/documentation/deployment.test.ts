// One voice about what may be deployed: the page on trust, the README of every protocol, and the protocols themselves.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { euclideanMedian } from '../../protocols/euclidean-median/index.ts';
import { generalizedLinear } from '../../protocols/generalized-linear/index.ts';
import { hinge } from '../../protocols/hinge/index.ts';
import { onlineSgd } from '../../protocols/online-sgd/index.ts';
import { userLevelErm } from '../../protocols/user-level-erm/index.ts';
import { userLevelMean } from '../../protocols/user-level-mean/index.ts';

const text = (page: string): string => readFileSync(resolve(__dirname, '../..', page), 'utf8');

/** δ is for what adds Gaussian noise, and a degree for what has powers. */
const unit = (variant: string): object => ({
  epsilon: 1,
  dimension: 3,
  ...(variant === 'sphericalLaplace' ? {} : { degree: 1 }),
  ...(['gaussian', 'copies', 'printed'].includes(variant) ? { delta: 1e-6 } : {}),
});
const users = { epsilon: 1, players: 60_000, samples: 20 };
const descent = {
  ...users,
  dimension: 3,
  loss: 'logistic',
  radius: 2,
  strongConvexity: 0.1,
  iterations: 6,
  force: true,
};
const model = { kind: 'huber', features: 2 };

/** A request of every variant, but for what the variant has no use for. */
const requests: { readonly [protocol: string]: (variant: string) => object } = {
  hinge: unit,
  'generalized-linear': unit,
  'euclidean-median': unit,
  'user-level-mean': (variant) => ({
    ...users,
    ...(variant === 'naive' ? { delta: 1e-6 } : {}),
    ...(variant === 'vector' || variant === 'coordinates' ? { dimension: 3, rounds: 3 } : {}),
  }),
  'user-level-erm': () => descent,
  'online-sgd': (variant) => (variant === 'gaussian' ? { model, epsilon: 1, delta: 1e-6 } : { model, epsilon: 1 }),
};

const protocols = [hinge, generalizedLinear, euclideanMedian, userLevelMean, userLevelErm, onlineSgd];

/** What the protocol says of a request: the grade that was made, or the refusal. */
function saidOf({ name, make }: (typeof protocols)[number], variant: string): string {
  try {
    return make!({ ...requests[name](variant), variant, grade: 'deployment' } as never).grade ?? 'none';
  } catch (error) {
    return (error as Error).message;
  }
}

/** The words in code of a cell or a sentence. */
const words = (marked: string): string[] => [...marked.matchAll(/`(\w+)`/g)].map(([, word]) => word);

describe.each(protocols)('$name', (protocol) => {
  const { name } = protocol;
  const [, deployed, never] = new RegExp(`^\\| \`${name}\` \\|(.*)\\|(.*)\\|$`, 'm').exec(text('docs/trust.md'))!;
  const variants = /expected one of (.*), got/.exec(saidOf(protocol, 'none of them'))![1].split(', ');

  test('the page on trust has every variant once', () => {
    expect([...words(deployed), ...words(never)].sort()).toEqual(variants.sort());
  });

  test('what may be deployed is made, and what may not refuses the grade', () => {
    for (const variant of words(deployed)) expect(saidOf(protocol, variant)).toBe('deployment');
    for (const variant of words(never)) expect(saidOf(protocol, variant)).toMatch(/^"grade" expected simulation/);
  });

  test('its README says the same', () => {
    const [, list] = /On people's data deploy ([^.]*) with\s+`grade: 'deployment'`/.exec(
      text(`protocols/${name}/README.md`),
    )!;
    expect(words(list).sort()).toEqual(words(deployed).sort());
  });
});

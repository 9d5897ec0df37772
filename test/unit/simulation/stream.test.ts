import { describe, expect, test } from '@jest/globals';
import { onlineSgd } from '../../../protocols/online-sgd/index.ts';
import { gdp, nonPrivate } from '../../../protocols/online-sgd/parameters.ts';
import { streamReplication } from '../../../protocols/online-sgd/streams.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { linearPopulation } from '../../evidence/online-sgd/reproductions/population.ts';

const plan = gdp({ model: { kind: 'huber', features: 3 }, mu: 1 });
const population = linearPopulation(3, 0.5);
const { player, server } = onlineSgd;

describe('one replication', () => {
  test('is what players and server do one after the other', () => {
    const run = { plan, population, players: 300, seed: 'same' };
    const simulated = streamReplication(onlineSgd, run);
    const slowly = streamReplication({ player, server }, run);
    const source = seededRandom('same');
    const [data, coins] = [source.stream(0), source.stream(1)];
    const state = server.start(plan);
    for (let i = 0; i < 300; i++) {
      const datum = population.create();
      population.draw(datum, data);
      const bytes = onlineSgd.report.encode(plan, player.randomize(server.step(plan, state), datum, coins));
      server.accept(plan, state, onlineSgd.report.decode(plan, bytes));
    }
    expect(server.save(plan, simulated)).toEqual(server.save(plan, state));
    expect(server.save(plan, slowly)).toEqual(server.save(plan, state));
  });

  test('looks at the state after each checkpoint and goes on to the end', () => {
    const seen: number[] = [];
    const checkpoints = [1, 10, 250];
    const look = (players: number, state: { steps: number }): void => {
      seen.push(players, state.steps);
    };
    const state = streamReplication(onlineSgd, { plan, population, players: 400, seed: 1, checkpoints, look });
    expect(seen).toEqual([1, 1, 10, 10, 250, 250]);
    expect(state.steps).toBe(400);
    const without = streamReplication(onlineSgd, { plan, population, players: 400, seed: 1 });
    expect(server.save(plan, without)).toEqual(server.save(plan, state));
  });

  test('sees the same people whatever the plan', () => {
    const features: number[][] = [];
    for (const each of [plan, nonPrivate({ model: { kind: 'huber', features: 3 } })]) {
      const people: number[] = [];
      const watched = {
        create: population.create,
        draw: (datum: ReturnType<typeof population.create>, random: Parameters<typeof population.draw>[1]): void => {
          population.draw(datum, random);
          people.push(datum.response);
        },
      };
      streamReplication(onlineSgd, { plan: each, population: watched, players: 50, seed: 'people' });
      features.push(people);
    }
    expect(features[0]).toEqual(features[1]);
    expect(features[0]).toHaveLength(50);
  });

  test.each([
    [{ players: 0 }, /^"players" expected/],
    [{ players: 5, checkpoints: [6] }, /^"checkpoints\[0\]" expected a whole number from 1 to 5/],
    [{ players: 5, checkpoints: [2, 2] }, /^"checkpoints\[1\]" expected a number > 2/],
  ])('refuses %j', (change, message) => {
    expect(() => streamReplication(onlineSgd, { plan, population, seed: 1, ...change })).toThrow(message);
  });
});

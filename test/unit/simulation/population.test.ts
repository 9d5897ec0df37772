import { describe, expect, test } from '@jest/globals';
import { datasetPopulation } from '../../../src/simulation/runner.ts';

const dataset = {
  players: 3,
  dimension: 2,
  names: ['a', 'b'],
  features: Float32Array.of(0, 0.5, -0.25, 0.125, 0.75, -0.5),
  labels: Int8Array.of(1, -1, 1),
};

describe('datasetPopulation', () => {
  test('gives every player a record', () => {
    const population = datasetPopulation(dataset);
    expect(population.players).toBe(3);
    expect(population.datum(1)).toEqual({ features: Float64Array.of(-0.25, 0.125), label: -1 });
    expect(population.datum(2)).toEqual({ features: Float64Array.of(0.75, -0.5), label: 1 });
  });

  test('numbers the players by the rows that are given', () => {
    const population = datasetPopulation(dataset, Uint32Array.of(2, 0));
    expect(population.players).toBe(2);
    expect(Array.from(population.datum(0).features)).toEqual([0.75, -0.5]);
    expect(Array.from(population.datum(1).features)).toEqual([0, 0.5]);
  });

  test('fills the same object again', () => {
    const population = datasetPopulation(dataset);
    const first = population.datum(0);
    expect(population.datum(2)).toBe(first);
    expect(first.label).toBe(1);
    expect(Array.from(first.features)).toEqual([0.75, -0.5]);
  });

  test('refuses a row that is not there', () => {
    expect(() => datasetPopulation(dataset, Uint32Array.of(0, 3))).toThrow(
      new RangeError('"rows[1]" expected a row below 3, got 3'),
    );
  });
});

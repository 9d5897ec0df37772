import { expect } from '@jest/globals';
import fc from 'fast-check';
import { tallyReports } from '../unit/core/tally-reports.ts';
import { judge } from './law.ts';
import { KINDS, type Mutation, mutated, PLACES } from './mutation.ts';
import { sameTally, type Trial } from './trial.ts';
import { WRAPPINGS } from './wrapping.ts';

const forms = Object.values(WRAPPINGS);

const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.nat(Object.keys(KINDS).length - 1),
  at: fc.nat(PLACES - 1),
  value: fc.nat(2 ** 20),
});

const delivery = fc.record({
  seed: fc.nat(7),
  mutations: fc.array(mutation, { maxLength: 3 }),
  // Two in three reports arrive as plain bytes: strange objects are refused early.
  form: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(forms.length - 1) }),
});

/** What came of fuzzing a decoder. */
export interface Fuzzed {
  /** Reports that were tried. */
  readonly tried: number;
  /** How many of them decode accepted. */
  readonly accepted: number;
  /** What was found, shrunk to the smallest case; absent when nothing was. */
  readonly found?: string;
}

/**
 * Tries a decoder on mutated reports. Everything accepted is tallied as it arrives, and at the end once more from the bytes
 * alone: two tallies that must agree bit for bit.
 */
export function fuzz(trial: Trial, runs: number, seed: number): Fuzzed {
  const { protocol, parameters, own } = trial;
  const tally = protocol.server.empty(parameters);
  const kept: Uint8Array[] = [];
  let [tried, accepted] = [0, 0];
  const property = fc.property(delivery, ({ seed: start, mutations, form }) => {
    tried++;
    let bytes = own[start % own.length];
    for (const change of mutations) bytes = mutated(bytes, change, trial);
    const wrapped = forms[form](bytes);
    const verdict = judge(trial, wrapped);
    if (verdict.complaint !== undefined) throw new Error(verdict.complaint);
    if (!verdict.accepted) return;
    accepted++;
    protocol.server.add(parameters, tally, protocol.report.decode(parameters, wrapped.given as Uint8Array));
    kept.push(wrapped.bytes as Uint8Array);
  });
  const result = fc.check(property, { numRuns: runs, seed });
  if (result.failed)
    return { tried, accepted, found: `${result.errorInstance}: ${fc.stringify(result.counterexample)}` };
  const again = tallyReports(protocol, parameters, kept);
  const found = sameTally(again, tally) ? {} : { found: 'the tally is not that of what was accepted' };
  return { tried, accepted, ...found };
}

/** 12000 mutated reports are refused, or are what was sent. */
export function expectSound(trial: Trial): void {
  const { tried, accepted, found } = fuzz(trial, 12000, 20);
  expect(found).toBeUndefined();
  expect(tried).toBe(12000);
  // A fuzzer of which nothing arrives, or nothing is refused, tries nothing.
  expect(accepted / tried).toBeGreaterThan(0.1);
  expect(accepted / tried).toBeLessThan(0.9);
}

import { describe, expect, test } from '@jest/globals';
import { checkNames } from '../../../evidence/engine/experiments.ts';
import { selectValidations } from '../../../evidence/validating/selection.ts';
import { TOYS, toy } from './toys.ts';

const select = (...only: readonly string[]): readonly string[] =>
  selectValidations(TOYS, only).map(({ experiment }) => experiment.name);

describe('--only', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['the key of a paper', ['online-rates'], ['rates-bound', 'rates-last']],
    ['a protocol', ['toys'], ['rates-bound', 'hinge-rate', 'slide-error', 'rates-last']],
    ['the name of a validation', ['hinge-rate'], ['hinge-rate']],
    ['an item, of whichever paper', ['Theorem 11'], ['hinge-rate', 'rates-last']],
    ['an item of one paper', ['online-rates Theorem 11'], ['rates-last']],
    ['any case and white space', [' THEOREM  11 ', 'Slides'], ['hinge-rate', 'slide-error', 'rates-last']],
    ['an item with a comma', ['a naive estimator, error'], ['slide-error']],
    ['several words, each validation once', ['Corollary 1', 'Theorem 4', 'rates-bound'], ['rates-bound']],
  ])('takes %s', (_, only, expected) => {
    expect(select(...only)).toEqual(expected);
  });

  test('left out means all', () => {
    expect(selectValidations(TOYS, undefined)).toBe(TOYS);
  });

  test.each<[string, RegExp]>([
    [
      'Theorem 5',
      /^"only" expected a paper \(noninteractive, slides, .*, influence\), .*; close are "Theorem 4", .*, got "Theorem 5"$/,
    ],
    ['hinge-rates', /; close are "hinge-rate", .*, got "hinge-rates"$/],
    // A part of a name is none, and neither is a theorem of another paper.
    ['hinge', /; close are "hinge-rate", got "hinge"$/],
    ['slides Theorem 11', /; close are "Theorem 11", .*, got "slides Theorem 11"$/],
    ['influence', /that --list names, got "influence"$/],
    ['', /that --list names, got ""$/],
    ['Theorem 4, Theorem 11', /; several are apart by spaces, each in quotes; close are "Theorem 4", "Theorem 11", /],
  ])('refuses %j, with at most four names that come close', (word, message) => {
    expect(() => select('hinge-rate', word)).toThrow(RangeError);
    expect(() => select('hinge-rate', word)).toThrow(message);
    const [, close = ''] = /close are (.*), got/.exec(messageOf(() => select(word))) ?? [];
    expect(close.split(', ').length).toBeLessThanOrEqual(4);
  });

  test.each<[string, boolean]>([
    ['Theorem 5', true],
    ['online-rates Theorem 1', true],
    ['corollary  7', true],
    // No validation of the slides has a numbered theorem, none at all a lemma.
    ['slides Theorem 5', false],
    ['Lemma 6', false],
    ['Theorem', false],
    ['hinge-rate-2', false],
  ])('says of %j that no validation measures it: %s', (word, said) => {
    expect(messageOf(() => select(word)).includes('no validation measures this item')).toBe(said);
  });
});

function messageOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

test('two experiments or validations of one name are refused', () => {
  expect(() => checkNames(TOYS)).not.toThrow();
  const other = { ...toy('hinge-rate', 'slides', ['x']), protocol: 'others' };
  expect(() => checkNames([...TOYS, other])).toThrow('toys and others both have an experiment hinge-rate');
});

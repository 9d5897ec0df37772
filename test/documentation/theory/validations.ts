import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TheoremValidation } from '../../evidence/experiment/experiment.ts';

/** What the page needs to know of a validation. */
export type NamedValidation = Pick<TheoremValidation, 'name' | 'paper' | 'theorems'>;

/** The modules that export `validations`, protocol by protocol: a new one is found by its folder alone. */
export function validationModules(root: string): readonly string[] {
  return readdirSync(join(root, 'test/evidence'))
    .map((protocol) => join(root, 'test/evidence', protocol, 'validations', 'index.ts'))
    .filter((path) => existsSync(path))
    .sort();
}

/** The names of the validations that measure an item. */
export function validationsOf(all: readonly NamedValidation[], paper: string, number: string): readonly string[] {
  return all.filter((one) => one.paper === paper && one.theorems.includes(number)).map(({ name }) => name);
}

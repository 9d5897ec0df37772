import { refusal } from 'ldpkit';
import { jsonText, print, printJson } from 'ldpkit/node';
import type { Reproduction } from 'ldpkit/testing';
import { findExperiments } from '../engine/experiments.ts';
import { tableLines } from '../engine/text.ts';
import { TABLES } from '../tables.ts';
import type { ComputingOptions } from './computing-options.ts';
import { reproduceExperiment } from './reproduce-experiment.ts';
import { reproduceOwn } from './reproduce-own.ts';

/** Options that mean nothing for a table that is computed at once, without coins. */
const FOR_EXPERIMENTS = ['out', 'scale', 'threads', 'seed'] as const;

/**
 * `npm run reproduce`: a table or figure of a paper computed again; a table with the parts of all protocols that contribute to
 * it, or an experiment of one protocol, on made data or on a file.
 *
 * @throws RangeError for a name that no protocol contributes to, or options that mean nothing for it.
 */
export async function reproduce(name: string, options: ComputingOptions & { readonly data?: string }): Promise<void> {
  const experiments = await findExperiments();
  const found = experiments.find(({ experiment }) => experiment.name === name);
  if (found !== undefined) {
    if (options.data === undefined) await reproduceExperiment(found, options);
    else await reproduceOwn(found, options.data, options);
    return;
  }
  const contributions = Object.hasOwn(TABLES, name) ? TABLES[name] : [];
  const known = new Set([...Object.keys(TABLES), ...experiments.map(({ experiment }) => experiment.name)]);
  if (contributions.length === 0) throw new RangeError(refusal('name', `one of ${[...known].sort().join(', ')}`, name));
  if (options.data !== undefined) throw new RangeError(refusal('data', `none: ${name} takes no file`, options.data));
  for (const option of FOR_EXPERIMENTS) {
    if (options[option] !== undefined) {
      throw new RangeError(refusal(option, `none: ${name} is computed at once, and printed`, options[option]));
    }
  }
  const parts = contributions.map(({ protocol, compute }) => ({ protocol, part: compute() }));
  if (options.json === true) {
    printJson(jsonText({ name, parts: parts.map(({ protocol, part }) => ({ protocol, ...part })) }));
  } else {
    print(parts.flatMap(({ protocol, part }, index) => [...(index > 0 ? ['', ''] : []), ...linesOf(protocol, part)]));
  }
}

function linesOf(protocol: string, part: Reproduction): readonly string[] {
  return tableLines({ ...part, title: `${protocol}: ${part.title}` });
}

import { Option } from 'commander';

/**
 * Options as they are read, before it is known which protocol they are for: each name once, without a default, which may be another
 * one for every kind of protocols.
 */
export function optionsAsTyped(options: readonly Option[]): readonly Option[] {
  const read = new Map<string, Option>();
  for (const one of options) {
    if (!read.has(one.attributeName())) read.set(one.attributeName(), new Option(one.flags).hideHelp());
  }
  return [...read.values()];
}

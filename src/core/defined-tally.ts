import { refusal } from '../check/number.ts';
import { RefusedValue } from '../check/refusal.ts';
import { checkTally } from './channel.ts';
import type { PublicParameters } from './contract.ts';

/** What a server of a defined protocol keeps: plain data that survives `structuredClone`. */
export interface DefinedTally<Field extends string> {
  /** Digest of the parameters whose reports it takes. */
  readonly digest: string;
  /** Number of reports. */
  players: number;
  /** The sums, by name. */
  readonly sums: { readonly [field in Field]: Float64Array };
}

/** Names of sums, and the length of each. */
type Lengths<Field extends string> = { readonly [field in Field]: number };

/** The tally of no reports. */
export function emptySums<Field extends string>(
  { digest }: PublicParameters,
  lengths: Lengths<Field>,
): DefinedTally<Field> {
  const sums = {} as { [field in Field]: Float64Array };
  for (const field of Object.keys(lengths) as Field[]) sums[field] = new Float64Array(lengths[field]);
  return { digest, players: 0, sums };
}

/**
 * Refuses a tally of reports under other parameters, and one of another shape.
 *
 * @throws RangeError.
 */
export function checkSums<Field extends string>(
  name: string,
  parameters: PublicParameters,
  tally: DefinedTally<Field>,
  lengths: Lengths<Field>,
): void {
  checkTally(name, tally, parameters);
  for (const field of Object.keys(lengths) as Field[]) {
    const length = tally.sums[field]?.length;
    if (length !== lengths[field])
      throw new RefusedValue(refusal(`${name}.sums.${field}`, `${lengths[field]} numbers`, length));
  }
}

/** Adds all sums of another tally; the other tally does not change. */
export function addSums<Field extends string>(tally: DefinedTally<Field>, other: DefinedTally<Field>): void {
  tally.players += other.players;
  for (const field of Object.keys(tally.sums) as Field[]) {
    const [ours, theirs]: readonly Float64Array[] = [tally.sums[field], other.sums[field]];
    for (let i = 0; i < ours.length; i++) ours[i] += theirs[i];
  }
}

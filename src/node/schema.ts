import { refusal } from '../check/number.ts';
import { readJsonDocument } from './document-file.ts';
import type { Feature, Label } from './feature.ts';
import { featureNames } from './feature-names.ts';
import { checkShape } from './schema-shape.ts';
import { resolveFeature, resolveLabel } from './schema-values.ts';

/**
 * How a table becomes labelled records in the unit ball. All of it is public and fixed before any data are read: a
 * bound computed from the data would be a release of its own.
 */
export interface Schema {
  readonly title: string | undefined;
  readonly label: Label;
  readonly features: readonly Feature[];
  /** `unit`: each record is divided by its own norm; `ball`: by the largest norm a record can have. */
  readonly normalize: 'unit' | 'ball';
  /** Number of coordinates of a record. */
  readonly dimension: number;
  /** One short name for each coordinate, all different unless a feature is listed twice. */
  readonly names: readonly string[];
}

/**
 * A schema out of parsed JSON, checked and with every default filled in.
 *
 * The keys `title`, `rows`, `encoding` and `split` at the top only inform; any other unknown key is refused.
 *
 * @throws TypeError or RangeError naming the place, as in `"features[3].minimum" expected a finite number, got "x"`.
 */
export function parseSchema(json: unknown): Schema {
  const shape = checkShape(json);
  const label = resolveLabel(shape.label, 'label');
  const features = shape.features.map((feature, index) => {
    const resolved = resolveFeature(feature, `features[${index}]`);
    // A model that is shown the answer is never what is meant.
    if (resolved.kind !== 'constant' && resolved.column === label.column) {
      const name = `features[${index}].column`;
      throw new RangeError(refusal(name, 'another column than that of the label', resolved.column));
    }
    return resolved;
  });
  const names = featureNames(features);
  return { title: shape.title, label, features, normalize: shape.normalize, dimension: names.length, names };
}

/**
 * The schema in a JSON file.
 *
 * @throws RangeError for a file that cannot be read or is not JSON (see `readJsonDocument`), and whatever {@link parseSchema} throws.
 */
export async function readSchema(path: string): Promise<Schema> {
  return parseSchema(await readJsonDocument('schema', path));
}

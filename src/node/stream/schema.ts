import { checkPositive, refusal } from '../../check/number.ts';
import { readJsonDocument } from '../document-file.ts';
import type { Feature } from '../feature.ts';
import { featureNames } from '../feature-names.ts';
import { checkRegressionShape } from '../schema-shape.ts';
import { resolveFeature } from '../schema-values.ts';

/** The number that is predicted. */
export interface NumberLabel {
  readonly column: string;
  /** Public bounds: what lies beyond is cut off by the player, so that they and not a datum say how large a number can be. */
  readonly minimum: number;
  readonly maximum: number;
  /** What counts as 1 in the model: a residual of c units is where the Huber loss begins to be linear. */
  readonly unit: number;
}

/**
 * How a table becomes the records of a regression, one player after the other. All of it is public and fixed before any data are
 * read.
 */
export interface RegressionSchema {
  readonly title: string | undefined;
  readonly label: NumberLabel;
  readonly features: readonly Feature[];
  /** Column of points in time that says who comes first; the order of the file where there is none. */
  readonly order: string | undefined;
  /** Number of coordinates of a record, the intercept not counted. */
  readonly width: number;
  /** One short name for each. */
  readonly names: readonly string[];
}

/** Units that the range of a label is divided into where nothing else is said. */
const UNITS = 20;

/**
 * A schema of a regression out of parsed JSON, checked and with every default filled in.
 *
 * @throws TypeError or RangeError naming the place, as in `"label.minimum" expected a finite number, got "x"`.
 */
export function parseRegressionSchema(json: unknown): RegressionSchema {
  const shape = checkRegressionShape(json);
  const { column, minimum, maximum } = shape.label;
  if (!(minimum < maximum)) {
    throw new RangeError(refusal('label.minimum', `a number below the maximum ${maximum}`, minimum));
  }
  const unit = checkPositive('label.unit', shape.label.unit ?? (maximum - minimum) / UNITS);
  const features = shape.features.map((feature, index) => {
    const resolved = resolveFeature(feature, `features[${index}]`);
    if (resolved.kind === 'constant') {
      throw new RangeError(
        refusal(`features[${index}]`, 'no constant: a regression has its own intercept', 'a constant'),
      );
    }
    // A model that is shown the answer is never what is meant.
    if (resolved.column === column) {
      const name = `features[${index}].column`;
      throw new RangeError(refusal(name, 'another column than that of the label', resolved.column));
    }
    return resolved;
  });
  const names = featureNames(features);
  const label = { column, minimum, maximum, unit };
  return { title: shape.title, label, features, order: shape.order, width: names.length, names };
}

/**
 * The schema of a regression in a JSON file.
 *
 * @throws RangeError for a file that cannot be read or is not JSON, and whatever {@link parseRegressionSchema} throws.
 */
export async function readRegressionSchema(path: string): Promise<RegressionSchema> {
  return parseRegressionSchema(await readJsonDocument('schema', path));
}

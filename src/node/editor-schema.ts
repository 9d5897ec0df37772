import { type SchemaForm, SHAPES } from './schema-shape.ts';

/** A JSON Schema, as an editor reads it. */
type JsonSchema = { readonly [key: string]: unknown };

/** What of a schema of valibot, or of a step behind it, an editor is told. */
interface Shape {
  readonly type: string;
  readonly pipe?: readonly [Shape, ...Shape[]];
  readonly description?: string;
  readonly requirement?: unknown;
  readonly metadata?: JsonSchema;
  readonly entries?: { readonly [key: string]: Shape };
  readonly items?: readonly Shape[];
  readonly item?: Shape;
  readonly wrapped?: Shape;
  readonly options?: readonly unknown[];
}

function jsonOf(shape: Shape): JsonSchema {
  const { pipe, entries = {}, items = [], item, wrapped, options = [] } = shape;
  if (pipe !== undefined)
    return Object.assign({}, jsonOf(pipe[0]), ...pipe.slice(1).map((step) => stepOf(shape, step)));
  const keys = Object.entries(entries);
  switch (shape.type) {
    case 'optional':
      return jsonOf(wrapped!);
    case 'strict_object':
      return {
        type: 'object',
        properties: Object.fromEntries(keys.map(([key, one]) => [key, jsonOf(one)])),
        required: keys.flatMap(([key, { type }]) => (type === 'optional' ? [] : [key])),
        additionalProperties: false,
      };
    case 'array':
      return { type: 'array', items: jsonOf(item!) };
    case 'strict_tuple':
      return { type: 'array', items: jsonOf(items[0]), minItems: items.length, maxItems: items.length };
    case 'union':
    case 'lazy':
      return { anyOf: options.map((one) => jsonOf(one as Shape)) };
    case 'picklist':
      return { enum: options };
    case 'unknown':
      return {};
    default:
      return { type: shape.type };
  }
}

/** What a step behind a schema adds: its description, or a condition that JSON Schema has. */
function stepOf({ type: of }: Shape, { type, description, requirement, metadata = {} }: Shape): JsonSchema {
  if (type === 'description') return { description };
  if (type === 'min_length') return { minItems: requirement };
  if (type === 'non_empty') return of === 'array' ? { minItems: 1 } : { minLength: 1 };
  return metadata;
}

/** The JSON Schema of a form of schema: with it an editor explains the keys, completes them and marks mistakes. */
export function editorSchema(form: SchemaForm): object {
  const json = jsonOf(SHAPES[form] as unknown as Shape);
  return { $schema: 'http://json-schema.org/draft-07/schema#', title: `ldpkit schema: ${form}`, ...json };
}

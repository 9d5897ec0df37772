import type { SchemaForm } from './schema-shape.ts';

/** A JSON Schema, as an editor reads it. */
type JsonSchema = { readonly [key: string]: unknown };

const number = (description: string): JsonSchema => ({ type: 'number', description });
const text = (description: string): JsonSchema => ({ type: 'string', minLength: 1, description });
const category = (description: string): JsonSchema => ({ type: ['string', 'number'], minLength: 1, description });
const list = (items: JsonSchema, description: string, least: number = 1): JsonSchema => ({
  type: 'array',
  minItems: least,
  items,
  description,
});
const values = (description: string): JsonSchema => ({ ...list(category('a value'), description), uniqueItems: true });

/** An object with these keys and no others; those whose name ends in "?" may be left out. */
function object(description: string, keys: { readonly [key: string]: JsonSchema }): JsonSchema {
  const names = Object.keys(keys);
  return {
    type: 'object',
    description,
    properties: Object.fromEntries(names.map((name) => [name.replace('?', ''), keys[name]])),
    required: names.filter((name) => !name.endsWith('?')),
    additionalProperties: false,
  };
}

const column = text('name of a column of the file');
const name = text('what the coordinate is called in tables');
const part = {
  enum: ['hour', 'weekday', 'month', 'dayOfYear'],
  description: 'a number taken from a date: hour 0–23, weekday 0 (Sunday)–6, month 1–12, dayOfYear 1–366',
};
const range = {
  type: 'array',
  items: number('an end of the range'),
  minItems: 2,
  maxItems: 2,
  description: 'where the bounds are mapped to, [low, high]; [-1, 1] if left out',
};
const minimum = number('the least value that anybody can have: public, never read from the file');
const maximum = number('the largest value that anybody can have: public, never read from the file');

const feature: JsonSchema = {
  description: 'one entry for each thing that a model may use',
  anyOf: [
    object('the same number for every record: a linear model then has an intercept', {
      constant: number('the number'),
    }),
    object('a number between public bounds', {
      'name?': name,
      column,
      'part?': part,
      minimum,
      maximum,
      'transform?': { enum: ['log1p'], description: 'the logarithm of 1 + value, before it is mapped' },
      'range?': range,
      'clip?': {
        type: 'boolean',
        description: 'whether a value out of bounds is moved to the bound; else it is refused',
      },
    }),
    object('whether the value is one of some', {
      'name?': name,
      column,
      'part?': part,
      indicator: values('the values that count as 1'),
      'categories?': values('all values that there may be; any other is refused'),
      'range?': range,
    }),
    object('two coordinates, the sine and the cosine of 2π·value/period', {
      'name?': name,
      column,
      'part?': part,
      cycle: { type: 'number', exclusiveMinimum: 0, description: 'the period, such as 24 for hours' },
    }),
  ],
};

const sides = [
  object('one of two values', {
    column,
    positive: category('the value that counts as 1'),
    negative: category('the value that counts as −1'),
  }),
  object('whether a number is above a threshold', { column, above: number('the threshold') }),
];
const classes = [
  object('one of several values', { column, classes: { ...values('the classes'), minItems: 2 } }),
  object('bands of a number', { column, bands: list(number('an upper end'), 'ascending numbers between the bands') }),
];
const amount = object('a number that is predicted', {
  column,
  minimum,
  maximum,
  'unit?': {
    type: 'number',
    exclusiveMinimum: 0,
    description: 'what is 1 in the model; a twentieth of the range if left out',
  },
});

const key = (whose: JsonSchema): JsonSchema => ({
  description: 'whose a row is: a column, or several columns and parts of dates together',
  anyOf: [column, list({ anyOf: [column, whose] }, 'columns that together name a player')],
});
const player = key(object('a part of a date', { column, part }));

const coordinate = object('a number between public bounds, which it is cut off at', {
  'name?': name,
  column,
  minimum,
  maximum,
});

const informative = { description: 'information for people; ldpkit does not use it' };
const head = {
  '$schema?': { type: 'string', description: 'the file by which an editor explains the keys' },
  'title?': { type: 'string', description: 'what the records are called' },
  'rows?': informative,
  'encoding?': informative,
};
const features = list(feature, 'what a model may use of a record');
const labelled = {
  ...head,
  'split?': informative,
  label: { description: 'what is predicted', anyOf: sides },
  features,
  normalize: {
    enum: ['unit', 'ball'],
    description: 'unit: every record is divided by its own norm; ball: by the largest norm that the bounds allow',
  },
};
const ordered = {
  ...head,
  'order?': text('a column of dates that says who comes first; else the order of the file counts'),
  features,
};

/** What a schema may say, by the use of its records; `checkShape` says the same to a run. */
const FORMS: { readonly [form in SchemaForm]: JsonSchema } = {
  records: object('labelled records', labelled),
  players: object('labelled records of players who may have several', { ...labelled, 'player?': player }),
  regression: object('records of a regression', { ...ordered, label: amount }),
  sides: object('records of two sides', { ...ordered, label: { anyOf: sides } }),
  classes: object('records of several classes', { ...ordered, label: { anyOf: [...classes] } }),
  samples: object('samples of players', {
    ...head,
    'player?': player,
    coordinates: list(coordinate, 'what is averaged'),
  }),
  categories: object('one category, or a number with bins, of every player', {
    ...head,
    label: {
      description: 'what is counted',
      anyOf: [
        object('one of several values', {
          column,
          'part?': part,
          classes: { ...values('the categories'), minItems: 2 },
        }),
        object('bins of a number', {
          column,
          'part?': part,
          edges: list(number('an edge'), 'ascending edges of the bins', 3),
        }),
      ],
    },
  }),
  numbers: object('numbers of every player', { ...head, coordinates: list(coordinate, 'what is averaged') }),
  points: object('points of a space', {
    ...head,
    'unit?': text('what distances are told in'),
    coordinates: list(coordinate, 'the coordinates of a point', 2),
  }),
};

/** The JSON Schema of a form of schema: with it an editor explains the keys, completes them and marks mistakes. */
export function editorSchema(form: SchemaForm): object {
  return { $schema: 'http://json-schema.org/draft-07/schema#', title: `ldpkit schema: ${form}`, ...FORMS[form] };
}

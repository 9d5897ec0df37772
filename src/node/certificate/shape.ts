import * as v from 'valibot';
import type { Json } from '../../core/digest.ts';
import { shapeRefusal } from '../schema-shape.ts';

// Checks only what is needed to compute a certificate again and to describe it. The comparison finds all other missing,
// additional or wrong entries and names what was expected. A message of valibot becomes the middle of our message.
const text = v.pipe(v.string('a text'), v.nonEmpty('a text'));
const whole = v.pipe(v.number('a whole number'), v.integer('a whole number'));
const number = v.pipe(v.number('a finite number'), v.finite('a finite number'));
const guarantee = v.looseObject({ kind: text }, 'an object');

const headShape = v.looseObject({
  schema: v.literal('ldpkit-certificate', 'ldpkit-certificate'),
  schemaVersion: whole,
});

const certificateShape = v.looseObject({
  protocol: text,
  variant: text,
  protocolVersion: whole,
  grade: text,
  request: v.custom<object>(isRecord, 'an object'),
  digest: text,
  neighbouring: text,
  releases: v.array(v.looseObject({ what: text, count: whole, guarantee }, 'an object'), 'a list of releases'),
  claimed: v.optional(guarantee),
  reportDelta: v.optional(number),
  totals: v.array(v.looseObject({ accounting: text, guarantee, theorem: text }, 'an object'), 'a list of totals'),
  silent: v.array(v.looseObject({ accounting: text, reason: text }, 'an object'), 'a list of accountings'),
  notes: v.array(text, 'a list of texts'),
  tool: v.optional(v.strictObject({ name: text, version: text }, 'an object')),
});

/** The head of any version of the document. */
interface CertificateHead {
  readonly schemaVersion: number;
}

/** A document of the current version; the rest of it is known only after it was computed again. */
interface CertificateShape {
  readonly [name: string]: Json;
  readonly protocol: string;
  readonly variant: string;
  readonly grade: string;
  readonly request: { readonly [name: string]: Json };
  readonly digest: string;
}

/**
 * Checks that a value is a certificate of any version.
 *
 * @throws TypeError or RangeError naming the place; `path` is the position of the value.
 */
export function checkCertificateHead(json: unknown, path: string = ''): CertificateHead {
  const result = v.safeParse(headShape, json, { abortPipeEarly: true });
  if (!result.success) throw shapeRefusal('certificate', result.issues[0], path);
  return result.output;
}

/**
 * Checks keys and types of a certificate of the current version.
 *
 * @throws TypeError or RangeError naming the place.
 */
export function checkCertificateShape(json: unknown, path: string = ''): CertificateShape {
  const result = v.safeParse(certificateShape, json, { abortPipeEarly: true });
  if (!result.success) throw shapeRefusal('certificate', result.issues[0], path);
  // The value itself: a copy by the library would lack names such as `__proto__`, so that nobody would compare them.
  return json as CertificateShape;
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Robust regression by noisy Newton's method, where a curator holds the records.
 *
 * | to | start from |
 * |---|---|
 * | make a plan, and play it | {@link newton}; {@link solve} |
 *
 * @packageDocumentation
 */
export { solve } from './curator.ts';
export { newton } from './parameters.ts';
export { privacyError, theory } from './protocol.ts';
export { reweight, reweighted } from './reweighted.ts';

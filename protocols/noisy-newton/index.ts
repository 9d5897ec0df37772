/**
 * Robust regression by noisy Newton's method, where a curator holds the records.
 *
 * | to | start from |
 * |---|---|
 * | make a plan, and play it | {@link newton}; {@link solve} |
 * | the same by weights, which come to the minimiser from far away | {@link reweighted}; {@link reweight} |
 *
 * @packageDocumentation
 */
export { solve } from './curator.ts';
export { newton } from './parameters.ts';
export { privacyError, theory } from './protocol.ts';
export { reweight, reweighted } from './reweighted.ts';

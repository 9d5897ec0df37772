/**
 * What a program needs to run protocols.
 *
 * | to | start from |
 * |---|---|
 * | try a protocol, or collect on a server | {@link open} |
 * | answer on a device | {@link deployedPlayer}, {@link deployedRoundsPlayer} or {@link deployedSequentialPlayer}, with {@link createLedger} and {@link pureCap} |
 * | take reports from strangers | {@link createCollector}, {@link createRoundsCollector}, {@link createSequentialCollector} |
 * | say what is guaranteed, and check it | {@link certify}, {@link verifyCertificate} |
 * | make a protocol | {@link defineProtocol}; in rounds {@link defineRounds}, as a stream {@link defineStream} |
 * | draw coins | {@link secureRandom}; {@link seededRandom} for a simulation |
 *
 * @packageDocumentation
 */
export {
  checkInteger,
  checkOpenUnit,
  checkPositive,
  checkWord,
  RefusedKind,
  RefusedValue,
  ReportError,
} from './check/refusal.ts';
export { certify, verifyCertificate } from './core/certify.ts';
export { createCollector, createSequentialCollector } from './core/collector.ts';
export type { PlainRequest, Protocol } from './core/contract.ts';
export { defineProtocol } from './core/define.ts';
export { defineRounds } from './core/define-rounds.ts';
export { defineStream } from './core/define-stream.ts';
export {
  deployedPlayer,
  deployedRoundsPlayer,
  deployedSequentialPlayer,
} from './core/device.ts';
export type { RoundsProtocol, SequentialProtocol } from './core/interactive.ts';
export { createLedger, guaranteeCap, type LedgerStore, memoryStore, pureCap } from './core/ledger.ts';
export { open } from './core/open.ts';
export { canonicalJson, digestOf, type Json } from './core/request.ts';
export { createRoundsCollector } from './core/rounds-collector.ts';
export { bits, type Random } from './random/random.ts';
export { secureRandom } from './random/secure.ts';
export { seededRandom } from './random/seeded.ts';

import { canonicalJson, type Json } from '../../src/core/request.ts';
import { figureFaults } from '../evidence/engine/figure-faults.ts';
import type { ExperimentReport, TheoremValidation } from '../evidence/experiment/experiment.ts';

/** Changes one chunk of a cell as a theorem that does not hold would: the control that every claim must refute. */
export type Change = (chunk: Json, setting: Json, cellKey: string) => Json;

/**
 * What a validation says at the quick scale, all of it computed in this thread; chunks pass through text as those of the command do.
 *
 * @throws Error where a figure cannot be drawn.
 */
export function runQuick(validation: TheoremValidation, seed: string): ExperimentReport {
  const report = tampered(validation, seed, (chunk) => chunk);
  const faults = figureFaults(report.figures);
  if (faults.length > 0) throw new Error(`${validation.name}: ${faults.join('; ')}`);
  return report;
}

/** What a validation says of chunks that were changed after they were computed. Chunks are computed once for a seed. */
export function tampered(validation: TheoremValidation, seed: string, change: Change): ExperimentReport {
  const texts = textsOf(validation, seed);
  const results = validation.cells('quick').map((cell, index) => ({
    cell,
    chunks: texts[index].map((text) => change(JSON.parse(text) as Json, cell.setting, cell.key)),
  }));
  return validation.report(results);
}

const computed = new WeakMap<TheoremValidation, Map<string, readonly (readonly string[])[]>>();

/** The chunks of the cells at the quick scale, as canonical JSON. */
function textsOf(validation: TheoremValidation, seed: string): readonly (readonly string[])[] {
  const bySeed = computed.get(validation) ?? new Map<string, readonly (readonly string[])[]>();
  computed.set(validation, bySeed);
  const known = bySeed.get(seed);
  if (known !== undefined) return known;
  const texts = validation
    .cells('quick')
    .map(({ setting, chunks }) =>
      Array.from({ length: chunks }, (_, chunk) => canonicalJson(validation.chunk(setting, chunk, seed))),
    );
  bySeed.set(seed, texts);
  return texts;
}

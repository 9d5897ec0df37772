import { table1 as medianTable } from './euclidean-median/table-1.ts';
import type { Reproduction } from './experiment/experiment.ts';
import { table1 as linearTable } from './generalized-linear/table-1.ts';
import { table1 as hingeTable } from './hinge/table-1.ts';

/** What a protocol contributes to a table that is computed at once, without coins. */
export interface Contribution {
  readonly protocol: string;
  readonly compute: () => Reproduction;
}

/** Tables of papers that need no simulation, by name. */
export const TABLES: Readonly<Record<string, readonly Contribution[]>> = {
  'table-1': [
    { protocol: 'euclidean-median', compute: medianTable },
    { protocol: 'generalized-linear', compute: linearTable },
    { protocol: 'hinge', compute: hingeTable },
  ],
};

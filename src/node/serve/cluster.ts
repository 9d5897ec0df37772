import { refusal } from '../../check/number.ts';
import { RefusedValue } from '../../check/refusal.ts';
import type { ClusterLog } from './cluster-log.ts';
import type { Collected } from './collection.ts';
import { isOrdered } from './fold.ts';
import { type ClusterOptions, openJetStream } from './jetstream.ts';

/**
 * The log of a plan in a cluster; where the order of all reports matters it has one partition.
 *
 * @throws RangeError for more partitions than that, or whatever the servers refuse.
 */
export async function openCluster({ parameters, fold }: Collected, options: ClusterOptions): Promise<ClusterLog> {
  if (!isOrdered(fold())) return openJetStream(parameters.digest, options);
  if ((options.partitions ?? 1) !== 1) {
    throw new RefusedValue(
      refusal('partitions', '1 in rounds and streams, where the order matters', options.partitions),
    );
  }
  return openJetStream(parameters.digest, { ...options, partitions: 1 });
}

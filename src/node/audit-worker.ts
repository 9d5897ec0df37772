import { type AuditCounts, auditShare } from '../audit/plan.ts';
import { seededRandom } from '../random/seeded.ts';
import { auditTarget } from './audit-target.ts';
import type { AuditTask } from './audit-threads.ts';

/** Counts one shard of an audit in a worker thread. */
export default async function work(task: AuditTask): Promise<AuditCounts> {
  const { protocol, request, attacked, plan, seed, shard, shards } = task;
  const target = await auditTarget(protocol, request, attacked);
  return auditShare(target, plan, { random: seededRandom(seed).stream(shard), shard, shards });
}

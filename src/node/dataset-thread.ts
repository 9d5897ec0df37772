import { fileURLToPath } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { Dataset } from '../simulation/dataset.ts';
import type { DatasetSource, LoadProgress } from './dataset.ts';
import type { LoadTask } from './dataset-worker.ts';

/**
 * The same as `loadDataset`, in a thread of its own: what reading leaves behind, as much again as the records of a large
 * file, ends with the thread instead of waiting in memory for a simulation to need it.
 *
 * @throws as `loadDataset`.
 */
export async function loadDatasetApart(source: DatasetSource, onProgress?: LoadProgress): Promise<Dataset> {
  const pool = new Piscina<LoadTask, Dataset>({
    filename: fileURLToPath(new URL('./dataset-worker.js', import.meta.url)),
    minThreads: 1,
    maxThreads: 1,
  });
  const { port1: heard, port2: port } = new MessageChannel();
  heard.on('message', ([records, expected]: [number, number]) => onProgress?.(records, expected));
  try {
    return await pool.run({ source, port }, { transferList: [port] });
  } finally {
    heard.close();
    await pool.destroy();
  }
}

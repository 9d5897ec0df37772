import type { MessagePort } from 'node:worker_threads';
import type { Dataset } from '../simulation/dataset.ts';
import { type DatasetSource, loadDataset } from './dataset.ts';

/** What a thread receives that reads a dataset. */
export interface LoadTask {
  /** The file and its schema. */
  readonly source: DatasetSource;
  /** Hears pairs of the records read so far and the most there can be. */
  readonly port: MessagePort;
}

/** Reads a dataset in a worker thread. */
export default async function load({ source, port }: LoadTask): Promise<Dataset> {
  try {
    return await loadDataset(source, (records, expected) => port.postMessage([records, expected]));
  } finally {
    port.close();
  }
}

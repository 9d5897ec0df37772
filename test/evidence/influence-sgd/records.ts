import type { CentralRecords } from 'ldpkit/protocols/influence-sgd';

/** The records with these indexes, as records of their own. */
export function selectRecords(given: CentralRecords, rows: ArrayLike<number>): CentralRecords {
  const { dimension } = given;
  const features = new Float64Array(rows.length * dimension);
  const labels = new Int8Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    for (let j = 0; j < dimension; j++) features[i * dimension + j] = given.features[row * dimension + j];
    labels[i] = given.labels[row];
  }
  return { records: rows.length, dimension, features, labels };
}

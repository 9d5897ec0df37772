import { mkdir } from 'node:fs/promises';
import type { Database, RootDatabase } from 'lmdb';
import { RefusedValue, ReportError, refusal } from '../../check/refusal.ts';

/**
 * A package that only a collector needs. Programs that import the library alone do not install it.
 *
 * @throws RangeError naming the package where it is not installed.
 */
export async function optionalModule<Module>(name: string): Promise<Module> {
  try {
    return (await import(name)) as Module;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new RefusedValue(refusal('package', `${name} to be installed (npm install ${name})`, 'none'), {
      cause: error,
    });
  }
}

/** A store of one plan in a folder. */
export interface Store {
  readonly root: RootDatabase<unknown, string>;
  /** What is known of the store as a whole. */
  readonly meta: Database<unknown, string>;
  /**
   * Does something in one transaction; over when it is on the disk.
   *
   * @throws whatever the disk says: then nothing of it was done.
   */
  written<Result>(does: () => Result): Promise<Result>;
  /** Waits for all that was written, and closes the files. */
  shut(): Promise<void>;
}

/**
 * The store in a folder, made if it is not there. It belongs to one plan for ever; `begin` writes what a new one holds.
 *
 * @throws ReportError for the folder of another plan; Error where the package `lmdb` is not installed.
 */
export async function openStore(
  path: string,
  plan: string,
  begin: (meta: Database<unknown, string>) => void = () => undefined,
): Promise<Store> {
  const { open } = await optionalModule<typeof import('lmdb')>('lmdb');
  await mkdir(path, { recursive: true });
  // Without overlapping a transaction is over when it is on the disk, and not before.
  const root: RootDatabase<unknown, string> = open({ path, overlappingSync: false, maxDbs: 4 });
  const meta: Database<unknown, string> = root.openDB({ name: 'meta', encoding: 'json' });
  // A transaction that fails throws here, where its reports wait, and nowhere else. All that arrives meanwhile waits for
  // the next one, which writes it together.
  const written = async <Result>(does: () => Result): Promise<Result> => {
    await new Promise((resolve) => setImmediate(resolve));
    return root.transactionSync(does);
  };
  const owner = await written(() => {
    if (meta.get('plan') === undefined) {
      meta.put('plan', plan);
      begin(meta);
    }
    return meta.get('plan');
  });
  if (owner !== plan) {
    await root.close();
    throw new ReportError(`"folder" expected one of the plan ${plan}`);
  }
  return {
    root,
    meta,
    written,
    async shut() {
      await root.flushed;
      await root.close();
    },
  };
}

import { refusal } from '../../check/number.ts';
import { RefusedValue } from '../../check/refusal.ts';

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

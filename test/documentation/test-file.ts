import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Whether a test named in a document, `theory/forecast`, is there: in the first suite or among the long ones. */
export function isTest(root: string, path: string): boolean {
  return ['.test.ts', '.long.test.ts'].some((ending) => existsSync(join(root, 'test', `${path}${ending}`)));
}

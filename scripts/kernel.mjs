// Compiles the kernel, kernel/*.ts in AssemblyScript, to WebAssembly, and writes its bytes as a module of the library:
//
//   npm run kernel
//   npm run kernel -- --check      writes nothing; the exit code is 1 if the module differs from the source
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const MODULE = join(root, 'src', 'random', 'kernel-program.ts');

const text = `/**
 * The kernel as WebAssembly, in base64. Made from the sources in kernel/ by scripts/kernel.mjs: a test compiles them anew
 * and compares.
 */
export const KERNEL_PROGRAM: string =
  '${compile().toString('base64')}';
`;
if (!process.argv.includes('--check')) writeFileSync(MODULE, text);
else if (readFileSync(MODULE, 'utf8') !== text) {
  process.stderr.write('src/random/kernel-program.ts is not what kernel/ compiles to: npm run kernel\n');
  process.exitCode = 1;
}

/** The bytes of the program. The two warnings are about vectors that leave the program, which these do not. */
function compile() {
  const folder = mkdtempSync(join(tmpdir(), 'ldpkit-kernel-'));
  try {
    const compiler = join(root, 'node_modules', 'assemblyscript', 'bin', 'asc.js');
    const options = [
      '-O3',
      '--noAssert',
      '--initialMemory',
      '16',
      '--runtime',
      'stub',
      '--enable',
      'simd',
      '--disableWarning',
      '112,235',
    ];
    const words = [compiler, 'players.ts', '--outFile', join(folder, 'kernel.wasm'), ...options];
    const { status } = spawnSync(process.execPath, words, { cwd: join(root, 'kernel'), stdio: 'inherit' });
    if (status !== 0) throw new Error('the kernel does not compile');
    return readFileSync(join(folder, 'kernel.wasm'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// Packs the package, installs it in an empty folder and uses it as a user would. Closes with one plain line.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commonJs, esModule, typedNode, typedPage } from './consumer.mjs';
import { documentsOf, leaks, wrongFiles } from './contents.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/, '');
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ldpkit-package-')));
const consumer = join(folder, 'consumer');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** Every public name. Central protocols have a curator and no player. */
const names = Object.keys(manifest.exports).flatMap((entry) => {
  const name = entry.replace('.', manifest.name);
  if (!entry.includes('*')) return name.endsWith('.json') ? [] : [name];
  const protocols = readdirSync(join(root, 'protocols')).filter((protocol) =>
    existsSync(join(root, `${entry.replace('*', protocol)}${entry.endsWith('*') ? '/index' : ''}.ts`)),
  );
  return protocols.map((protocol) => name.replace('*', protocol));
});
const sources = ['src', 'protocols'].flatMap((place) =>
  readdirSync(join(root, place), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${place}/${file.replaceAll('\\', '/')}`),
);

const documents = documentsOf(
  manifest.files,
  readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .concat(
      ['docs', 'protocols'].flatMap((place) =>
        readdirSync(join(root, place), { recursive: true, encoding: 'utf8' }).map(
          (file) => `${place}/${file.replaceAll('\\', '/')}`,
        ),
      ),
    )
    .filter((file) => statSync(join(root, file)).isFile()),
);

// What npm tells the scripts it runs must not reach the npm of the user that is played here.
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))),
  // npx runs what is installed; it must not fetch a namesake.
  npm_config_yes: 'false',
};

/** Runs a command to its end and gives what it printed; a failure says what it complained of. */
function run(cwd, command, ...words) {
  const { status, stdout, stderr, error } = spawnSync(command, words, {
    cwd,
    env: environment,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    timeout: 1_800_000,
    shell: process.platform === 'win32',
  });
  if (error !== undefined) throw error;
  assert.equal(status, 0, `${command} ${words.join(' ')} ended with ${status}\n${stdout}${stderr}`);
  // What npm may say depends on the day (a newer npm, a deprecation); these depend on our manifest alone.
  // (Of a tarball, unlike a package from a registry, npm also counts the package's own "prepare" as an install script.)
  const warnings = stderr.match(
    /^npm warn (?:ERESOLVE|EBADENGINE|EBADPLATFORM|peer|install-scripts {3}(?!ldpkit@)).*/gm,
  );
  assert.equal(warnings, null, `${command} ${words.join(' ')} warned`);
  return stdout;
}

const write = (name, text) => writeFileSync(join(consumer, name), text);

/** Type-checks one program of the consumer and every declaration that it reaches. */
function compile(file, options) {
  const compilerOptions = { strict: true, noEmit: true, skipLibCheck: false, target: 'es2023', ...options };
  write('tsconfig.json', JSON.stringify({ compilerOptions, files: [file] }));
  run(consumer, process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json');
}

const installed = join(consumer, 'node_modules', manifest.name);
const tests = {
  'it is packed from a fresh build'() {
    run(root, 'npm', 'run', 'build');
    const [{ filename, size, files }] = JSON.parse(
      run(root, 'npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', folder),
    );
    process.stdout.write(`  ${filename}: ${size} bytes, ${files.length} files\n`);
    const packed = files.map(({ path }) => path);
    assert.deepEqual(wrongFiles(packed, sources, documents), []);
  },
  'it installs in an empty folder, without a warning'() {
    mkdirSync(consumer);
    write('package.json', JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
    const tarball = join(folder, `${manifest.name}-${manifest.version}.tgz`);
    const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--no-update-notifier'];
    run(consumer, 'npm', 'install', ...quiet, tarball);
    assert.ok(readdirSync(installed).includes('dist'));
  },
  'no file in it gives away the machine it was packed on'() {
    for (const file of readdirSync(installed, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      const path = join(file.parentPath, file.name);
      assert.deepEqual(leaks(readFileSync(path, 'utf8'), root), [], path);
    }
  },
  'every public name can be imported, and a player answers'() {
    write('consumer.mjs', esModule(names));
    assert.equal(run(consumer, process.execPath, 'consumer.mjs'), 'true\n');
  },
  'every public name can be required from CommonJS, and a player answers'() {
    write('consumer.cjs', commonJs(names));
    assert.equal(run(consumer, process.execPath, 'consumer.cjs'), 'true\n');
  },
  'nothing else in it can be imported'() {
    for (const name of ['dist/src/index.js', 'src/index.js', 'protocols/hinge/server', 'protocols/no-such-protocol']) {
      write('private.mjs', `import '${manifest.name}/${name}';`);
      assert.throws(
        () => run(consumer, process.execPath, 'private.mjs'),
        /ERR_PACKAGE_PATH_NOT_EXPORTED|ERR_MODULE_NOT_FOUND/,
      );
    }
  },
  'its types are sound for a page, without those of Node'() {
    write('page.ts', typedPage(names));
    compile('page.ts', { types: [], module: 'nodenext' });
    compile('page.ts', { types: [], module: 'esnext', moduleResolution: 'bundler' });
  },
  'its types are sound in Node'() {
    const types = `@types/node@${manifest.devDependencies['@types/node']}`;
    run(consumer, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', '--save-dev', types);
    write('node.ts', typedNode());
    compile('node.ts', { types: ['node'], module: 'nodenext' });
  },
  'npx runs its command'() {
    assert.match(run(consumer, 'npx', manifest.name, 'list'), /\bhinge\b/);
    assert.equal(run(consumer, 'npx', manifest.name, '--version').trim(), manifest.version);
  },
};

let passed = 0;
let failed = 0;
try {
  for (const [name, test] of Object.entries(tests)) {
    try {
      test();
      passed++;
      process.stdout.write(`✓ ${name}\n`);
    } catch (error) {
      failed++;
      process.stdout.write(`✗ ${name}\n${error.message}\n`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);

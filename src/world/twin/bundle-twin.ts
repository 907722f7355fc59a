/** A script: `bundle-twin.ts FOLDER TOOL...` bundles the twin and these tools into the folder. */
import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

/** Node without a debugger that a signal opens, and the path of the bundle in containers. */
const NODE = '/opt/remedium/bin/node --disable-sigusr1'
const MOUNT_PATH = '/opt/remedium/twin'

const [folder = '', ...tools] = process.argv.slice(2)
const here = import.meta.dirname

/** CommonJS starts three times as fast as ES modules. Dynamic imports become chunks, loaded on demand. */
const bundle = await rolldown({
  input: {
    twin: join(here, 'program', 'main.ts'),
    ...Object.fromEntries(tools.map((name) => [name, join(here, 'tools', `${name}.ts`)])),
  },
  platform: 'node',
  // No module has side effects, so an entry contains only what it uses.
  treeshake: { moduleSideEffects: false },
  checks: { ineffectiveDynamicImport: false },
})
await bundle.write({
  dir: folder,
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: 'part-[name]-[hash].cjs',
  minify: true,
  // Error messages contain class names.
  keepNames: true,
  comments: false,
})
await bundle.close()

/** A tool can have a fast path in bash, which succeeds in simple cases and otherwise fails without output. */
const createFastPath = (name: string): string => {
  const source = join(here, 'tools', `${name}.sh`)
  if (!existsSync(source)) return ''
  copyFileSync(source, join(folder, `${name}.sh`))
  return `[ -x /bin/bash ] && /bin/bash ${MOUNT_PATH}/${name}.sh "$@" && exit 0\n`
}

mkdirSync(join(folder, 'bin'))
for (const name of tools) {
  const script = join(folder, 'bin', name)
  writeFileSync(script, `#!/bin/sh\n${createFastPath(name)}exec ${NODE} ${MOUNT_PATH}/${name}.cjs "$@"\n`)
  chmodSync(script, 0o755)
}
chmodSync(folder, 0o755)

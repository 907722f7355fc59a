/** Run by itself: `bundle-twin.ts FOLDER TOOL...` bundles the twin and these tools into the folder. */
import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

/** Where containers have Node and the folder. */
const NODE = '/opt/remedium/bin/node'
const MOUNTED = '/opt/remedium/twin'

const [folder = '', ...tools] = process.argv.slice(2)
const here = import.meta.dirname

/** CommonJS starts in a third of the time; what is imported lazily becomes a part that is read when needed. */
const bundle = await rolldown({
  input: {
    twin: join(here, 'program', 'main.ts'),
    ...Object.fromEntries(tools.map((name) => [name, join(here, 'tools', `${name}.ts`)])),
  },
  platform: 'node',
  // No module does anything when it is only loaded: what an entry does not use of a room stays out of it.
  treeshake: { moduleSideEffects: false },
  checks: { ineffectiveDynamicImport: false },
})
await bundle.write({
  dir: folder,
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: 'part-[name]-[hash].cjs',
  minify: true,
  // Names of classes are in messages.
  keepNames: true,
  comments: false,
})
await bundle.close()

/** A tool may have a short way, in bash, that succeeds where there is not much to do, and is silent otherwise. */
const shortWay = (name: string): string => {
  const source = join(here, 'tools', `${name}.sh`)
  if (!existsSync(source)) return ''
  copyFileSync(source, join(folder, `${name}.sh`))
  return `[ -x /bin/bash ] && /bin/bash ${MOUNTED}/${name}.sh "$@" && exit 0\n`
}

mkdirSync(join(folder, 'bin'))
for (const name of tools) {
  const script = join(folder, 'bin', name)
  writeFileSync(script, `#!/bin/sh\n${shortWay(name)}exec ${NODE} ${MOUNTED}/${name}.cjs "$@"\n`)
  chmodSync(script, 0o755)
}
chmodSync(folder, 0o755)

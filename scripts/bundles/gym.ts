/** Builds the gym as a single file that runs with a bare Node.js, for machines without a network. */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { constants, zstdCompress } from 'node:zlib'
import { rolldown } from 'rolldown'
import { readArguments } from '#bench'
import { type EmbeddedContent, embedFiles } from '../bundle/embed-files.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const MAX_BYTES = 40_000_000
/** The rest is for the compressed Node.js. */
const MAX_BUNDLE_BYTES = 5_000_000
/** The levels of zstd. The strongest one takes a minute; the weakest one compresses too little to check the sum. */
const [LEVEL, QUICK_LEVEL] = [19, 1]

const CONTENT: EmbeddedContent = {
  data: [
    'package.json',
    'suites/*.yaml',
    'src/platform/kube/schema/data/*.json',
    'src/world/systems/**/*.{yaml,py}',
  ],
  modules: [
    'src/exam/faults/*/fault.ts',
    'src/lab/cli/commands/gym/*.ts',
    'src/lab/cli/run-command-line.ts',
    'src/lab/gym/gym-worker.ts',
    'src/world/systems/*/system.ts',
  ],
  omitted: {
    '#lab/tools': ['ensureKubectl', 'ensureMachine'],
    '#machine/forks': ['compactMemory', 'connectToSupervisor', 'continueInForks', 'startForks'],
    '#machine/linux': ['raiseThreadPriority'],
    '#machine/sandbox': ['createSandbox', 'sweepSandboxes'],
    '#platform/engines/local': ['createLocalEngine'],
    '#platform/engines/local/machine': ['pruneClusters'],
    '@ai-sdk/anthropic': [],
    '@ai-sdk/google': [],
    '@ai-sdk/openai': [],
    '@ai-sdk/openai-compatible': [],
    ai: [],
    koffi: [],
  },
  omittedReason: 'The single-file build of the gym plays only on simulated clusters: use --engine sim.',
}

const { values, isQuick } = readArguments({
  command: 'npm run bundle gym',
  about:
    'Builds remedium-gym.mjs, which contains the gym with all of its data and packages, and the Node.js that runs it, compressed as node.zst.\n' +
    'Both files together have at most 40 MB. --quick compresses less, and checks only the first file.',
  options: {
    out: { about: 'the folder for the two files', value: 'DIR', text: join(ROOT, '.remedium', 'bundle') },
  },
})

const build = async (file: string): Promise<void> => {
  const bundle = await rolldown({
    input: join(ROOT, 'scripts', 'bundle', 'gym-program.ts'),
    platform: 'node',
    // No module has side effects, so the bundle contains only what it uses.
    treeshake: { moduleSideEffects: false },
    checks: { ineffectiveDynamicImport: false },
    plugins: [embedFiles(CONTENT)],
  })
  const { output } = await bundle.generate({
    ...{ format: 'esm', codeSplitting: false, minify: true, comments: false },
    // Error messages contain class names.
    keepNames: true,
  })
  await bundle.close()
  // Rolldown also returns chunks of modules of which nothing is used; they are imported nowhere.
  const [entry, ...others] = output.filter((part) => part.type === 'chunk')
  const isUsed = ({ fileName }: { readonly fileName: string }): boolean =>
    [...entry!.imports, ...entry!.dynamicImports].includes(fileName)
  if (others.some(isUsed)) throw new Error('The bundle has more than one file.')
  writeFileSync(file, entry!.code)
}

const compressNode = async (file: string): Promise<void> => {
  const params = {
    [constants.ZSTD_c_compressionLevel]: isQuick ? QUICK_LEVEL : LEVEL,
    // The largest window that zstd decompresses without an option.
    [constants.ZSTD_c_windowLog]: 27,
  }
  writeFileSync(file, await promisify(zstdCompress)(readFileSync(process.execPath), { params }))
}

const folder = values.out
const bundle = join(folder, 'remedium-gym.mjs')
const node = join(folder, 'node.zst')
mkdirSync(folder, { recursive: true })
for (const file of [bundle, node]) rmSync(file, { force: true })
await Promise.all([build(bundle), compressNode(node)])
const [bundleBytes, nodeBytes] = [statSync(bundle).size, statSync(node).size]
const inMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
console.log(`${bundle}: ${inMegabytes(bundleBytes)} of at most ${inMegabytes(MAX_BUNDLE_BYTES)}`)
console.log(`${node}: ${inMegabytes(nodeBytes)}, Node.js ${process.versions.node}`)
console.log(`together: ${inMegabytes(bundleBytes + nodeBytes)} of at most ${inMegabytes(MAX_BYTES)}`)
const isTooLarge = bundleBytes > MAX_BUNDLE_BYTES || (!isQuick && bundleBytes + nodeBytes > MAX_BYTES)
process.exitCode = isTooLarge ? 1 : 0

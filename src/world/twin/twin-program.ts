/** Bundles the twin, and bundles it again only if its sources have changed. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { REPOSITORY } from '#kit'
import { RemediumError } from '#spec'

export interface TwinProgram {
  /** Mounted as `/opt/remedium/twin`: `twin.cjs`, and `NAME.cjs` for each tool. */
  readonly folder: string
  /** The paths of the scripts that run the tools, by tool. */
  readonly tools: Readonly<Record<string, string>>
}

const CACHE = join(REPOSITORY, 'node_modules', '.cache', 'remedium')
/** A build takes one or two seconds on an idle machine, and longer on a busy one. */
const BUILD_TIMEOUT_MS = 120_000
const SOURCES = [
  'src/world/twin/**/*.ts',
  'src/world/twin/tools/*.sh',
  'src/world/expressions/**/*.ts',
  'src/spec/**/*.ts',
]
const BUNDLER = 'node_modules/rolldown/package.json'

const listSourceFiles = (): string[] =>
  SOURCES.flatMap((pattern) => globSync(pattern, { cwd: REPOSITORY }))
    .filter((file) => !file.endsWith('.test.ts') && !file.includes('/testing/'))
    .sort()

const hashSources = (): string => {
  const hash = createHash('sha256')
  for (const file of [...listSourceFiles(), BUNDLER])
    hash.update(`${file}\n`).update(readFileSync(join(REPOSITORY, file)))
  return hash.digest('hex').slice(0, 16)
}

const listToolNames = (): string[] =>
  globSync('src/world/twin/tools/*.ts', { cwd: REPOSITORY })
    .filter((file) => !file.endsWith('.test.ts') && basename(file) !== 'index.ts')
    .map((file) => basename(file, '.ts'))
    .sort()

/** Safe for concurrent processes: each builds in a temporary folder, and the first one to rename it wins. */
const build = (folder: string): void => {
  mkdirSync(CACHE, { recursive: true })
  const temporaryFolder = mkdtempSync(`${folder}-`)
  try {
    const bundler = join(import.meta.dirname, 'bundle-twin.ts')
    const { status, stderr, error } = spawnSync(
      process.execPath,
      [bundler, temporaryFolder, ...listToolNames()],
      {
        encoding: 'utf8',
        timeout: BUILD_TIMEOUT_MS,
        // The bundler must not inherit options of the parent, such as those of a debugger.
        env: { ...process.env, NODE_OPTIONS: '' },
      },
    )
    if (status !== 0)
      throw new RemediumError('defect', `The twin cannot be bundled: ${error?.message ?? stderr.trim()}`)
    renameSync(temporaryFolder, folder)
  } catch (error) {
    if (!existsSync(join(folder, 'twin.cjs'))) throw error
  } finally {
    rmSync(temporaryFolder, { recursive: true, force: true })
  }
}

let cached: TwinProgram | undefined

export const twinProgram = (): TwinProgram => {
  if (cached !== undefined) return cached
  const folder = join(CACHE, `twin-${hashSources()}`)
  if (!existsSync(join(folder, 'twin.cjs'))) build(folder)
  cached = {
    folder,
    tools: Object.fromEntries(listToolNames().map((name) => [name, join(folder, 'bin', name)])),
  }
  return cached
}

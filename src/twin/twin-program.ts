/** Builds the twin once for each state of its sources, and says where it lies. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { RemediumError } from '../spec/index.ts'

export interface TwinProgram {
  /** What containers see as `/opt/remedium/twin`: `twin.cjs`, and `NAME.cjs` for each tool. */
  readonly folder: string
  /** Scripts that run the tools, by the name of the tool. */
  readonly tools: Readonly<Record<string, string>>
}

const ROOT = join(import.meta.dirname, '..', '..')
const CACHE = join(ROOT, 'node_modules', '.cache', 'remedium')
/** It takes a second or two; a busy machine may need many. */
const LONGEST_BUILD_MS = 120_000
const SOURCES = ['src/twin/**/*.ts', 'src/twin/tools/*.sh', 'src/expressions/**/*.ts', 'src/spec/**/*.ts']
const BUNDLER = 'node_modules/rolldown/package.json'

const sourceFiles = (): string[] =>
  SOURCES.flatMap((pattern) => globSync(pattern, { cwd: ROOT }))
    .filter((file) => !file.endsWith('.test.ts') && !file.includes('/testing/'))
    .sort()

const hashOfSources = (): string => {
  const hash = createHash('sha256')
  for (const file of [...sourceFiles(), BUNDLER])
    hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)))
  return hash.digest('hex').slice(0, 16)
}

const toolNames = (): string[] =>
  globSync('src/twin/tools/*.ts', { cwd: ROOT })
    .filter((file) => !file.endsWith('.test.ts') && basename(file) !== 'index.ts')
    .map((file) => basename(file, '.ts'))
    .sort()

/** Several processes may do it at once: each builds aside, and the first one's folder is taken. */
const build = (folder: string): void => {
  mkdirSync(CACHE, { recursive: true })
  const aside = mkdtempSync(`${folder}-`)
  try {
    const bundler = join(import.meta.dirname, 'bundle-twin.ts')
    const { status, stderr, error } = spawnSync(process.execPath, [bundler, aside, ...toolNames()], {
      encoding: 'utf8',
      timeout: LONGEST_BUILD_MS,
      // Options of the process that asks, of a debugger for one, are not meant for this one.
      env: { ...process.env, NODE_OPTIONS: '' },
    })
    if (status !== 0)
      throw new RemediumError('defect', `the twin cannot be built: ${error?.message ?? stderr.trim()}`)
    renameSync(aside, folder)
  } catch (error) {
    if (!existsSync(join(folder, 'twin.cjs'))) throw error
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}

let built: TwinProgram | undefined

export const twinProgram = (): TwinProgram => {
  if (built !== undefined) return built
  const folder = join(CACHE, `twin-${hashOfSources()}`)
  if (!existsSync(join(folder, 'twin.cjs'))) build(folder)
  built = {
    folder,
    tools: Object.fromEntries(toolNames().map((name) => [name, join(folder, 'bin', name)])),
  }
  return built
}

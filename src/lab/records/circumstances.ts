/** The circumstances of a measurement: date, commit, machine. */
import { spawnSync } from 'node:child_process'
import { availableParallelism, totalmem } from 'node:os'
import { createRealClock } from '#kit'

export interface Circumstances {
  /** `2026-11-15` */
  readonly date: string
  /** The commit of the sources, with a note if they have uncommitted changes; `unknown` outside a repository. */
  readonly commit: string
  readonly machine: string
}

const git = (root: string, ...args: string[]): string =>
  spawnSync('git', ['-C', root, ...args], { encoding: 'utf8' }).stdout?.trim() ?? ''

const commitOf = (root: string): string => {
  const commit = git(root, 'rev-parse', '--short=12', 'HEAD')
  if (commit === '') return 'unknown'
  const changed = git(root, 'status', '--porcelain', '--untracked-files=no', '--', 'src', 'suites')
  return changed === '' ? commit : `${commit} with changes`
}

const today = (): string => new Date(createRealClock().now()).toISOString().slice(0, 10)

const machineText = (): string =>
  `${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB of memory, Linux ${process.arch}`

export const circumstancesOf = (root: string): Circumstances => ({
  date: today(),
  commit: commitOf(root),
  machine: machineText(),
})

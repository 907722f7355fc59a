/** Under which circumstances something was measured: the date, the commit, the machine. */
import { spawnSync } from 'node:child_process'
import { availableParallelism, totalmem } from 'node:os'
import { createRealClock } from '../../kit/index.ts'
import type { Circumstances } from '../../runs/index.ts'

const git = (root: string, ...args: string[]): string =>
  spawnSync('git', ['-C', root, ...args], { encoding: 'utf8' }).stdout?.trim() ?? ''

/** Of the sources that run; `unknown` where there is no repository. What is not committed is told. */
const commitOf = (root: string): string => {
  const commit = git(root, 'rev-parse', '--short=12', 'HEAD')
  if (commit === '') return 'unknown'
  const changed = git(root, 'status', '--porcelain', '--untracked-files=no', '--', 'src', 'suites')
  return changed === '' ? commit : `${commit} with changes`
}

/** `2026-11-15` */
const today = (): string => new Date(createRealClock().now()).toISOString().slice(0, 10)

const machineText = (): string =>
  `${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB of memory, Linux ${process.arch}`

export const circumstancesOf = (root: string): Pick<Circumstances, 'date' | 'commit' | 'machine'> => ({
  date: today(),
  commit: commitOf(root),
  machine: machineText(),
})

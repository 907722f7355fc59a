/** Reads and writes the results of benchmarks in bench/results/, which the README shows. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defined } from '#kit'
import type { Goal } from './print-goals.ts'

export interface ResultRow {
  readonly what: string
  readonly measured: number
  readonly unit: string
  /** Such as `at most 150`. */
  readonly goal?: string
  readonly subject?: string
  readonly column?: string
}

export interface BenchResult {
  readonly commit: string
  /** Such as `2026-11-17`. */
  readonly date: string
  readonly cores: number
  /** How it was measured, if the name of the benchmark does not imply it. */
  readonly conditions?: string
  readonly rows: readonly ResultRow[]
}

const ROOT = join(import.meta.dirname, '..', '..')
const pathOf = (name: string): string => join(ROOT, 'bench', 'results', `${name}.json`)

const git = (...args: string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()

/** Whether tracked files differ from the commit; results of earlier benchmarks do not count. */
export const isTreeChanged = (): boolean =>
  git('status', '--porcelain', '-uno', '--', '.', ':!bench/results', ':!README.md') !== ''

const toRow = ({ what, measured, unit, atMost, atLeast, cell }: Goal): ResultRow => {
  const goal =
    atMost !== undefined ? `at most ${atMost}` : atLeast !== undefined ? `at least ${atLeast}` : undefined
  return {
    what,
    measured: Number(measured.toPrecision(4)),
    unit,
    ...defined({ goal, subject: cell?.subject, column: cell?.column }),
  }
}

export const readResult = (name: string): BenchResult => JSON.parse(readFileSync(pathOf(name), 'utf8'))

export const writeResult = (name: string, goals: readonly Goal[], conditions: string | undefined): void => {
  const result: BenchResult = {
    commit: git('rev-parse', '--short', 'HEAD'),
    date: new Date().toISOString().slice(0, 10),
    cores: availableParallelism(),
    ...defined({ conditions }),
    rows: goals.map(toRow),
  }
  writeFileSync(pathOf(name), `${JSON.stringify(result, undefined, 2)}\n`)
}

/** The first and the last of what is told of tasks: whoever tells too much, or forges it, does not hide how the playbook ended. */
import type { TaskResult } from './task-reporter.ts'

const MOST_FIRST = 900
const MOST_LAST = 100

export interface TaskResults {
  add(result: TaskResult | undefined): void
  /** All that are kept; those that had to wait are told now. */
  end(): readonly TaskResult[]
}

export const createTaskResults = (onTask?: (result: TaskResult) => void): TaskResults => {
  const kept: TaskResult[] = []
  const last: TaskResult[] = []
  const keep = (result: TaskResult): void => {
    kept.push(result)
    onTask?.(result)
  }
  return {
    add(result) {
      if (result === undefined) return
      if (kept.length < MOST_FIRST) return keep(result)
      last.push(result)
      if (last.length > MOST_LAST) last.shift()
    },
    end() {
      for (const result of last.splice(0)) keep(result)
      return kept
    },
  }
}

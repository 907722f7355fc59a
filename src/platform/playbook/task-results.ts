/** Keeps the first and the last task results, so that a flood of results does not hide how the playbook ended. */
import type { TaskResult } from './task-reporter.ts'

const MAX_FIRST = 900
const MAX_LAST = 100

export interface TaskResults {
  add(result: TaskResult | undefined): void
  /** Reports the last results, and returns all results that were kept. */
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
      if (kept.length < MAX_FIRST) return keep(result)
      last.push(result)
      if (last.length > MAX_LAST) last.shift()
    },
    end() {
      for (const result of last.splice(0)) keep(result)
      return kept
    },
  }
}

/** Shows the progress of a validation: a line for each finished attempt, and on a terminal the current stage. */
import { attemptMark, type Progress } from '#lab/validation'
import type { Failure } from '#lab/workers'
import type { Problem } from '#spec'

export interface ProgressView {
  onProgress(progress: Progress): void
  onStage(problem: Problem, text: string): void
  onFailure(problem: Problem, failure: Failure): void
  end(): void
}

const CLEAR = '\r\x1b[K'

export const showProgress = (progress: (line: string) => void): ProgressView => {
  const isLive = process.stderr.isTTY
  const print = (line: string): void => {
    if (isLive) process.stderr.write(CLEAR)
    progress(line)
  }
  return {
    onProgress({ finished, planned, result }) {
      const { problem, attempt, stages, reason, tries } = result
      const mark = attemptMark(result)
      const time = stages.total === undefined ? '' : `  ${(stages.total / 1000).toFixed(1)} s`
      const retried = tries > 1 ? `  (try ${tries})` : ''
      const reasonText = mark === mark.toUpperCase() ? `  ${reason}` : ''
      print(`${finished}/${planned}  ${mark}  ${problem}  ${attempt}${time}${retried}${reasonText}`)
    },
    onStage(_, text) {
      if (isLive) process.stderr.write(`${CLEAR}${text.slice(0, (process.stderr.columns ?? 80) - 1)}`)
    },
    onFailure({ id }, { message, blame }) {
      print(`retrying ${id}: the ${blame} failed: ${message}`)
    },
    end() {
      if (isLive) process.stderr.write(CLEAR)
    },
  }
}

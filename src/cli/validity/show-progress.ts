/** The progress of a validation: a line for each attempt that has ended; on a terminal also what is done just now. */
import { attemptMark, type Failure, type Progress } from '../../runs/index.ts'
import type { Problem } from '../../spec/index.ts'

export interface ProgressView {
  onProgress(progress: Progress): void
  onStage(problem: Problem, text: string): void
  onFailure(problem: Problem, failure: Failure): void
  end(): void
}

const CLEAR = '\r\x1b[K'

export const showProgress = (progress: (line: string) => void): ProgressView => {
  const live = process.stderr.isTTY
  const say = (line: string): void => {
    if (live) process.stderr.write(CLEAR)
    progress(line)
  }
  return {
    onProgress({ finished, planned, result }) {
      const { problem, attempt, stages, reason, tries } = result
      const mark = attemptMark(result)
      const time = stages.total === undefined ? '' : `  ${(stages.total / 1000).toFixed(1)} s`
      const again = tries > 1 ? `  (try ${tries})` : ''
      const why = mark === mark.toUpperCase() ? `  ${reason}` : ''
      say(`${finished}/${planned}  ${mark}  ${problem}  ${attempt}${time}${again}${why}`)
    },
    onStage(_, text) {
      if (live) process.stderr.write(`${CLEAR}${text.slice(0, (process.stderr.columns ?? 80) - 1)}`)
    },
    onFailure({ id }, { message, blame }) {
      say(`the ${blame} failed at ${id}: ${message}`)
    },
    end() {
      if (live) process.stderr.write(CLEAR)
    },
  }
}

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

/** Reasons can contain the output of programs. */
const MAX_REASON_LENGTH = 300

const toOneLine = (reason: string): string => {
  const line = reason.trim().replace(/\s+/g, ' ')
  return line.length <= MAX_REASON_LENGTH ? line : `${line.slice(0, MAX_REASON_LENGTH - 3)}...`
}

const CLEAR = '\r\x1b[K'

export const showProgress = (progress: (line: string) => void): ProgressView => {
  const isLive = process.stderr.isTTY
  const print = (line: string): void => {
    if (isLive) process.stderr.write(CLEAR)
    progress(line)
  }
  let position = ''
  let unexpected = 0
  return {
    onProgress({ finished, planned, result }) {
      const { problem, attempt, stages, reason, tries } = result
      const mark = attemptMark(result)
      const time = stages.total === undefined ? '' : `  ${(stages.total / 1000).toFixed(1)} s`
      const retried = tries > 1 ? `  (try ${tries})` : ''
      const isUnexpected = mark === mark.toUpperCase() || mark === 'unsupported'
      const reasonText = isUnexpected ? `  ${toOneLine(reason)}` : ''
      if (isUnexpected) unexpected += 1
      position = `${finished}/${planned}${unexpected === 0 ? '' : `, ${unexpected} unexpected`}  `
      print(`${finished}/${planned}  ${mark}  ${problem}  ${attempt}${time}${retried}${reasonText}`)
    },
    onStage(_, text) {
      const line = `${position}${text}`.slice(0, (process.stderr.columns ?? 80) - 1)
      if (isLive) process.stderr.write(`${CLEAR}${line}`)
    },
    onFailure({ id }, { message, blame }) {
      print(`a try of ${id} proves nothing: the ${blame} failed: ${toOneLine(message)}`)
    },
    end() {
      if (isLive) process.stderr.write(CLEAR)
    },
  }
}

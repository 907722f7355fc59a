/** Refers to the record that is being written, so that users and object watches do not depend on episodes. */
import type { EventLog } from '../record/event-log.ts'
import type { FailureLatch } from './failure-latch.ts'

export interface Recorder {
  /** The record being written; undefined between episodes. */
  readonly log: EventLog | undefined
  start(log: EventLog): void
  stop(): void
  /** Writes to the current record, if there is one. If an event cannot be kept, the laboratory fails. */
  write(task: (log: EventLog) => void): void
}

export const createRecorder = (failure: FailureLatch): Recorder => {
  let current: EventLog | undefined
  return {
    get log() {
      return current
    },
    start(log) {
      current = log
    },
    stop() {
      current = undefined
    },
    write(task) {
      if (current === undefined) return
      try {
        task(current)
      } catch (error) {
        failure.set(error)
      }
    },
  }
}

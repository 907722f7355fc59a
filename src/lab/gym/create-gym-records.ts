/** Keeps the records of episodes whose process is lost. A process that lives keeps its own records. */
import { drawSecret, lazily } from '#kit'
import { keepVoidRecord, recordPathOf, type VoidTry } from '#lab/records'
import type { Problem, RemediumError, Verdict } from '#spec'
import type { SessionPlayer } from './pool/start-gym-worker.ts'
import { GYM_SOLVER, type RecordedStart, type Start, secretOf } from './worker/gym-job.ts'

export interface GymRecords {
  /** Adds the path of a new record, if records are kept. */
  withRecord<S extends Start>(start: S): S & RecordedStart
  /** Ends the process that played the episode, keeps what it has recorded, and returns the void verdict. */
  keepLost(start: RecordedStart, player: SessionPlayer, error: RemediumError): Promise<Verdict>
}

export interface GymRecordsOptions {
  readonly engine: string
  /** The folder for records; none are kept by default. */
  readonly records?: string | undefined
  readonly loadSystem?: VoidTry['loadSystem']
}

export const createGymRecords = ({ engine, records, loadSystem }: GymRecordsOptions): GymRecords => {
  const faults = lazily(async () => (await import('#exam/faults')).loadFaults())
  const pathOf = (folder: string, { id }: Problem): string =>
    recordPathOf(folder, id, drawSecret().slice(0, 12))
  return {
    withRecord: (start) =>
      records === undefined ? start : { ...start, record: pathOf(records, start.problem) },
    async keepLost(start, player, failure) {
      // A process that did not reply in time may still write.
      await player.end().catch(() => {})
      const { problem, record: path } = start
      const { verdict } = await keepVoidRecord({
        ...{ path, pid: player.pid, failure, faults: await faults(), loadSystem },
        start: { problem, solver: GYM_SOLVER, engine, secret: secretOf(start) },
      })
      return verdict
    },
  }
}

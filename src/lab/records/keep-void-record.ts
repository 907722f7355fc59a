/** Keeps the record of a void try, with the draft that the worker left, or else with the start and the failure alone. */
import { existsSync, rmSync } from 'node:fs'
import {
  type FailedRecord,
  failRecord,
  type RecordStart,
  readRecord,
  startEventOf,
  type TryFailure,
} from '#exam/episode'
import { createRealClock } from '#kit'
import type { EpisodeEvent, Fault, System } from '#spec'
import { draftPathOf, type KeptRecord, keepRecord } from './keep-record.ts'

export interface VoidTry {
  /** The path of the record of a successful try; the record is kept beside it. Without a path, no file is written. */
  readonly path: string | undefined
  /** The process that may have left a draft; undefined if none was started. */
  readonly pid: number | undefined
  readonly start: Omit<RecordStart, 'time'>
  readonly failure: TryFailure
  readonly faults: ReadonlyMap<string, Fault>
  /** Loads the system of the problem; by default from the systems of this version. */
  loadSystem?: ((name: string) => Promise<System>) | undefined
}

/** Returns undefined if there is no draft, or if the worker was lost before its first event. */
const readDraft = (draft: string): EpisodeEvent[] | undefined => {
  if (!existsSync(draft)) return undefined
  try {
    // A killed worker may have left an incomplete last line.
    return readRecord(draft, { isGrowing: true })
  } catch {
    return undefined
  }
}

const write = (path: string, events: readonly EpisodeEvent[]): void => {
  let record: KeptRecord | undefined
  try {
    record = keepRecord(path)
    for (const event of events) record.sink(event)
    record.finishVoid()
  } catch {
    // The disk may be full. The try is void anyway, and its events are in memory.
    record?.discard()
  }
}

const loadFromWorld = async (name: string): Promise<System> =>
  (await import('#world/systems')).loadSystem(name)

/** The record of each try has a separate name, `NAME.void-N.jsonl`. */
export const keepVoidRecord = async (attempt: VoidTry): Promise<FailedRecord> => {
  const { path, pid, start, failure, faults, loadSystem = loadFromWorld } = attempt
  const system = await loadSystem(start.problem.system)
  const draft = path === undefined || pid === undefined ? undefined : draftPathOf(path, pid)
  const time = createRealClock().now()
  const left = draft === undefined ? undefined : readDraft(draft)
  const events = left ?? [startEventOf({ ...start, time }, system)]
  const failed = failRecord(events, failure, system, faults)
  // Removed first: on a full disk, the record needs its space.
  if (draft !== undefined) rmSync(draft, { force: true })
  if (path !== undefined) write(path, failed.events)
  return failed
}

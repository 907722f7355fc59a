/** Finds files in containers that were overwritten, or whose permissions were changed, since the start of the solver. */
import type { ContainerInspection, FileState } from '#spec'
import type { EventLog } from '../record/event-log.ts'

/** Smaller files may be rewritten by the programs themselves, such as one with the id of a process. */
const MIN_BYTES = 64
/** A program that empties its log adds whole lines to it. */
const MAX_NOTHING_BYTES = 15
/** A file that its program extends after another one has cleared it has a larger hole. */
const MIN_HOLE_BYTES = 8192

interface KnownFile extends FileState {
  /** The number of inspections that found the file. */
  readonly inspections: number
  readonly hasChanged: boolean
}

type KnownFiles = ReadonlyMap<string, KnownFile>

/** By record and container: the files at the last inspection before the solver. Records contain only the overwritten ones. */
const knownByLog = new WeakMap<EventLog, Map<string, KnownFiles>>()

const statesOf = ({ files = [], fileStates = [] }: ContainerInspection): [string, FileState][] =>
  files.flatMap((file, index) => (fileStates[index] === undefined ? [] : [[file, fileStates[index]]]))

const isSame = (one: FileState, other: FileState): boolean =>
  one.inode === other.inode && one.size === other.size && one.modifiedAt === other.modifiedAt

/** `former`: the files at the previous inspection. */
const toKnown = (inspected: ContainerInspection, former: KnownFiles | undefined): KnownFiles =>
  new Map(
    statesOf(inspected).map(([file, state]) => {
      const known = former?.get(file)
      const inspections = (known?.inspections ?? 0) + 1
      const hasChanged = known !== undefined && (known.hasChanged || !isSame(known, state))
      return [file, { ...state, inspections, hasChanged }]
    }),
  )

const hasHole = ({ size, allocatedBytes }: FileState): boolean => size - allocatedBytes > MIN_HOLE_BYTES

/**
 * Programs append to their files, empty their logs, or replace a file with a new one that they keep open. A file that did not change
 * before the solver keeps at least half of its content.
 */
const isOverwritten = (now: FileState, before: KnownFile): boolean => {
  const isReplacedByOwner = now.inode !== before.inode && now.isOpen
  if (isReplacedByOwner || before.size < MIN_BYTES) return false
  const isIdle = before.inspections > 1 && !before.hasChanged
  const hasShrunk = isIdle ? now.size < before.size / 2 : now.size <= MAX_NOTHING_BYTES
  const hasOtherAccess = now.mode !== before.mode || now.owner !== before.owner
  return hasOtherAccess || hasShrunk || (hasHole(now) && !hasHole(before))
}

/** The files that were overwritten since the start of the solver. Until then, remembers the files. */
export const findOverwritten = (log: EventLog, inspected: ContainerInspection): string[] => {
  const known = knownByLog.get(log) ?? new Map<string, KnownFiles>()
  knownByLog.set(log, known)
  if (log.view.solverStartedAt === undefined)
    known.set(inspected.id, toKnown(inspected, known.get(inspected.id)))
  const before = known.get(inspected.id)
  return statesOf(inspected).flatMap(([file, state]) => {
    const former = before?.get(file)
    return former !== undefined && isOverwritten(state, former) ? [file] : []
  })
}

/** Finds folders in containers whose mode or owner has changed since the start of the solver. */
import type { ContainerInspection } from '#spec'
import type { EventLog } from '../record/event-log.ts'

type Folders = Readonly<Record<string, string>>

/** By record and container: the folders that were equal at all inspections before the solver. Records contain only the changed ones. */
const knownByLog = new WeakMap<EventLog, Map<string, Folders>>()

const keepEqual = (former: Folders | undefined, now: Folders): Folders =>
  former === undefined
    ? now
    : Object.fromEntries(Object.entries(former).filter(([path, state]) => now[path] === state))

/** Until the start of the solver, remembers the folders. A folder that is gone shows in its files. */
export const findChangedFolders = (log: EventLog, { id, folders }: ContainerInspection): string[] => {
  if (folders === undefined) return []
  const known = knownByLog.get(log) ?? new Map<string, Folders>()
  knownByLog.set(log, known)
  if (log.view.solverStartedAt === undefined) known.set(id, keepEqual(known.get(id), folders))
  return Object.entries(known.get(id) ?? {})
    .filter(([path, state]) => folders[path] !== undefined && folders[path] !== state)
    .map(([path]) => path)
}

/** Records the processes in the pods of the system, as the host sees them. */
import { isDeepStrictEqual } from 'node:util'
import { defined } from '#kit'
import type { ContainerProcesses, PodProcess } from '#spec'
import type { EventLog } from '../record/event-log.ts'
import type { Equipment } from './equipment.ts'

/** The time of the record and the ages of processes are read at slightly different moments. */
const CLOCK_TOLERANCE_MS = 100

/** Exec processes are recorded only after the solver ended; those that started after its end are probes. */
const isRecorded = ({ view }: EventLog, { isFromExec }: PodProcess, startedAt: number): boolean =>
  !isFromExec || (view.solverEnded !== undefined && startedAt <= view.solverEnded.at + CLOCK_TOLERANCE_MS)

const listContainers = ({ cluster, objects, view }: Equipment, log: EventLog): ContainerProcesses[] => {
  const pods = objects
    .list()
    .filter(({ kind, metadata }) => kind === 'Pod' && metadata.namespace === view.namespace)
  return pods.flatMap(({ metadata }) => {
    const at = log.at()
    const all = cluster.processesIn?.(String(metadata.uid)) ?? []
    const ids = [...new Set(all.map(({ container }) => container))]
    return ids.map((id) => ({
      id,
      pod: metadata.name,
      name: all.find(({ container }) => container === id)!.containerName,
      processes: all
        .filter(({ container }) => container === id)
        .map((process) => ({ process, startedAt: Math.round(at - process.ageMs) }))
        .filter(({ process, startedAt }) => isRecorded(log, process, startedAt))
        .map(({ process, startedAt }) => [process.name, startedAt] as const),
    }))
  })
}

/** Compares only names, because start times vary by rounding. */
const toNames = ({ processes }: ContainerProcesses): readonly string[] =>
  processes.map(([name]) => name).toSorted()

const toContainer = ({ id, pod, name }: ContainerProcesses) => ({ id, pod, ...defined({ name }) })

/** Adds an event if the processes have changed since the last one. */
export const observeProcesses = (equipment: Equipment, log: EventLog): void => {
  if (equipment.cluster.processesIn === undefined) return
  const present = listContainers(equipment, log)
  const isPresent = new Set(present.map(({ id }) => id))
  const changed = present.filter((container) => {
    const last = log.view.processes.get(container.id)?.at(-1)
    return last === undefined || !isDeepStrictEqual(toNames(last), toNames(container))
  })
  const gone = [...log.view.processes.values()]
    .map((observations) => observations.at(-1)!)
    .filter(({ id, processes }) => processes.length > 0 && !isPresent.has(id))
    .map((container) => ({ ...toContainer(container), processes: [] }))
  if (changed.length + gone.length > 0)
    log.add({ type: 'processes-observed', containers: [...changed, ...gone] })
}

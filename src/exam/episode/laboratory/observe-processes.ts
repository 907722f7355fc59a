/** Records the processes in the pods of the system, as the host sees them. */
import { isDeepStrictEqual } from 'node:util'
import { defined } from '#kit'
import type { ContainerProcesses, PodProcess } from '#spec'
import type { EventLog } from '../record/event-log.ts'
import type { Equipment } from './equipment.ts'

/** The time of the record and the ages of processes are read at slightly different moments. */
const CLOCK_TOLERANCE_MS = 100

/** Exec processes that started after the end of the solver are probes. */
const isProbe = ({ view }: EventLog, { isFromExec }: PodProcess, startedAt: number): boolean =>
  isFromExec && view.solverEnded !== undefined && startedAt > view.solverEnded.at + CLOCK_TOLERANCE_MS

/** Exec processes are recorded only after the solver ended. */
const isRecorded = (log: EventLog, process: PodProcess, startedAt: number): boolean =>
  !process.isFromExec || (log.view.solverEnded !== undefined && !isProbe(log, process, startedAt))

const toContainerProcesses = (
  log: EventLog,
  { pod, at }: { readonly pod: string; readonly at: number },
  processes: readonly [PodProcess, ...PodProcess[]],
): ContainerProcesses => {
  const { container: id, containerName: name } = processes[0]
  const started = processes
    // Those that the engine starts for a fault are no work of the solver.
    .filter(({ isFromEngine }) => !isFromEngine)
    .map((process) => ({ process, startedAt: Math.round(at - process.ageMs) }))
  // Before the solver, those of probes are recorded as well: they are known from then on.
  const strays = started
    .filter(({ process, startedAt }) => process.isStray && !isProbe(log, process, startedAt))
    .map(({ process, startedAt }) => [process.name, startedAt, process.id] as const)
  return {
    id,
    pod,
    name,
    processes: started
      .filter(({ process, startedAt }) => isRecorded(log, process, startedAt))
      .map(({ process, startedAt }) => [process.name, startedAt] as const),
    ...defined({ strays: strays.length === 0 ? undefined : strays }),
  }
}

const listContainers = ({ cluster, objects, view }: Equipment, log: EventLog): ContainerProcesses[] => {
  const pods = objects
    .list()
    .filter(({ kind, metadata }) => kind === 'Pod' && metadata.namespace === view.namespace)
  return pods.flatMap(({ metadata }) => {
    const observed = { pod: metadata.name, at: log.at() }
    const all = cluster.processesIn?.(String(metadata.uid)) ?? []
    const byContainer = Map.groupBy(all, ({ container }) => container)
    return [...byContainer.values()].map((processes) =>
      toContainerProcesses(log, observed, processes as [PodProcess, ...PodProcess[]]),
    )
  })
}

/** Compares names and ids, because start times vary by rounding. */
const toIdentities = ({ processes, strays = [] }: ContainerProcesses): readonly string[] =>
  [...processes.map(([name]) => name), ...strays.map(([name, , id]) => `${name} ${id}`)].toSorted()

const toContainer = ({ id, pod, name }: ContainerProcesses) => ({ id, pod, ...defined({ name }) })

/** Adds an event if the processes have changed since the last one. */
export const observeProcesses = (equipment: Equipment, log: EventLog): void => {
  if (equipment.cluster.processesIn === undefined) return
  const present = listContainers(equipment, log)
  const isPresent = new Set(present.map(({ id }) => id))
  const changed = present.filter((container) => {
    const last = log.view.processes.get(container.id)?.at(-1)
    return last === undefined || !isDeepStrictEqual(toIdentities(last), toIdentities(container))
  })
  const gone = [...log.view.processes.values()]
    .map((observations) => observations.at(-1)!)
    .filter(({ id, processes }) => processes.length > 0 && !isPresent.has(id))
    .map((container) => ({ ...toContainer(container), processes: [] }))
  if (changed.length + gone.length > 0)
    log.add({ type: 'processes-observed', containers: [...changed, ...gone] })
}

/** Opens the equipment of a laboratory on a cluster: starts its users and the watch on its objects. */
import { type EngineCluster, type Fault, RemediumError, type System, type Workload } from '#spec'
import { createSystemView } from '#world/system-view'
import type { RecordBatch } from '#world/workload'
import { createEpisodeTime } from './episode-time.ts'
import type { Equipment } from './equipment.ts'
import { createFailureLatch } from './failure-latch.ts'
import { createJourneyTracker } from './journey-tracker.ts'
import { createLabUsers, type LabUsers } from './lab-users.ts'
import { createLaboratoryNamespace, LABORATORY } from './laboratory-namespace.ts'
import { loadOf } from './load-of.ts'
import { createRecorder } from './recorder.ts'
import { createSystemReset } from './system-reset.ts'
import { watchObjects } from './watch-objects.ts'

export interface LaboratoryOptions {
  readonly cluster: EngineCluster
  readonly system: System
  readonly faults: ReadonlyMap<string, Fault>
  readonly seed: string
  /** The name of the cluster's engine; `local` by default. */
  readonly engine?: string
  onProgress?(line: string): void
}

/** `next` returns a promise that resolves at the next call of `announce`. */
const createSignal = () => {
  let { promise, resolve } = Promise.withResolvers<void>()
  return {
    next: () => promise,
    announce() {
      resolve()
      ;({ promise, resolve } = Promise.withResolvers<void>())
    },
  }
}

const workloadOf = ({ system }: LaboratoryOptions): Workload => {
  if (system.workload === undefined)
    throw new RemediumError(
      'bad-argument',
      `The system ${system.name} declares no workload; an episode needs users.`,
    )
  return system.workload
}

const toClusterLost = (cause: Error): RemediumError =>
  new RemediumError('cluster-lost', `The cluster is lost: ${cause.message}.`, { blame: 'harness', cause })

/** The parts that need neither users nor watches. */
const createParts = (options: LaboratoryOptions, users: () => LabUsers) => {
  const { cluster, system, faults, engine = 'local' } = options
  const view = createSystemView(system)
  const time = createEpisodeTime(cluster.clock)
  const change = createSignal()
  const failure = createFailureLatch(change.announce)
  const { namespace } = view
  return {
    cluster,
    engine,
    system,
    view,
    faults,
    time,
    change,
    failure,
    recorder: createRecorder(failure),
    journeys: createJourneyTracker(view.journeys.map(({ name }) => name)),
    resets: createSystemReset({ cluster, namespace, time, failure, users }),
  }
}

type Parts = ReturnType<typeof createParts>

/** Ignores runs that were due before the last reset. */
const receiveRecords =
  ({ cluster, resets, journeys: tracker, recorder, change }: Parts) =>
  ({ requests, journeys, probes }: RecordBatch): void => {
    const isCurrent = ({ intended }: { intended: number }): boolean => intended >= resets.at
    cluster.telemetry?.record(requests.filter(isCurrent), journeys.filter(isCurrent))
    for (const run of journeys) if (isCurrent(run)) tracker.add(run)
    recorder.write((log) => log.addJourneyRuns(journeys, probes?.pending ?? []))
    change.announce()
  }

const waitForChange =
  ({ change, time, failure }: Parts) =>
  async (ms: number): Promise<void> => {
    const waiting = new AbortController()
    await Promise.race([change.next(), time.sleep(ms, waiting.signal)])
    // Without a reason, each abort would create an exception with a stack trace.
    waiting.abort('done')
    failure.throwIfSet()
  }

export const openEquipment = async (options: LaboratoryOptions): Promise<Equipment> => {
  const workload = workloadOf(options)
  let users: LabUsers | undefined
  const parts = createParts(options, () => users!)
  const { cluster, system, view, time, failure, recorder, change } = parts
  await createLaboratoryNamespace(cluster, view.namespace)
  const objects = await watchObjects({
    api: cluster.api,
    namespace: view.namespace,
    laboratory: LABORATORY,
    onChange(changed) {
      recorder.write((log) => log.add({ type: 'object-changed', ...changed }))
      change.announce()
    },
    onLost: (cause) => failure.set(toClusterLost(cause)),
  })
  users = await createLabUsers({
    workload,
    load: loadOf(system),
    cluster,
    time,
    seed: options.seed,
    onRecords: receiveRecords(parts),
    onLost: failure.set,
  })
  return { ...parts, objects, users, nextChange: waitForChange(parts) }
}

export const closeEquipment = async ({ objects, users }: Equipment): Promise<void> => {
  objects.close()
  await users.stop()
}

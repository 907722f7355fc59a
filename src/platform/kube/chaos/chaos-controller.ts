/** The controller of all chaos objects: finalizer, phase, selection of pods, injection, recovery and status. */

import type { Clock, Random } from '#kit'
import { deepEqual } from '#kit'
import type { Kind } from '#platform/kube/kinds'
import type { KubeObject } from '#platform/kube/meta'
import type { Client, EventRecorder, PodFaults } from '#platform/kube/ports'
import type { ChaosKind } from './chaos-kind.ts'
import { chaosKinds } from './chaos-kinds.ts'
import { CHAOS_GROUP, CHAOS_VERSION, type ChaosObject, type ChaosRecord } from './chaos-object.ts'
import { createInjector, type Injector } from './create-injector.ts'
import { conditionsOf, desiredPhase, isPaused, isTerminating } from './experiment.ts'
import { SelectionError, selectRecords } from './select-records.ts'
import { type ExperimentSync, syncRecords } from './sync-records.ts'

/** The part of the controller context that this controller needs. */
interface Context {
  client: Client
  clock: Clock
  random: Random
  events: EventRecorder
  requeue(key: string, milliseconds: number): void
}

const FINALIZER = 'chaos-mesh/records'
const FORCE_CLEAN_ANNOTATION = 'chaos-mesh.chaos-mesh.org/cleanFinalizer'
const SELECTION_RETRY_MS = 2000

const apiVersion = `${CHAOS_GROUP}/${CHAOS_VERSION}`
const keyOf = ({ kind, metadata }: KubeObject): string => `${kind}/${metadata.namespace}/${metadata.name}`

/** Watches the objects of every chaos kind while its definition is served. */
const watchKinds = ({ client, requeue }: Context): (() => void) => {
  const stops = new Map<string, () => void>()
  const updateWatches = (): void => {
    for (const { kind: name } of chaosKinds) {
      const kind = client.kindOf(apiVersion, name)
      if (kind === undefined) {
        stops.get(name)?.()
        stops.delete(name)
      } else if (!stops.has(name)) {
        stops.set(
          name,
          client.watch(kind, ({ object }) => requeue(keyOf(object as KubeObject), 0)),
        )
        for (const object of client.list(kind)) requeue(keyOf(object as KubeObject), 0)
      }
    }
  }
  updateWatches()
  const stopKinds = client.watchKinds(updateWatches)
  return () => {
    stopKinds()
    for (const stop of stops.values()) stop()
  }
}

/** Returns the records; selects the targets if there are none yet. */
const recordsOf = (sync: ExperimentSync, random: Random): readonly ChaosRecord[] => {
  const { key, kind, chaos, client, requeue, recordEvent } = sync
  const known = chaos.status?.experiment.containerRecords
  if (known !== undefined || isTerminating(chaos)) return known ?? []
  try {
    return selectRecords(client, random, kind, chaos)
  } catch (error) {
    if (!(error instanceof SelectionError)) throw error
    recordEvent('Warning', 'Failed', `Failed to select targets: ${error.message}`)
    if (error.retry) requeue(key, SELECTION_RETRY_MS)
    return []
  }
}

const finalizersOf = (sync: ExperimentSync, records: readonly ChaosRecord[]): string[] => {
  const { key, chaos, injector, recordEvent } = sync
  const { finalizers = [], annotations } = chaos.metadata
  if (!isTerminating(chaos)) {
    if (finalizers.includes(FINALIZER)) return finalizers
    recordEvent('Normal', 'FinalizerInited', 'Finalizer has been inited')
    return [...finalizers, FINALIZER]
  }
  const isClean = records.every(({ phase }) => phase === 'Not Injected') && !injector.isBusy(key)
  if (!finalizers.includes(FINALIZER) || !(isClean || annotations?.[FORCE_CLEAN_ANNOTATION] === 'forced'))
    return finalizers
  // Chaos Mesh also uses the reason FinalizerInited for the removal.
  recordEvent('Normal', 'FinalizerInited', 'Finalizer has been removed')
  return finalizers.filter((finalizer) => finalizer !== FINALIZER)
}

/** Starts all operations that are due; returns the object to store. */
const advance = (sync: ExperimentSync, random: Random): ChaosObject => {
  const { key, kind, chaos, now, requeue, recordEvent } = sync
  const { phase, event, leftMs } = desiredPhase(kind, chaos, now)
  if (chaos.status?.experiment.desiredPhase !== phase) recordEvent('Normal', event.reason, event.message)
  if (leftMs !== undefined) requeue(key, leftMs)
  const records = syncRecords(sync, phase, recordsOf(sync, random))
  const finalizers = finalizersOf(sync, records)
  return {
    ...chaos,
    metadata: { ...chaos.metadata, finalizers },
    status: {
      ...chaos.status,
      conditions: conditionsOf(records, isPaused(chaos)),
      experiment: {
        desiredPhase: phase,
        ...(records.length === 0 ? {} : { containerRecords: records }),
      },
    },
  }
}

/** The fields whose changes are recorded as events. */
const FIELDS: Readonly<Record<string, (chaos: ChaosObject) => unknown>> = {
  finalizer: ({ metadata }) => metadata.finalizers ?? [],
  desiredPhase: ({ status }) => status?.experiment.desiredPhase,
  records: ({ status }) => status?.experiment.containerRecords,
}

const storeChanges = (sync: ExperimentSync, kind: Kind, next: ChaosObject): void => {
  const { client, chaos, recordEvent } = sync
  if (deepEqual(next.status, chaos.status) && deepEqual(FIELDS.finalizer!(next), FIELDS.finalizer!(chaos)))
    return
  client.update(kind, next)
  for (const [name, read] of Object.entries(FIELDS))
    if (!deepEqual(read(next), read(chaos)))
      recordEvent('Normal', 'Updated', `Successfully update ${name} of resource`)
}

const reconcileObject = (
  key: string,
  chaosKind: ChaosKind,
  injector: Injector,
  { client, clock, random, events, requeue }: Context,
): void => {
  const [, namespace = '', name = ''] = key.split('/')
  const kind = client.kindOf(apiVersion, chaosKind.kind)
  const chaos = kind && (client.get(kind, namespace, name) as ChaosObject | undefined)
  injector.close(key, chaos?.metadata.uid)
  if (kind === undefined || chaos === undefined) return
  injector.open(key, chaos.metadata.uid)
  const sync: ExperimentSync = {
    key,
    kind: chaosKind,
    chaos,
    client,
    injector,
    outcomes: [...injector.outcomes(key)],
    now: clock.now(),
    requeue,
    recordEvent: (type, reason, message) => events.record(chaos, type, reason, message),
  }
  storeChanges(sync, kind, advance(sync, random))
  // Only after the write: a failed write must not lose an injected fault.
  injector.clearOutcomes(key, sync.outcomes)
}

export interface ChaosControllerOptions {
  faults: PodFaults
}

export const createChaosController = ({ faults }: ChaosControllerOptions) => {
  let requeue: (key: string) => void = () => {}
  const injector = createInjector(faults, (key) => requeue(key))
  return {
    name: 'chaos-mesh',
    user: 'system:serviceaccount:chaos-mesh:chaos-controller-manager',
    // The field manager of Chaos Mesh would appear in managedFields of pods, which agents read, so none is set.
    component: 'chaos-controller-manager',
    watches: [],
    start(context: Context): () => void {
      requeue = (key) => context.requeue(key, 0)
      return watchKinds(context)
    },
    reconcile(key: string, context: Context): void {
      const kind = chaosKinds.find((candidate) => key.startsWith(`${candidate.kind}/`))
      if (kind !== undefined) reconcileObject(key, kind, injector, context)
    },
  }
}

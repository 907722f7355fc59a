/** The controller of all chaos objects: finalizer, phase, choice of pods, injection and recovery, status. */

import type { Clock, Random } from '../../kit/index.ts'
import { deepEqual } from '../../kit/index.ts'
import type { Kind } from '../kinds/index.ts'
import type { KubeObject } from '../meta/index.ts'
import type { Client, EventRecorder, PodFaults } from '../ports/index.ts'
import type { ChaosKind } from './chaos-kind.ts'
import { chaosKinds } from './chaos-kinds.ts'
import { CHAOS_GROUP, CHAOS_VERSION, type ChaosObject, type ChaosRecord } from './chaos-object.ts'
import { createInjector, type Injector } from './create-injector.ts'
import { conditionsOf, desiredPhase, isDeleted, isPaused } from './experiment.ts'
import { SelectionError, selectRecords } from './select-records.ts'
import { type Treatment, treatRecords } from './treat-records.ts'

/** What controllers are given, as far as this one needs it. */
interface Context {
  client: Client
  clock: Clock
  random: Random
  events: EventRecorder
  requeue(key: string, milliseconds: number): void
}

const FINALIZER = 'chaos-mesh/records'
const FORCE_CLEAN = 'chaos-mesh.chaos-mesh.org/cleanFinalizer'
/** Pods that a selector waits for come with a rollout: soon, or not for long. */
const SELECTION_RETRY_MS = 2000

const apiVersion = `${CHAOS_GROUP}/${CHAOS_VERSION}`
const keyOf = ({ kind, metadata }: KubeObject): string => `${kind}/${metadata.namespace}/${metadata.name}`

/** Follows the objects of every chaos kind while its definition is served. */
const followKinds = ({ client, requeue }: Context): (() => void) => {
  const stops = new Map<string, () => void>()
  const follow = (): void => {
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
  follow()
  const stopKinds = client.watchKinds(follow)
  return () => {
    stopKinds()
    for (const stop of stops.values()) stop()
  }
}

/** The records, chosen now where there are none yet. */
const recordsOf = (treatment: Treatment, random: Random): readonly ChaosRecord[] => {
  const { key, kind, chaos, client, requeue, tell } = treatment
  const known = chaos.status?.experiment.containerRecords
  if (known !== undefined || isDeleted(chaos)) return known ?? []
  try {
    return selectRecords(client, random, kind, chaos)
  } catch (error) {
    if (!(error instanceof SelectionError)) throw error
    tell('Warning', 'Failed', `Failed to select targets: ${error.message}`)
    if (error.retry) requeue(key, SELECTION_RETRY_MS)
    return []
  }
}

const finalizersOf = (treatment: Treatment, records: readonly ChaosRecord[]): string[] => {
  const { key, chaos, injector, tell } = treatment
  const { finalizers = [], annotations } = chaos.metadata
  if (!isDeleted(chaos)) {
    if (finalizers.includes(FINALIZER)) return finalizers
    tell('Normal', 'FinalizerInited', 'Finalizer has been inited')
    return [...finalizers, FINALIZER]
  }
  const isClean = records.every(({ phase }) => phase === 'Not Injected') && !injector.isBusy(key)
  if (!finalizers.includes(FINALIZER) || !(isClean || annotations?.[FORCE_CLEAN] === 'forced'))
    return finalizers
  // Chaos Mesh gives this the reason of the opposite.
  tell('Normal', 'FinalizerInited', 'Finalizer has been removed')
  return finalizers.filter((one) => one !== FINALIZER)
}

/** The object as it should be stored after everything that could be done now is done or begun. */
const advance = (treatment: Treatment, random: Random): ChaosObject => {
  const { key, kind, chaos, now, requeue, tell } = treatment
  const { phase, event, leftMs } = desiredPhase(kind, chaos, now)
  if (chaos.status?.experiment.desiredPhase !== phase) tell('Normal', event.reason, event.message)
  if (leftMs !== undefined) requeue(key, leftMs)
  const records = treatRecords(treatment, phase, recordsOf(treatment, random))
  const finalizers = finalizersOf(treatment, records)
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

const FIELDS: Readonly<Record<string, (chaos: ChaosObject) => unknown>> = {
  finalizer: ({ metadata }) => metadata.finalizers ?? [],
  desiredPhase: ({ status }) => status?.experiment.desiredPhase,
  records: ({ status }) => status?.experiment.containerRecords,
}

const store = (treatment: Treatment, kind: Kind, next: ChaosObject): void => {
  const { client, chaos, tell } = treatment
  if (deepEqual(next.status, chaos.status) && deepEqual(FIELDS.finalizer!(next), FIELDS.finalizer!(chaos)))
    return
  client.update(kind, next)
  for (const [name, read] of Object.entries(FIELDS))
    if (!deepEqual(read(next), read(chaos)))
      tell('Normal', 'Updated', `Successfully update ${name} of resource`)
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
  injector.forget(key, chaos?.metadata.uid)
  if (kind === undefined || chaos === undefined) return
  injector.open(key, chaos.metadata.uid)
  const treatment: Treatment = {
    key,
    kind: chaosKind,
    chaos,
    client,
    injector,
    outcomes: [...injector.outcomes(key)],
    now: clock.now(),
    requeue,
    tell: (type, reason, message) => events.record(chaos, type, reason, message),
  }
  store(treatment, kind, advance(treatment, random))
  // Not before they are stored: a write that fails must not lose what is in force.
  injector.clearOutcomes(key, treatment.outcomes)
}

export interface ChaosControllerOptions {
  faults: PodFaults
}

/** One for all kinds, since most of what they do is the same. */
export const createChaosController = ({ faults }: ChaosControllerOptions) => {
  let wake: (key: string) => void = () => {}
  const injector = createInjector(faults, (key) => wake(key))
  return {
    name: 'chaos-mesh',
    user: 'system:serviceaccount:chaos-mesh:chaos-controller-manager',
    // Chaos Mesh writes under a name of its own, which pods would show in managedFields, where agents read.
    component: 'chaos-controller-manager',
    watches: [],
    start(context: Context): () => void {
      wake = (key) => context.requeue(key, 0)
      return followKinds(context)
    },
    reconcile(key: string, context: Context): void {
      const kind = chaosKinds.find((one) => key.startsWith(`${one.kind}/`))
      if (kind !== undefined) reconcileObject(key, kind, injector, context)
    },
  }
}

/** Waits by polling, as the Kubernetes modules do, until objects have reached a state. */
import { isPlainObject } from '#kit'
import { isEqual } from '../../python/python-text.ts'
import { asBoolean } from '../../run/convert-field.ts'
import type { Pace } from '../../run/pace.ts'
import { PythonError } from '../module.ts'
import type { ApiClient, Json } from './api-client.ts'
import type { Resource } from './find-resource.ts'
import { RequestError } from './request-error.ts'

export type Predicate = (object: Json | undefined) => boolean

export interface WaitCondition {
  readonly type?: unknown
  readonly status?: unknown
  readonly reason?: unknown
}

export const isList = ({ kind }: Json): boolean => String(kind).endsWith('List')

/** A list exists if it has items. */
export const exists: Predicate = (object) =>
  object !== undefined && !(isList(object) && !(object.items?.length > 0))

export const isAbsent: Predicate = (object) => !exists(object)

/** Python fails if the object has been deleted in the meantime. */
const require = (object: Json | undefined): Json => {
  if (object === undefined)
    throw new PythonError('AttributeError', "'NoneType' object has no attribute 'status'")
  return object
}

const deploymentReady: Predicate = (object) => {
  const { status, spec, metadata } = require(object)
  return (
    isPlainObject(status) &&
    (spec?.replicas ?? null) === (status.replicas || 0) &&
    isEqual(status.availableReplicas, status.replicas) &&
    isEqual(status.observedGeneration, metadata.generation) &&
    !status.unavailableReplicas
  )
}

const podReady: Predicate = (object) => {
  const { status } = require(object)
  return (
    isPlainObject(status) &&
    Array.isArray(status.containerStatuses) &&
    status.containerStatuses.every(({ ready }: { ready?: boolean }) => ready === true)
  )
}

const daemonSetReady: Predicate = (object) => {
  const { status, metadata } = require(object)
  return (
    isPlainObject(status) &&
    status.desiredNumberScheduled !== undefined &&
    isEqual(status.updatedNumberScheduled, status.desiredNumberScheduled) &&
    isEqual(status.numberReady, status.desiredNumberScheduled) &&
    isEqual(status.observedGeneration, metadata.generation) &&
    !status.unavailableReplicas
  )
}

const statefulSetReady: Predicate = (object) => {
  const { status, spec, metadata } = require(object)
  if (!isPlainObject(status))
    throw new PythonError('AttributeError', "'NoneType' object has no attribute 'updatedReplicas'")
  return (
    spec.updateStrategy?.type === 'RollingUpdate' &&
    isEqual(status.observedGeneration, metadata.generation ?? 0) &&
    isEqual(status.updateRevision, status.currentRevision) &&
    isEqual(status.updatedReplicas ?? 0, spec.replicas) &&
    isEqual(status.readyReplicas ?? 0, spec.replicas) &&
    isEqual(status.replicas, spec.replicas)
  )
}

const hasCondition =
  (wanted: WaitCondition): Predicate =>
  (object) => {
    const conditions = require(object).status?.conditions
    if (!Array.isArray(conditions)) return false
    const found = conditions.find(({ type }) => type === wanted.type)
    if (found === undefined) return false
    if (found.status === 'Unknown') {
      if (wanted.status !== 'Unknown') return false
      return wanted.reason ? found.reason === wanted.reason : false
    }
    if ((found.status === 'True') !== (asBoolean(wanted.status) ?? false)) return false
    return wanted.reason ? found.reason === wanted.reason : true
  }

const PREDICATES: Readonly<Record<string, Predicate>> = {
  DaemonSet: daemonSetReady,
  Deployment: deploymentReady,
  Pod: podReady,
  StatefulSet: statefulSetReady,
}

export const predicateFor = (
  { kind }: Resource,
  state: 'present' | 'absent',
  condition?: WaitCondition | undefined,
): Predicate => {
  if (state === 'absent') return isAbsent
  return condition === undefined ? (PREDICATES[kind] ?? exists) : hasCondition(condition)
}

export interface WaitOptions {
  readonly resource: Resource
  readonly predicate: Predicate
  readonly timeout: number
  readonly sleep: number
  readonly name?: unknown
  readonly namespace?: unknown
  readonly labelSelectors?: readonly string[] | null | undefined
  readonly fieldSelectors?: readonly string[] | null | undefined
}

export interface WaitResult {
  readonly success: boolean
  readonly instance: Json
  /** Whole seconds. */
  readonly duration: number
}

export const waitFor = async (client: ApiClient, pace: Pace, options: WaitOptions): Promise<WaitResult> => {
  const { resource, predicate, timeout, sleep, name, namespace, labelSelectors, fieldSelectors } = options
  const read = async (): Promise<Json | undefined> => {
    try {
      if (name) return await client.get(resource, String(name), namespace)
      return await client.list(resource, namespace, {
        label: (labelSelectors ?? []).join(','),
        field: (fieldSelectors ?? []).join(','),
      })
    } catch (error) {
      if (error instanceof RequestError && error.status === 404) return undefined
      throw error
    }
  }
  const start = pace.now()
  let duration = 0
  let object = await read()
  while (!predicate(object) && pace.now() - start < timeout * 1000) {
    await pace.sleep(sleep * 1000)
    duration = Math.floor((pace.now() - start) / 1000)
    object = await read()
  }
  return { success: predicate(object), instance: object ?? {}, duration }
}

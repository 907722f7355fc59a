/** The intent of an object: its content without its status and without the fields that controllers write. */
import { isDeepStrictEqual } from 'node:util'
import { cachePerObject, cachePerPair } from '#kit'
import { type ApiObject, isControlPlaneTaint, labelsOf, viewAs } from '#spec'

import { finalizersOf } from './finalizers-of.ts'

type Fields = Readonly<Record<string, unknown>>

/** Prefixes of annotations that controllers write. */
const CONTROLLER_PREFIXES: readonly string[] = [
  'deployment.kubernetes.io/',
  'pv.kubernetes.io/',
  'volume.kubernetes.io/',
  'volume.beta.kubernetes.io/',
  'autoscaling.alpha.kubernetes.io/',
  'kubernetes.io/change-cause',
  'node.alpha.kubernetes.io/',
]
const isControllerAnnotation = (key: string): boolean =>
  CONTROLLER_PREFIXES.some((prefix) => key.startsWith(prefix))

const without = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

/** Fields of the spec that the API server or a controller fills in, by kind. */
const FILLED_IN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  PersistentVolumeClaim: ['volumeName'],
  PersistentVolume: ['claimRef'],
}

/** Leaves out taints that the control plane sets on unhealthy nodes. */
const toNodeIntent = (node: ApiObject): Fields => {
  const { unschedulable = false, taints = [] } = viewAs('Node', node).spec ?? {}
  return {
    labels: node.metadata.labels,
    finalizers: finalizersOf(node),
    unschedulable,
    taints: taints.filter((taint) => !isControlPlaneTaint(taint)),
  }
}

/** The API server chooses the address of a Service; whether the Service is headless is intent. */
const toServiceSpec = (spec: Fields): Fields => ({
  ...without(spec, ['clusterIP', 'clusterIPs', 'healthCheckNodePort']),
  isHeadless: spec.clusterIP === 'None',
})

/** Versions of objects never change, and are compared at every assessment of an episode. */
export const toIntent = cachePerObject((object: ApiObject): Fields => {
  if (object.kind === 'Node') return toNodeIntent(object)
  const { metadata, spec, status: _, ...rest } = object
  const annotations = Object.entries((metadata.annotations ?? {}) as Fields).filter(
    ([key]) => !isControllerAnnotation(key),
  )
  const intendedSpec = without((spec ?? {}) as Fields, FILLED_IN_FIELDS[object.kind] ?? [])
  return {
    ...(object.kind === 'ServiceAccount' ? without(rest, ['secrets']) : rest),
    labels: labelsOf(object),
    finalizers: finalizersOf(object),
    annotations: Object.fromEntries(annotations),
    spec: object.kind === 'Service' ? toServiceSpec(intendedSpec) : intendedSpec,
  }
})

const isSameContent = cachePerPair((a, b) => isDeepStrictEqual(a, b))

export const isSameIntent = (a: ApiObject | undefined, b: ApiObject | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && isSameContent(toIntent(a), toIntent(b)))

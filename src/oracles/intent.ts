/** What somebody means an object to be: without its state, and without what controllers write into it. */
import { isDeepStrictEqual } from 'node:util'
import { type ApiObject, isControlPlaneTaint } from '../spec/index.ts'

type Fields = Readonly<Record<string, unknown>>

const CONTROLLERS_OWN: readonly string[] = [
  'deployment.kubernetes.io/',
  'pv.kubernetes.io/',
  'volume.kubernetes.io/',
  'volume.beta.kubernetes.io/',
  'autoscaling.alpha.kubernetes.io/',
  'kubernetes.io/change-cause',
  'node.alpha.kubernetes.io/',
]
const isControllers = (key: string): boolean => CONTROLLERS_OWN.some((prefix) => key.startsWith(prefix))

const without = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

/** What the API server or a controller fills in. */
const FILLED_IN: Readonly<Record<string, readonly string[]>> = {
  PersistentVolumeClaim: ['volumeName'],
  PersistentVolume: ['claimRef'],
}

interface NodeSpec {
  readonly unschedulable?: boolean
  readonly taints?: readonly { readonly key: string; readonly effect?: string }[]
}

/** Nodes are tainted by the control plane itself when they are ill. */
const toNodeIntent = ({ metadata, spec }: ApiObject): Fields => {
  const { unschedulable = false, taints = [] } = (spec ?? {}) as NodeSpec
  return {
    labels: metadata.labels,
    unschedulable,
    taints: taints.filter((taint) => !isControlPlaneTaint(taint)),
  }
}

/** Which address a Service has is the API server's choice, whether it has one is not. */
const toServiceSpec = (spec: Fields): Fields => ({
  ...without(spec, ['clusterIP', 'clusterIPs', 'healthCheckNodePort']),
  isHeadless: spec.clusterIP === 'None',
})

export const toIntent = (object: ApiObject): Fields => {
  if (object.kind === 'Node') return toNodeIntent(object)
  const { metadata, spec, status: _, ...rest } = object
  const annotations = Object.entries((metadata.annotations ?? {}) as Fields).filter(
    ([key]) => !isControllers(key),
  )
  const meant = without((spec ?? {}) as Fields, FILLED_IN[object.kind] ?? [])
  return {
    ...(object.kind === 'ServiceAccount' ? without(rest, ['secrets']) : rest),
    labels: metadata.labels ?? {},
    annotations: Object.fromEntries(annotations),
    spec: object.kind === 'Service' ? toServiceSpec(meant) : meant,
  }
}

/** On its way out is gone. */
export const isGoing = ({ metadata }: ApiObject): boolean => metadata.deletionTimestamp !== undefined

export const isSameIntent = (one: ApiObject | undefined, other: ApiObject | undefined): boolean =>
  one === other ||
  (one !== undefined && other !== undefined && isDeepStrictEqual(toIntent(one), toIntent(other)))

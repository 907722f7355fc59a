/** What the server fills in for pods and for the templates that make them. */
import type { Container, PodSpec, PodTemplateSpec } from 'kubernetes-types/core/v1.d.ts'
import { canonicalize, defaultContainer, requestWhatIsLimited } from './container-defaults.ts'
import { defaultVolume } from './volume-defaults.ts'

/** The older name of the field always repeats the newer one. */
export const mirrorServiceAccount = (spec: PodSpec): void => {
  const name = spec.serviceAccountName || spec.serviceAccount
  if (name === undefined || name === '') return
  spec.serviceAccountName = name
  spec.serviceAccount = name
}

export const defaultPodSpec = (spec: PodSpec): void => {
  for (const volume of spec.volumes ?? []) defaultVolume(volume)
  for (const container of spec.initContainers ?? []) defaultContainer(container)
  spec.containers ??= []
  for (const container of spec.containers) defaultContainer(container)
  for (const container of spec.ephemeralContainers ?? []) defaultContainer(container as Container)
  spec.restartPolicy ||= 'Always'
  spec.terminationGracePeriodSeconds ??= 30
  spec.dnsPolicy ||= 'ClusterFirst'
  spec.securityContext ??= {}
  spec.schedulerName ||= 'default-scheduler'
  mirrorServiceAccount(spec)
  canonicalize(spec.overhead)
}

const exposeOnHost = (container: Container): void => {
  for (const port of container.ports ?? []) port.hostPort ||= port.containerPort
}

/** Defaults that only pods have: templates leave them to the pods they make. */
export const defaultPod = (spec: PodSpec): void => {
  defaultPodSpec(spec)
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
    requestWhatIsLimited(container)
    if (spec.hostNetwork === true) exposeOnHost(container)
  }
  spec.enableServiceLinks ??= true
}

type Metadata = NonNullable<PodTemplateSpec['metadata']>

/** Go writes the creation time of embedded metadata as null. */
export const withNullTime = (metadata: Metadata | undefined): Metadata =>
  ({ creationTimestamp: null, ...metadata }) as unknown as Metadata

/** The template of a workload, made where the client sent none. */
export const defaultTemplate = (template: PodTemplateSpec | undefined): PodTemplateSpec => {
  const spec: PodSpec = template?.spec ?? { containers: [] }
  defaultPodSpec(spec)
  return { metadata: withNullTime(template?.metadata), spec }
}

/** The defaults of pods and pod templates. */
import type { Container, PodSpec, PodTemplateSpec } from 'kubernetes-types/core/v1.d.ts'
import { canonicalize, defaultContainer, defaultRequestsToLimits } from './container-defaults.ts'
import { defaultVolume } from './volumes/volume-defaults.ts'

/** Keeps the deprecated `serviceAccount` equal to `serviceAccountName`. */
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

const defaultHostPorts = (container: Container): void => {
  for (const port of container.ports ?? []) port.hostPort ||= port.containerPort
}

/** Sets the defaults of a pod, including those that templates do not have. */
export const defaultPod = (spec: PodSpec): void => {
  defaultPodSpec(spec)
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
    defaultRequestsToLimits(container)
    if (spec.hostNetwork === true) defaultHostPorts(container)
  }
  spec.enableServiceLinks ??= true
}

type Metadata = NonNullable<PodTemplateSpec['metadata']>

/** Go writes the creation time of embedded metadata as null. */
export const withNullTime = (metadata: Metadata | undefined): Metadata =>
  ({ creationTimestamp: null, ...metadata }) as unknown as Metadata

/** Returns the template with defaults. Creates one if the client omitted it. */
export const defaultTemplate = (template: PodTemplateSpec | undefined): PodTemplateSpec => {
  const spec: PodSpec = template?.spec ?? { containers: [] }
  defaultPodSpec(spec)
  return { metadata: withNullTime(template?.metadata), spec }
}

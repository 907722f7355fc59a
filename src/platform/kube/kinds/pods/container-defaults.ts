/** The defaults of a container. */
import type { Container, Lifecycle, Probe, ResourceRequirements } from 'kubernetes-types/core/v1.d.ts'
import { canonicalAmount, canonicalQuantity } from '#platform/kube/meta'

type HttpGet = NonNullable<Probe['httpGet']>

/** Converts every quantity of the map to canonical form, rounded up to thousandths. */
export const canonicalize = (amounts: Record<string, string> | undefined): void => {
  for (const name in amounts) amounts[name] = canonicalAmount(amounts[name]!)
}

export const canonicalizeResources = (resources: Pick<ResourceRequirements, 'limits' | 'requests'>): void => {
  canonicalize(resources.limits)
  canonicalize(resources.requests)
}

/** Whether an image reference has the tag `latest`, or neither tag nor digest. */
const isLatest = (image: string): boolean => {
  const [name = '', digest] = image.split('@')
  const tag = /:([\w][\w.-]*)$/.exec(name)?.[1]
  return tag === 'latest' || (tag === undefined && digest === undefined && name !== '')
}

const defaultHttpGet = (httpGet: HttpGet | undefined): void => {
  if (httpGet === undefined) return
  httpGet.path ||= '/'
  httpGet.scheme ||= 'HTTP'
}

const defaultProbe = (probe: Probe | undefined): void => {
  if (probe === undefined) return
  defaultHttpGet(probe.httpGet)
  if (probe.grpc !== undefined) probe.grpc.service ??= ''
  probe.timeoutSeconds ||= 1
  probe.periodSeconds ||= 10
  probe.successThreshold ||= 1
  probe.failureThreshold ||= 3
}

const defaultLifecycle = (lifecycle: Lifecycle | undefined): void => {
  defaultHttpGet(lifecycle?.postStart?.httpGet)
  defaultHttpGet(lifecycle?.preStop?.httpGet)
}

const defaultEnvironment = (container: Container): void => {
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.fieldRef !== undefined) valueFrom.fieldRef.apiVersion ||= 'v1'
    const resource = valueFrom?.resourceFieldRef
    if (resource !== undefined) resource.divisor = canonicalQuantity(resource.divisor ?? '0')
  }
}

export const defaultContainer = (container: Container): void => {
  for (const port of container.ports ?? []) port.protocol ||= 'TCP'
  defaultEnvironment(container)
  container.resources ??= {}
  canonicalizeResources(container.resources)
  defaultProbe(container.livenessProbe)
  defaultProbe(container.readinessProbe)
  defaultProbe(container.startupProbe)
  defaultLifecycle(container.lifecycle)
  container.terminationMessagePath ||= '/dev/termination-log'
  container.terminationMessagePolicy ||= 'File'
  container.imagePullPolicy ||= isLatest(container.image ?? '') ? 'Always' : 'IfNotPresent'
}

/** Sets omitted requests to the limits. Applies to pods, not to templates. */
export const defaultRequestsToLimits = (container: Container): void => {
  const resources = container.resources
  if (resources?.limits === undefined) return
  resources.requests = { ...resources.limits, ...resources.requests }
}

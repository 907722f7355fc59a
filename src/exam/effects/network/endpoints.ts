/** Finds the pods and ports that an address leads to, by the DNS names and the Services among recorded objects. */
import { containersOf, isTerminating, type KubeObject, labelsOf, type ObjectsView, viewAs } from '#spec'

interface Address {
  readonly host: string
  /** Empty if the address names only a host. */
  readonly port: string
}

type ServiceSpec = NonNullable<KubeObject<'Service'>['spec']>

const CLUSTER_DOMAIN = 'svc.cluster.local'

/** The name of the Service in the namespace that a DNS name belongs to. A name that ends with a dot must be complete. */
const serviceNameIn = (namespace: string, host: string): string | undefined => {
  const [name = '', hostNamespace, ...rest] = host.toLowerCase().replace(/\.$/, '').split('.')
  const domain = rest.join('.')
  if (hostNamespace === undefined) return host.endsWith('.') ? undefined : name
  const domains = host.endsWith('.') ? [CLUSTER_DOMAIN] : ['', 'svc', CLUSTER_DOMAIN]
  return hostNamespace === namespace && domains.includes(domain) ? name : undefined
}

interface FoundService {
  readonly name: string
  readonly spec: ServiceSpec
}

/** The Service that a DNS name or a cluster IP belongs to. */
export const serviceAt = (
  objects: ObjectsView,
  namespace: string,
  host: string,
): FoundService | undefined => {
  const name = serviceNameIn(namespace, host)
  for (const service of objects.list('Service')) {
    const { spec } = viewAs('Service', service)
    if (spec !== undefined && (service.metadata.name === name || spec.clusterIP === host))
      return { name: service.metadata.name, spec }
  }
  return undefined
}

/** The endpoints to which a Service sends connections to a port, such as `cart-6d4f-x:7070`. A headless Service keeps the port. */
const endpointsOf = (objects: ObjectsView, spec: ServiceSpec, port: number): readonly string[] => {
  const selector = Object.entries(spec.selector ?? {})
  const declared = (spec.ports ?? []).find((candidate) => candidate.port === port)
  const target = spec.clusterIP === 'None' ? port : (declared?.targetPort ?? declared?.port)
  if (selector.length === 0 || target === undefined) return []
  return objects.list('Pod').flatMap((pod) => {
    const labels = labelsOf(pod)
    if (isTerminating(pod) || !selector.every(([name, value]) => labels[name] === value)) return []
    const ports = containersOf(pod).flatMap((container) => container.ports ?? [])
    const number =
      typeof target === 'number' ? target : ports.find(({ name }) => name === target)?.containerPort
    return number === undefined ? [] : [`${pod.metadata.name}:${number}`]
  })
}

/**
 * Whether `address` leads to endpoints of `reference`, and to no others. Without ports, this must hold for each port of the Service
 * at `reference`.
 */
export const leadsWithin = (
  objects: ObjectsView,
  namespace: string,
  { address, reference }: { readonly address: Address; readonly reference: Address },
): boolean => {
  const found = serviceAt(objects, namespace, address.host)
  const expected = serviceAt(objects, namespace, reference.host)
  if (found === undefined || expected === undefined) return false
  if ((address.port === '') !== (reference.port === '')) return false
  const pairs =
    reference.port === ''
      ? (expected.spec.ports ?? []).map(({ port }) => [port, port] as const)
      : [[Number(address.port), Number(reference.port)] as const]
  return (
    pairs.length > 0 &&
    pairs.every(([port, referencePort]) => {
      const endpoints = endpointsOf(objects, found.spec, port)
      if (endpoints.length === 0) return false
      const allowed = endpointsOf(objects, expected.spec, referencePort)
      return endpoints.every((endpoint) => allowed.includes(endpoint))
    })
  )
}

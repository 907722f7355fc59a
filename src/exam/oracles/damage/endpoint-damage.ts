/** Finds addresses in the Endpoints of a Service that are not those of its pods. Their controller corrects them only when a pod changes. */
import {
  type ApiObject,
  containersOf,
  type Damage,
  hasCondition,
  isFinishedPod,
  isTerminating,
  type KubeObject,
  labelsOf,
  viewAs,
} from '#spec'
import { isMaintained } from '../objects/is-endpoints-of-selector.ts'
import type { EpisodeFacts } from '../view/episode-view.ts'
import { toObjectKey } from '../view/object-set.ts'

/** The first version of the rules in which records contain the addresses of Endpoints and pods. */
const RULES_WITH_ADDRESSES = 7

type ServiceSpec = NonNullable<KubeObject<'Service'>['spec']>
type ServicePort = NonNullable<ServiceSpec['ports']>[number]

const portOf = (pod: ApiObject, { port, targetPort = port }: ServicePort): number | undefined => {
  if (typeof targetPort === 'number') return targetPort
  const { initContainers = [] } = viewAs('Pod', pod).spec ?? {}
  const ports = [...containersOf(pod), ...initContainers].flatMap((container) => container.ports ?? [])
  return ports.find(({ name }) => name === targetPort)?.containerPort
}

/** Such as `10.244.1.5:8080`; only the address if the Service has no ports. */
const addressesOf = (pod: ApiObject, { ports = [] }: ServiceSpec): readonly string[] => {
  const { podIP } = viewAs('Pod', pod).status ?? {}
  if (podIP === undefined) return []
  if (ports.length === 0) return [podIP]
  return ports.flatMap((port) => {
    const number = portOf(pod, port)
    return number === undefined ? [] : [`${podIP}:${number}`]
  })
}

const isServing = (pod: ApiObject): boolean =>
  hasCondition(pod, 'Ready') && !isTerminating(pod) && !isFinishedPod(pod)

const problemsOf = ({ objects }: EpisodeFacts, endpoints: ApiObject): readonly string[] => {
  const service = objects.now.get(toObjectKey({ ...endpoints, kind: 'Service' }))
  const spec = service && viewAs('Service', service).spec
  const selector = Object.entries(spec?.selector ?? {})
  if (spec === undefined || selector.length === 0 || !Array.isArray(endpoints.addresses)) return []
  const pods = [...objects.now.values()].filter((pod) => {
    if (pod.kind !== 'Pod' || pod.metadata.namespace !== endpoints.metadata.namespace) return false
    const labels = labelsOf(pod)
    return selector.every(([name, value]) => labels[name] === value)
  })
  const addresses = new Set(endpoints.addresses.map(String))
  const known = new Set(pods.flatMap((pod) => addressesOf(pod, spec)))
  const missing = pods
    .filter(isServing)
    .flatMap((pod) => addressesOf(pod, spec))
    .filter((address) => !addresses.has(address))
  return [
    ...[...addresses]
      .filter((address) => !known.has(address))
      .map((address) => `have the false address ${address}`),
    ...missing.map((address) => `lack the address ${address} of a pod`),
  ]
}

export const endpointDamage = (view: EpisodeFacts): Damage[] =>
  view.rules < RULES_WITH_ADDRESSES
    ? []
    : [...view.objects.now.values()]
        .filter((object) => object.kind === 'Endpoints' && isMaintained(object) && !isTerminating(object))
        .flatMap((endpoints) =>
          problemsOf(view, endpoints).map((what) => ({
            object: `Endpoints/${endpoints.metadata.name}`,
            what,
          })),
        )

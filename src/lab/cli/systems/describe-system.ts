/** Describes a system: services, entry points, journeys, load. */
import { defined } from '#kit'
import {
  type ApiObject,
  type EntryPoint,
  type KubeObject,
  type LoadProfile,
  type System,
  viewAs,
} from '#spec'

export interface ServiceDescription {
  readonly name: string
  /** Null if the system does not declare it. */
  readonly protocol: string | null
  /** Ports of the first container, without sidecars. */
  readonly ports: readonly number[]
  readonly replicas: number
  readonly image: string
  /** All available tags of the image, including the deployed one. */
  readonly releases: readonly string[]
}

export interface SystemDescription {
  readonly name: string
  readonly about: string
  readonly namespace: string
  readonly entryPoints: readonly EntryPoint[]
  readonly services: readonly ServiceDescription[]
  readonly journeys: readonly { readonly name: string; readonly about?: string; readonly weight: number }[]
  readonly load?: LoadProfile
}

type WorkloadView = KubeObject<'Deployment'> | KubeObject<'StatefulSet'>

const toWorkloads = (object: ApiObject): WorkloadView[] =>
  object.kind === 'Deployment' || object.kind === 'StatefulSet' ? [viewAs(object.kind, object)] : []

const splitImage = (image: string): [repository: string, tag: string] => {
  const colon = image.lastIndexOf(':')
  return colon > image.lastIndexOf('/') ? [image.slice(0, colon), image.slice(colon + 1)] : [image, 'latest']
}

/** Sorted by version, so that the order does not reveal which releases are broken. */
const sortByVersion = (tags: readonly string[]): string[] =>
  [...new Set(tags)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))

const describeService = (system: System, { metadata, spec }: WorkloadView): ServiceDescription => {
  const name = metadata!.name!
  const { image = '', ports = [] } = spec!.template.spec!.containers[0]!
  const [repository, tag] = splitImage(image)
  const service = system.topology?.services[name]
  // The images of a topology are built on demand, which is slow, so releases come from the topology.
  const others =
    service === undefined
      ? system.images.map((other) => splitImage(other.name)).filter(([other]) => other === repository)
      : Object.keys(service.deploy.releases ?? {}).map((release) => [repository, release] as const)
  return {
    name,
    protocol: service?.behaviour.protocol ?? null,
    ports: ports.map(({ containerPort }) => containerPort),
    replicas: spec!.replicas ?? 1,
    image,
    releases: sortByVersion([tag, ...others.map(([, release]) => release)]),
  }
}

export const describeSystem = (system: System): SystemDescription => {
  const { name, about, namespace, entryPoints, workload, manifests } = system
  return {
    name,
    about,
    namespace,
    entryPoints,
    services: (manifests as readonly ApiObject[])
      .flatMap(toWorkloads)
      .map((workload) => describeService(system, workload))
      .sort((a, b) => a.name.localeCompare(b.name, 'en')),
    journeys: (workload?.journeys ?? []).map((journey) => ({
      name: journey.name,
      weight: journey.weight,
      ...defined({ about: journey.about }),
    })),
    ...defined({ load: workload?.load }),
  }
}

/** What a user wants to know of a system before it runs: services, doors, journeys, load. */
import type { EntryPoint, LoadProfile, System } from '../../spec/index.ts'

export interface ServiceDescription {
  readonly name: string
  /** Null where the system does not tell. */
  readonly wire: string | null
  /** Of its own container, without those beside it. */
  readonly ports: readonly number[]
  readonly replicas: number
  readonly image: string
  /** All tags that the image can be had with, the one that runs among them. */
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

interface Workload {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly replicas?: number
    readonly template: {
      readonly spec: {
        readonly containers: readonly {
          readonly image: string
          readonly ports?: readonly { readonly containerPort: number }[]
        }[]
      }
    }
  }
}

const isWorkload = (object: object): object is Workload =>
  ['Deployment', 'StatefulSet'].includes((object as { kind: string }).kind)

const splitImage = (image: string): [repository: string, tag: string] => {
  const colon = image.lastIndexOf(':')
  return colon > image.lastIndexOf('/') ? [image.slice(0, colon), image.slice(colon + 1)] : [image, 'latest']
}

/** In the order of their versions: neither their order nor their number tells which ones are good. */
const byVersion = (tags: readonly string[]): string[] =>
  [...new Set(tags)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))

const describeService = (system: System, { metadata: { name }, spec }: Workload): ServiceDescription => {
  const { image, ports = [] } = spec.template.spec.containers[0]!
  const [repository, tag] = splitImage(image)
  const service = system.topology?.services[name]
  // The images of a topology are made when they are asked for, which takes its time.
  const others =
    service === undefined
      ? system.images.map((other) => splitImage(other.name)).filter(([other]) => other === repository)
      : Object.keys(service.deploy.releases ?? {}).map((release) => [repository, release] as const)
  return {
    name,
    wire: service?.behaviour.wire ?? null,
    ports: ports.map(({ containerPort }) => containerPort),
    replicas: spec.replicas ?? 1,
    image,
    releases: byVersion([tag, ...others.map(([, release]) => release)]),
  }
}

export const describeSystem = (system: System): SystemDescription => {
  const { name, about, namespace, entryPoints, workload, manifests } = system
  return {
    name,
    about,
    namespace,
    entryPoints,
    services: manifests
      .filter(isWorkload)
      .map((object) => describeService(system, object))
      .sort((a, b) => a.name.localeCompare(b.name, 'en')),
    journeys: (workload?.journeys ?? []).map((journey) => ({
      name: journey.name,
      ...(journey.about === undefined ? {} : { about: journey.about }),
      weight: journey.weight,
    })),
    ...(workload === undefined ? {} : { load: workload.load }),
  }
}

/** Lists the slices in each tagged image: one for each service that uses the image. */
import { defined } from '#kit'
import type { Release, ServiceSlice, ServiceTopology, Topology } from '#spec'
import { servicePort, splitImage } from './complete-service.ts'

export interface ImageSlices {
  /** The name of the image, with its tag. */
  readonly image: string
  /** Several if services share the image; the name of the pod then selects one. */
  readonly slices: readonly ServiceSlice[]
}

const protocolsOf = ({ behaviour }: ServiceTopology, { services }: Topology): ServiceSlice['protocols'] =>
  Object.fromEntries(
    Object.entries(behaviour.upstreams ?? {}).flatMap(([name, upstream]) => {
      const upstreamService = services[name]
      if (upstreamService === undefined) return []
      const port = servicePort(upstreamService, name)
      const { protocol, rpc, register } = upstreamService.behaviour
      return [
        [
          name,
          {
            protocol: upstream.protocol ?? protocol,
            ...defined({ rpc, port, registeredAs: register?.as }),
          },
        ],
      ]
    }),
  )

const releasesOf = (
  { behaviour, deploy }: ServiceTopology,
  tag: string,
): Readonly<Record<string, Release>> => ({
  ...deploy.releases,
  [tag]: defined({ defects: behaviour.defects }),
})

/**
 * Returns an entry for each tag that any service of an image has. Services without a release of that tag have
 * no defects in it.
 */
export const toSlices = (topology: Topology): ImageSlices[] => {
  const byRepository = new Map<string, { name: string; service: ServiceTopology; tag: string }[]>()
  for (const [name, service] of Object.entries(topology.services)) {
    const { repository, tag = 'latest' } = splitImage(service.deploy.image)
    byRepository.set(repository, [...(byRepository.get(repository) ?? []), { name, service, tag }])
  }
  return [...byRepository].flatMap(([repository, sharingServices]) => {
    const tags = new Set(
      sharingServices.flatMap(({ service, tag }) => [tag, ...Object.keys(releasesOf(service, tag))]),
    )
    return [...tags].map((release) => ({
      image: `${repository}:${release}`,
      slices: sharingServices.map(({ name, service, tag }): ServiceSlice => {
        const { defects: _, ...behaviour } = service.behaviour
        const { defects } = releasesOf(service, tag)[release] ?? {}
        return {
          system: topology.system,
          service: name,
          release,
          behaviour: { ...behaviour, ...defined({ defects }) },
          protocols: protocolsOf(service, topology),
        }
      }),
    }))
  })
}

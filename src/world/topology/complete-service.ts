/** Adds the defaults of a service: ports, image, releases, Kubernetes Service, probe and upstreams. */
import { defined } from '#kit'
import type { Behaviour, Deployment, KubeObject, ServiceTopology } from '#spec'
import { callSitesOf } from './call-sites.ts'
import { defaultReleases } from './default-releases.ts'
import type { ParsedDeploy } from './deploy-schema.ts'
import { defaultPort, listeningPort } from './listening-port.ts'
import type { ParsedService } from './service-schema.ts'

const DEFAULT_TAG = '1.0.0'

/** Splits `registry:5000/shop/cart:1.2` before the tag. */
export const splitImage = (image: string): { repository: string; tag: string | undefined } => {
  const colon = image.indexOf(':', image.lastIndexOf('/') + 1)
  return colon < 0
    ? { repository: image, tag: undefined }
    : { repository: image.slice(0, colon), tag: image.slice(colon + 1) }
}

/** All upstreams that the service calls or names, including those without settings. */
const upstreamsOf = (behaviour: Behaviour): NonNullable<Behaviour['upstreams']> => {
  const declared = behaviour.upstreams ?? {}
  const registries = Object.values(declared).map(({ registry }) => registry)
  const brokers = Object.values(behaviour.consumes ?? {}).map(({ from }) => from)
  const used = [
    ...callSitesOf(behaviour).map(({ to }) => to),
    ...[...registries, behaviour.register?.in, ...brokers].filter((to) => to !== undefined),
  ]
  return { ...Object.fromEntries(used.map((to) => [to, {}])), ...declared }
}

const withoutFalse = (deploy: ParsedDeploy): Omit<Deployment, 'image'> =>
  Object.fromEntries(
    Object.entries(deploy).filter(([, value]) => value !== undefined && value !== false),
  ) as Omit<Deployment, 'image'>

const isHandler = (key: string): boolean => ['exec', 'httpGet', 'tcpSocket', 'grpc'].includes(key)

/** A probe without a handler checks the port. */
const readinessProbeOf = (
  probe: ParsedDeploy['readinessProbe'],
  port: number | undefined,
): object | undefined => {
  if (probe === false) return undefined
  if (probe !== undefined && Object.keys(probe).some(isHandler)) return probe
  return { tcpSocket: { port }, periodSeconds: 1, ...probe }
}

const deploymentOf = (
  system: string,
  name: string,
  deploy: ParsedDeploy,
  behaviour: Behaviour,
): Deployment => {
  const { repository, tag = DEFAULT_TAG } = splitImage(deploy.image ?? `${system}/${name}`)
  const port = listeningPort(behaviour, deploy)
  const ports = deploy.ports ?? (port === undefined ? [] : [port])
  const mainPort = port ?? ports[0]
  const labels = deploy.labels ?? { app: name }
  const spec = {
    type: 'ClusterIP',
    selector: labels,
    ports: [{ name: behaviour.protocol, port: mainPort, targetPort: mainPort }],
  }
  return {
    releases: defaultReleases(tag, behaviour),
    services: mainPort === undefined ? [] : [{ name, spec }],
    ...withoutFalse(deploy),
    readinessProbe: readinessProbeOf(deploy.readinessProbe, mainPort),
    image: `${repository}:${tag}`,
    ports,
    labels,
  } as Deployment
}

export const completeService = (system: string, name: string, parsed: ParsedService): ServiceTopology => {
  const { about, behaviour: declared, deploy } = parsed
  const { protocol, rpc = protocol === 'grpc' || protocol === 'thrift' ? name : undefined } = declared
  const behaviour: Behaviour = {
    ...declared,
    listen: declared.listen ?? String(defaultPort(protocol)),
    ...defined({ rpc }),
    upstreams: upstreamsOf(declared),
  }
  return { about: about ?? name, behaviour, deploy: deploymentOf(system, name, deploy, behaviour) }
}

export type KubeService = NonNullable<Deployment['services']>[number]

/** The ports of a Kubernetes Service. */
export const portsOf = ({ spec }: KubeService): readonly number[] =>
  ((spec as KubeObject<'Service'>['spec'])?.ports ?? []).map(({ port }) => port)

/**
 * The port that callers use: the first port of the Service with this name, else of the first Service, else of
 * the container.
 */
export const servicePort = ({ deploy }: ServiceTopology, name: string): number | undefined => {
  const { services = [] } = deploy
  const service = services.find((candidate) => candidate.name === name) ?? services[0]
  return (service === undefined ? undefined : portsOf(service)[0]) ?? deploy.ports?.[0]
}

/** Gives a service what it did not say: ports, image, releases, Kubernetes Service, probe, the upstreams it calls. */
import type { Behaviour, Deployment, ServiceTopology } from '../spec/index.ts'
import { callSitesOf } from './call-sites.ts'
import { defaultReleases } from './default-releases.ts'
import type { ParsedDeploy } from './deploy-schema.ts'
import { listeningPort, usualPort } from './listening-port.ts'
import type { ParsedService } from './service-schema.ts'

const FIRST_VERSION = '1.0.0'

/** Splits `registry:5000/shop/cart:1.2` before the tag. */
export const splitImage = (image: string): { repository: string; tag: string | undefined } => {
  const colon = image.indexOf(':', image.lastIndexOf('/') + 1)
  return colon < 0
    ? { repository: image, tag: undefined }
    : { repository: image.slice(0, colon), tag: image.slice(colon + 1) }
}

/** All whom it calls or names, those without settings of their own too. */
const upstreamsOf = (behaviour: Behaviour): NonNullable<Behaviour['upstreams']> => {
  const named = behaviour.upstreams ?? {}
  const registries = Object.values(named).map(({ registry }) => registry)
  const brokers = Object.values(behaviour.consumes ?? {}).map(({ from }) => from)
  const used = [
    ...callSitesOf(behaviour).map(({ to }) => to),
    ...[...registries, behaviour.register?.in, ...brokers].filter((to) => to !== undefined),
  ]
  return { ...Object.fromEntries(used.map((to) => [to, {}])), ...named }
}

const withoutFalse = (deploy: ParsedDeploy): Omit<Deployment, 'image'> =>
  Object.fromEntries(
    Object.entries(deploy).filter(([, value]) => value !== undefined && value !== false),
  ) as Omit<Deployment, 'image'>

const isHandler = (key: string): boolean => ['exec', 'httpGet', 'tcpSocket', 'grpc'].includes(key)

/** One that says times only is about the port. */
const readinessOf = (said: ParsedDeploy['readinessProbe'], port: number | undefined): object | undefined => {
  if (said === false) return undefined
  if (said !== undefined && Object.keys(said).some(isHandler)) return said
  return { tcpSocket: { port }, periodSeconds: 1, ...said }
}

const deploymentOf = (
  system: string,
  name: string,
  deploy: ParsedDeploy,
  behaviour: Behaviour,
): Deployment => {
  const { repository, tag = FIRST_VERSION } = splitImage(deploy.image ?? `${system}/${name}`)
  const port = listeningPort(behaviour, deploy)
  const ports = deploy.ports ?? (port === undefined ? [] : [port])
  const first = port ?? ports[0]
  const labels = deploy.labels ?? { app: name }
  const own = {
    type: 'ClusterIP',
    selector: labels,
    ports: [{ name: behaviour.wire, port: first, targetPort: first }],
  }
  return {
    releases: defaultReleases(tag, behaviour),
    services: first === undefined ? [] : [{ name, spec: own }],
    ...withoutFalse(deploy),
    readinessProbe: readinessOf(deploy.readinessProbe, first),
    image: `${repository}:${tag}`,
    ports,
    labels,
  } as Deployment
}

export const completeService = (system: string, name: string, parsed: ParsedService): ServiceTopology => {
  const { about, behaviour: said, deploy } = parsed
  const behaviour: Behaviour = {
    ...said,
    listen: said.listen ?? String(usualPort(said.wire)),
    ...(said.rpc === undefined && (said.wire === 'grpc' || said.wire === 'thrift') ? { rpc: name } : {}),
    upstreams: upstreamsOf(said),
  }
  return { about: about ?? name, behaviour, deploy: deploymentOf(system, name, deploy, behaviour) }
}

/** Where callers find it: the first port of the Service with its name, or of its first one. */
export const servicePort = ({ deploy }: ServiceTopology, name: string): number | undefined => {
  const services = (deploy.services ?? []) as readonly {
    name: string
    spec: { ports?: readonly { port: number }[] }
  }[]
  const own = services.find((service) => service.name === name) ?? services[0]
  return own?.spec.ports?.[0]?.port ?? deploy.ports?.[0]
}

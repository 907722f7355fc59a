/** Understands a topology: every service with its templates, all that is not said, and every mistake at its place. */
import { checkDocument, type LocatedYaml } from '../kit/index.ts'
import type { ServiceTopology, Topology } from '../spec/index.ts'
import { failWith } from '../workload/index.ts'
import { checkCalls, guess, type Tell } from './check-calls.ts'
import { checkDeploy, type KnownData, knownData } from './check-deploy.ts'
import { checkEndpoints, checkReleases } from './check-endpoints.ts'
import { checkExpressions } from './check-expressions.ts'
import { completeService } from './complete-service.ts'
import { mergeTemplates } from './merge-templates.ts'
import { type ParsedService, serviceSchema } from './service-schema.ts'
import { label, readSources, type SourceFile, type TopologySources } from './topology-sources.ts'

interface ReadService {
  readonly name: string
  readonly parsed: ParsedService
  readonly document: LocatedYaml
  readonly complete: ServiceTopology
}

const readServices = (sources: TopologySources, mistakes: string[]): Map<string, ReadService> => {
  const services = new Map<string, ReadService>()
  for (const [name, part] of sources.services) {
    if (!label.safeParse(name).success)
      mistakes.push(part.document.mistakeAt(part.under, 'has a name that Kubernetes does not take'))
    const document = mergeTemplates(part, sources.templates, mistakes)
    const reading = checkDocument(serviceSchema, document)
    if ('mistakes' in reading) mistakes.push(...reading.mistakes)
    else {
      const complete = completeService(sources.head.system, name, reading.value)
      services.set(name, { name, parsed: reading.value, document, complete })
    }
  }
  return services
}

const checkService = (
  { name, parsed, document, complete }: ReadService,
  services: Readonly<Record<string, ServiceTopology>>,
  known: KnownData,
): string[] => {
  const mistakes: string[] = []
  const tell: Tell = (path, text) => mistakes.push(document.mistakeAt(path, text))
  checkEndpoints(parsed.behaviour, tell)
  checkReleases(parsed.behaviour, parsed.deploy, tell)
  checkExpressions(parsed.behaviour, tell)
  checkCalls(parsed.behaviour, services, tell)
  checkDeploy(name, parsed.deploy, known, tell)
  if (parsed.deploy.ports === undefined && complete.deploy.ports?.length === 0 && mistakes.length === 0)
    tell(
      ['listen'],
      'gives no port, 1 to 65535, from the environment alone: mend it, or name the port in "deploy.ports"',
    )
  return mistakes
}

type KubeService = NonNullable<ServiceTopology['deploy']['services']>[number]

const portsOf = ({ spec }: KubeService): readonly number[] =>
  ((spec as { ports?: readonly { port: number }[] }).ports ?? []).map(({ port }) => port)

const checkEntryPoints = ({ entryPoints }: Topology, known: readonly KubeService[], document: LocatedYaml) =>
  entryPoints.flatMap(({ name, service, port }, index) => {
    const mistakes: string[] = []
    const tell: Tell = (path, text) =>
      mistakes.push(document.mistakeAt(['entryPoints', index, ...path], text))
    if (entryPoints.slice(0, index).some((earlier) => earlier.name === name))
      tell(['name'], `is "${name}" a second time`)
    const found = known.find((one) => one.name === service)
    const names = known.map((one) => one.name)
    if (found === undefined)
      tell(['service'], `names "${service}", which is no Service${guess(service, names)}`)
    else if (!portsOf(found).includes(port))
      tell(['port'], `is ${port}, and the Service "${service}" has ${portsOf(found).join(', ')}`)
    return mistakes
  })

const checkServiceNames = (services: Topology['services'], document: LocatedYaml): string[] => {
  const owners = new Map<string, string>()
  return Object.entries(services).flatMap(([owner, { deploy }]) =>
    (deploy.services ?? []).flatMap(({ name }) => {
      const earlier = owners.get(name)
      owners.set(name, owner)
      return earlier === undefined
        ? []
        : [document.mistakeAt(['services', owner], `has a Service "${name}", as "${earlier}" has`)]
    }),
  )
}

/** Where no door is named: the first service that browsers can speak to. */
const defaultEntryPoints = (services: Topology['services']): Topology['entryPoints'] => {
  const found = Object.entries(services).find(
    ([, { behaviour, deploy }]) => behaviour.wire === 'http' && (deploy.services ?? []).length > 0,
  )
  const service = found?.[1].deploy.services?.[0]
  const port = service === undefined ? undefined : portsOf(service)[0]
  return found === undefined || service === undefined || port === undefined
    ? []
    : [{ name: found[0], service: service.name, port, path: '/' }]
}

/** Throws with all mistakes, each with file, line and path. `others` are files of one service each, by its name. */
export const parseTopology = (
  text: string,
  file: string,
  others: Readonly<Record<string, SourceFile>> = {},
): Topology => {
  const sources = readSources({ file, text }, others)
  if ('head' in sources === false) return failWith(sources.mistakes)
  const mistakes = [...sources.mistakes]
  const read = readServices(sources, mistakes)
  if (mistakes.length > 0) return failWith([...new Set(mistakes)])
  const services = Object.fromEntries([...read].map(([name, { complete }]) => [name, complete]))
  const { system, about = `The system ${system}`, namespace = system, objects = [] } = sources.head
  const entryPoints = (sources.head.entryPoints ?? defaultEntryPoints(services)) as Topology['entryPoints']
  const topology: Topology = { system, about, namespace, services, objects, entryPoints }
  const kubeServices = Object.values(services).flatMap(({ deploy }) => deploy.services ?? [])
  const known = knownData(objects, namespace)
  mistakes.push(
    ...[...read.values()].flatMap((service) => checkService(service, services, known)),
    ...checkServiceNames(services, sources.document),
    ...checkEntryPoints(topology, kubeServices, sources.document),
  )
  return mistakes.length > 0 ? failWith([...new Set(mistakes)]) : topology
}

/** Parses a topology: merges templates, adds defaults, and reports every mistake with its location. */
import { checkDocument, type LocatedYaml } from '#kit'
import type { ServiceTopology, Topology } from '#spec'
import { failWith } from '#world/workload'
import { checkCalls, type ReportMistake, suggest } from './check-calls.ts'
import { checkDeploy, type DataKeys, listDataKeys } from './check-deploy.ts'
import { checkEndpoints, checkReleases } from './check-endpoints.ts'
import { checkExpressions } from './check-expressions.ts'
import { completeService, type KubeService, portsOf } from './complete-service.ts'
import { mergeTemplates } from './merge-templates.ts'
import { type ParsedService, serviceSchema } from './service-schema.ts'
import {
  label,
  readSources,
  type SourceFile,
  type TopologySources,
  topologySchema,
} from './topology-sources.ts'

interface LoadedService {
  readonly name: string
  readonly parsed: ParsedService
  readonly document: LocatedYaml
  readonly complete: ServiceTopology
}

const readServices = (sources: TopologySources, mistakes: string[]): Map<string, LoadedService> => {
  const services = new Map<string, LoadedService>()
  for (const [name, part] of sources.services) {
    if (!label.safeParse(name).success)
      mistakes.push(part.document.mistakeAt(part.path, 'has a name that is not valid in Kubernetes'))
    const document = mergeTemplates(part, sources.templates, mistakes)
    const reading = checkDocument(serviceSchema, document, {
      schema: topologySchema,
      path: ['services', name],
    })
    if ('mistakes' in reading) mistakes.push(...reading.mistakes)
    else {
      const complete = completeService(sources.head.system, name, reading.value)
      services.set(name, { name, parsed: reading.value, document, complete })
    }
  }
  return services
}

const checkService = (
  { name, parsed, document, complete }: LoadedService,
  services: Readonly<Record<string, ServiceTopology>>,
  dataKeys: DataKeys,
): string[] => {
  const mistakes: string[] = []
  const report: ReportMistake = (path, text) => mistakes.push(document.mistakeAt(path, text))
  checkEndpoints(parsed.behaviour, report)
  checkReleases(parsed.behaviour, parsed.deploy, report)
  checkExpressions(parsed.behaviour, report)
  checkCalls(parsed.behaviour, services, report)
  checkDeploy(name, parsed.deploy, dataKeys, report)
  if (parsed.deploy.ports === undefined && complete.deploy.ports?.length === 0 && mistakes.length === 0)
    report(
      ['listen'],
      'does not evaluate to a port, 1 to 65535, from the environment alone: name the port in "deploy.ports"',
    )
  return mistakes
}

const checkEntryPoints = (
  { entryPoints }: Topology,
  services: readonly KubeService[],
  document: LocatedYaml,
) =>
  entryPoints.flatMap(({ name, service, port }, index) => {
    const mistakes: string[] = []
    const report: ReportMistake = (path, text) =>
      mistakes.push(document.mistakeAt(['entryPoints', index, ...path], text))
    if (entryPoints.slice(0, index).some((earlier) => earlier.name === name))
      report(['name'], `must be unique, but "${name}" is used twice`)
    const match = services.find((candidate) => candidate.name === service)
    const names = services.map((candidate) => candidate.name)
    if (match === undefined)
      report(['service'], `names "${service}", which is not a Service${suggest(service, names)}`)
    else if (!portsOf(match).includes(port))
      report(['port'], `is ${port}, but the Service "${service}" has ${portsOf(match).join(', ')}`)
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
        : [document.mistakeAt(['services', owner], `has a Service "${name}", which "${earlier}" also has`)]
    }),
  )
}

/** The default entry point is the first HTTP service with a Kubernetes Service. */
const defaultEntryPoints = (services: Topology['services']): Topology['entryPoints'] => {
  const match = Object.entries(services).find(
    ([, { behaviour, deploy }]) => behaviour.protocol === 'http' && (deploy.services ?? []).length > 0,
  )
  const service = match?.[1].deploy.services?.[0]
  const port = service === undefined ? undefined : portsOf(service)[0]
  return match === undefined || service === undefined || port === undefined
    ? []
    : [{ name: match[0], service: service.name, port, path: '/' }]
}

/** `serviceFiles` has one file per service. Throws an error that lists all mistakes with their locations. */
export const parseTopology = (
  text: string,
  file: string,
  serviceFiles: Readonly<Record<string, SourceFile>> = {},
): Topology => {
  const sources = readSources({ file, text }, serviceFiles)
  if ('head' in sources === false) return failWith(sources.mistakes)
  const mistakes = [...sources.mistakes]
  const loaded = readServices(sources, mistakes)
  if (mistakes.length > 0) return failWith([...new Set(mistakes)])
  const services = Object.fromEntries([...loaded].map(([name, { complete }]) => [name, complete]))
  const { system, about = `The system ${system}`, namespace = system, objects = [] } = sources.head
  const entryPoints = (sources.head.entryPoints ?? defaultEntryPoints(services)) as Topology['entryPoints']
  const topology: Topology = { system, about, namespace, services, objects, entryPoints }
  const kubeServices = Object.values(services).flatMap(({ deploy }) => deploy.services ?? [])
  const dataKeys = listDataKeys(objects, namespace)
  mistakes.push(
    ...[...loaded.values()].flatMap((service) => checkService(service, services, dataKeys)),
    ...checkServiceNames(services, sources.document),
    ...checkEntryPoints(topology, kubeServices, sources.document),
  )
  return mistakes.length > 0 ? failWith([...new Set(mistakes)]) : topology
}

/** `npm run survey SYSTEM`: measures which journeys each service of a system affects, and writes its `impact.yaml`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { yamlLibrary } from '#kit'
import { createLocalEngine } from '#platform/engines/local'
import type { EngineCluster, Impact, System } from '#spec'
import { createSystemView } from '#world/system-view'
import { listSystemNames, loadSystem } from '#world/systems'
import { createFleet, type Fleet } from './survey/fleet.ts'
import { IMPACT_KINDS, type ImpactKind, openImpactSurvey } from './survey/impact-survey.ts'
import { createServiceBreaker } from './survey/service-breaker.ts'
import { surveyTraces } from './survey/survey-traces.ts'

const ABOUT = `# The journeys of the default load that each service affects if it is unavailable (down), or if each of its responses takes a
# second longer (slow). Of the slow ones: those in which the oracles detect impact if the CPU of one of the service's pods is
# exhausted (starved), or if half of its packets are lost (lossy).`
const measuredHeader = (name: string): string => `${ABOUT}
# Measured by \`npm run survey ${name}\`, which writes this file: do not edit.
`
const tracedHeader = (name: string): string => `${ABOUT}
# Written by \`npm run survey ${name} -- --traces\`: \`down\` and \`slow\` are derived from traces; the others are measured.
`

const toText = (header: string, impact: Readonly<Record<string, Impact>>): string => {
  const { Document, visit } = yamlLibrary()
  const document = new Document(impact)
  visit(document, {
    Seq: (_, list) => {
      list.flow = true
    },
  })
  return header + document.toString({ lineWidth: 110, flowCollectionPadding: false })
}

interface SurveyOptions {
  readonly name: string
  /** All services if empty. */
  readonly services: readonly string[]
  /** Whether `down` and `slow` are derived from traces. */
  readonly traces: boolean
  /** The kinds to measure, while the others stay unchanged; all kinds if empty. */
  readonly kinds: readonly ImpactKind[]
}

/** Rounds of all journeys before the first measurement: with cold caches, the usual latency would be too high. */
const WARM_ROUNDS = 4

/** A restarted registry is empty, and running services do not register again: registries come last. */
const sortRegistriesLast = ({ topology }: System, services: readonly string[]): string[] => {
  const behaviours = Object.values(topology?.services ?? {}).map(({ behaviour }) => behaviour)
  const registries = new Set(behaviours.map(({ register }) => register?.in))
  return [...services].sort((one, other) => Number(registries.has(one)) - Number(registries.has(other)))
}

/** The impact of an unavailable or slow service. */
type StrongImpact = Omit<Impact, ImpactKind>

interface Setting {
  readonly system: System
  readonly cluster: EngineCluster
  /** The surveyed services. */
  readonly services: readonly string[]
}

const reportDuration = async <T>(
  service: string,
  measure: () => Promise<T>,
  describe: (found: T) => string,
): Promise<T> => {
  const started = performance.now()
  const found = await measure()
  console.log(`${service} (${((performance.now() - started) / 1000).toFixed(1)} s): ${describe(found)}`)
  return found
}

/** Resolves to the journeys that one service affects if it is unavailable or slow. */
const breakService = async (
  { system, cluster }: Setting,
  fleet: Fleet,
  service: string,
): Promise<StrongImpact> => {
  await fleet.runUntilHealthy()
  const breaker = await createServiceBreaker(cluster.api, createSystemView(system))
  const revert = await breaker.slowDown(service)
  const slow = await fleet.findAffected()
  await revert()
  await breaker.takeDown(service)
  const down = await fleet.findAffected()
  await cluster.reset()
  return { down, slow }
}

const breakServices = async (setting: Setting): Promise<Record<string, StrongImpact>> => {
  const fleet = createFleet(setting.system.workload!, setting.cluster.entryPoints)
  const impact: Record<string, StrongImpact> = {}
  try {
    for (let round = 0; round < WARM_ROUNDS; round += 1) await fleet.runUntilHealthy()
    for (const service of sortRegistriesLast(setting.system, setting.services))
      impact[service] = await reportDuration(
        service,
        () => breakService(setting, fleet, service),
        ({ down, slow }) => `down ${down.join(' ') || '-'} | slow ${slow.join(' ') || '-'}`,
      )
  } finally {
    fleet.close()
  }
  return impact
}

/** Resolves to the journeys that each service affects if it is unavailable or slow; to the known ones if `kinds` is not empty. */
const measureStrongImpact = async (
  setting: Setting,
  { traces, kinds }: SurveyOptions,
): Promise<Record<string, StrongImpact>> => {
  const { system, cluster, services } = setting
  if (kinds.length > 0 && system.impact !== undefined) return system.impact
  return traces ? surveyTraces(system, cluster, services) : breakServices(setting)
}

/** Calls `write` after each measurement, so that an interruption loses none. */
const surveyServices = async (
  setting: Setting,
  options: SurveyOptions,
  write: (impact: Readonly<Record<string, Impact>>) => void,
): Promise<void> => {
  const { system, cluster, services } = setting
  const strongImpact = { ...system.impact, ...(await measureStrongImpact(setting, options)) }
  const impact: Record<string, Impact> = {}
  for (const [service, { down, slow }] of Object.entries(strongImpact).sort(([one], [other]) =>
    one < other ? -1 : 1,
  )) {
    const { starved = [], lossy = [] } = system.impact?.[service] ?? {}
    impact[service] = { down, slow, starved, lossy }
  }
  write(impact)
  const survey = await openImpactSurvey(cluster, system, strongImpact)
  try {
    for (const service of services)
      for (const kind of options.kinds.length === 0 ? IMPACT_KINDS : options.kinds) {
        const journeys = await reportDuration(
          service,
          () => survey.measure(service, kind),
          (found) => `${kind} ${found.join(' ') || '-'}`,
        )
        impact[service] = { ...impact[service]!, [kind]: journeys }
        write(impact)
      }
  } finally {
    await survey.close()
  }
}

const survey = async (options: SurveyOptions): Promise<void> => {
  const { name, traces } = options
  const system = await loadSystem(name)
  const all = createSystemView(system).workloads.map(({ service }) => service)
  const services = [...new Set(options.services.length === 0 ? all : options.services)].sort()
  const cluster = await createLocalEngine().provision(system)
  try {
    const file = join(import.meta.dirname, '..', 'src', 'world', 'systems', name, 'impact.yaml')
    await surveyServices({ system, cluster, services }, options, (impact) =>
      writeFileSync(file, toText((traces ? tracedHeader : measuredHeader)(name), impact)),
    )
  } finally {
    await cluster.close()
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { traces: { type: 'boolean' }, only: { type: 'string', multiple: true } },
})
const [name, ...services] = positionals
const kinds = IMPACT_KINDS.filter((kind) => values.only?.includes(kind))
if (name === undefined || !listSystemNames().includes(name) || kinds.length < (values.only ?? []).length) {
  const systems = listSystemNames().join(', ')
  console.error(
    `Usage: npm run survey SYSTEM [SERVICE ...] [-- --traces --only KIND], where SYSTEM is one of: ${systems}
--traces derives the impact of unavailable and slow services from traces; --only ${IMPACT_KINDS.join(' or ')} measures only that kind.`,
  )
  process.exitCode = 2
} else await survey({ name, services, traces: values.traces === true, kinds })
// Abandoned journey runs would keep the process alive.
process.exit()

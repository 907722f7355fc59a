/** Surveys the services of a system on a cluster of any engine: which journeys each kind of trouble affects. */
import { createRealClock } from '#kit'
import { type EngineCluster, type Impact, inTimeOf, type System } from '#spec'
import { createSystemView } from '#world/system-view'
import { createFleet, type Fleet } from './fleet.ts'
import { IMPACT_KINDS, type ImpactKind, openImpactSurvey } from './impact-survey.ts'
import { createServiceBreaker } from './service-breaker.ts'
import { surveyTraces } from './survey-traces.ts'

/** Rounds of all journeys before the first measurement: with cold caches, the usual latency would be too high. */
const WARM_ROUNDS = 4

export interface SurveySetting {
  readonly system: System
  readonly cluster: EngineCluster
  readonly engine: string
  /** The surveyed services. */
  readonly services: readonly string[]
  /** Whether `down` and `slow` are derived from traces. */
  readonly traces: boolean
  /** The kinds to measure, while the others stay unchanged; all kinds if empty. */
  readonly kinds: readonly ImpactKind[]
  /** Receives descriptions of progress. */
  report(line: string): void
  /** Receives the impact of all services after each measurement, so that an interruption loses none. */
  write?(impact: Readonly<Record<string, Impact>>): void
}

/** The impact of an unavailable or slow service. */
type StrongImpact = Omit<Impact, ImpactKind>

/** A restarted registry is empty, and running services do not register again: registries come last. */
const sortRegistriesLast = ({ topology }: System, services: readonly string[]): string[] => {
  const behaviours = Object.values(topology?.services ?? {}).map(({ behaviour }) => behaviour)
  const registries = new Set(behaviours.map(({ register }) => register?.in))
  return [...services].sort((one, other) => Number(registries.has(one)) - Number(registries.has(other)))
}

const clockOf = ({ cluster }: Pick<SurveySetting, 'cluster'>) =>
  cluster.clock ?? createRealClock({ keepsAlive: true })

const reportDuration = async <T>(
  { report }: SurveySetting,
  service: string,
  measure: () => Promise<T>,
  describe: (found: T) => string,
): Promise<T> => {
  const started = performance.now()
  const found = await measure()
  report(`${service} (${((performance.now() - started) / 1000).toFixed(1)} s): ${describe(found)}`)
  return found
}

/** Resolves to the journeys that one service affects if it is unavailable or slow. */
const breakService = async (setting: SurveySetting, fleet: Fleet, service: string): Promise<StrongImpact> => {
  const { system, cluster } = setting
  await fleet.runUntilHealthy()
  const breaker = await createServiceBreaker(cluster.api, createSystemView(system), clockOf(setting))
  const revert = await breaker.slowDown(service)
  const slow = await fleet.findAffected()
  await revert()
  await breaker.takeDown(service)
  const down = await fleet.findAffected()
  await cluster.reset()
  return { down, slow }
}

const breakServices = async (setting: SurveySetting): Promise<Record<string, StrongImpact>> => {
  const { system, cluster, services } = setting
  const fleet = createFleet(system.workload!, cluster, clockOf(setting))
  const impact: Record<string, StrongImpact> = {}
  try {
    for (let round = 0; round < WARM_ROUNDS; round += 1) await fleet.runUntilHealthy()
    for (const service of sortRegistriesLast(system, services))
      impact[service] = await reportDuration(
        setting,
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
const measureStrongImpact = async (setting: SurveySetting): Promise<Record<string, StrongImpact>> => {
  const { system, kinds, services, traces } = setting
  if (kinds.length > 0 && system.impact !== undefined) return system.impact
  return traces ? surveyTraces({ ...setting, clock: clockOf(setting) }, services) : breakServices(setting)
}

const survey = async (setting: SurveySetting): Promise<Record<string, Impact>> => {
  const { system, services, kinds, report, write = () => {} } = setting
  const strongImpact = { ...system.impact, ...(await measureStrongImpact(setting)) }
  const impact: Record<string, Impact> = {}
  for (const [service, { down, slow }] of Object.entries(strongImpact).sort(([one], [other]) =>
    one < other ? -1 : 1,
  )) {
    const { starved = [], lossy = [] } = system.impact?.[service] ?? {}
    impact[service] = { down, slow, starved, lossy }
  }
  write(impact)
  const weak = await openImpactSurvey({ ...setting, strongImpact })
  try {
    for (const service of services)
      for (const kind of kinds.length === 0 ? IMPACT_KINDS : kinds) {
        const journeys = await reportDuration(
          setting,
          service,
          () => weak.measure(service, kind, report),
          (found) => `${kind} ${found.join(' ') || '-'}`,
        )
        impact[service] = { ...impact[service]!, [kind]: journeys }
        write(impact)
      }
  } finally {
    await weak.close()
  }
  return impact
}

/** Resolves to the impact of all services of the system. Those that were not surveyed keep their known impact. */
export const surveyServices = (setting: SurveySetting): Promise<Record<string, Impact>> =>
  inTimeOf(setting.cluster, () => survey(setting))

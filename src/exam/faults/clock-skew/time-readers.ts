/** Finds services that depend on the time: those that issue tokens, and those that reject expired data. */
import { requiredEndpoints } from '#exam/fault-parts'
import type { Endpoint, FaultTarget, Step, SystemView } from '#spec'

/** Longer than the validity of anything that users present, such as a card. */
const FAR_AHEAD_HOURS = 150_000

const SECONDS_PER_HOUR = 3600

/** `token({...}, 3600)`: the claims, and the lifetime in seconds. */
const TOKEN = /\btoken\(\{.*\}, (\d+)\)/

const allSteps = (steps: readonly Step[]): readonly Step[] =>
  steps.flatMap((step) => {
    if ('do' in step) return [step, ...allSteps(step.do)]
    return 'parallel' in step ? [step, ...allSteps(step.parallel)] : [step]
  })

const dependsOnTime = (expression: string, names: ReadonlySet<string>): boolean =>
  /\bnow\(\)/.test(expression) || (expression.match(/\b\w+\b/g) ?? []).some((word) => names.has(word))

/** Whether the endpoint fails under a condition that depends on the time. */
const hasTimeDependentFailure = ({ steps = [] }: Endpoint): boolean => {
  const timeNames = new Set<string>()
  return allSteps(steps).some((step) => {
    if ('set' in step)
      for (const [name, expression] of Object.entries(step.set))
        if (dependsOnTime(String(expression), timeNames)) timeNames.add(name)
    const { when } = step as { when?: unknown }
    return 'fail' in step && when !== undefined && dependsOnTime(String(when), timeNames)
  })
}

/** Whether any service of the system requires tokens. */
const areTokensRequired = ({ topology }: SystemView): boolean =>
  Object.values(topology?.services ?? {}).some(({ behaviour: { tokenKey, access = [] } }) => {
    return tokenKey !== undefined && access.some(({ allow }) => allow !== 'anyone')
  })

/** The clock offset in hours from which requests are rejected; undefined if the time does not matter. */
const minOffsetHours = (system: SystemView, service: string): number | undefined => {
  const endpoints = requiredEndpoints(system, service)
  if (endpoints.some(hasTimeDependentFailure)) return FAR_AHEAD_HOURS
  const lifetime = TOKEN.exec(JSON.stringify(endpoints).replaceAll('\\"', '"'))?.[1]
  // With this offset, even new tokens are twice as old as their lifetime.
  return lifetime === undefined || !areTokensRequired(system)
    ? undefined
    : (-2 * Number(lifetime)) / SECONDS_PER_HOUR
}

/** Services with one replica, and the clock offset that users notice: `{service: 'ts-auth-service', hours: -2}`. */
export const timeReaders = (system: SystemView): readonly FaultTarget[] =>
  system.workloads.flatMap(({ service, replicas }) => {
    if (replicas !== 1 || system.impactOf(service).down.length === 0) return []
    const hours = minOffsetHours(system, service)
    return hours === undefined ? [] : [{ service, hours }]
  })

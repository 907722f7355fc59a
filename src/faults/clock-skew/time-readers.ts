/** Services to whom it matters what time it is, by what they compute: who gives tokens, and who refuses what is too old. */
import { askedEndpoints } from '../../fault-parts/index.ts'
import type { Endpoint, FaultTarget, Step, SystemView } from '../../spec/index.ts'

/** Nothing that users hold, be it a card, is good for seventeen years more. */
const FAR_AHEAD_HOURS = 150_000

const SECONDS_OF_HOUR = 3600

/** `token({...}, 3600)`: what it says, and for how many seconds it is good. */
const TOKEN = /\btoken\(\{.*\}, (\d+)\)/

const allSteps = (steps: readonly Step[]): readonly Step[] =>
  steps.flatMap((step) => {
    if ('do' in step) return [step, ...allSteps(step.do)]
    return 'parallel' in step ? [step, ...allSteps(step.parallel)] : [step]
  })

const mentions = (expression: string, names: ReadonlySet<string>): boolean =>
  /\bnow\(\)/.test(expression) || (expression.match(/\b\w+\b/g) ?? []).some((word) => names.has(word))

/** Whether it fails by a condition in which the time has a part. */
const refusesByTime = ({ steps = [] }: Endpoint): boolean => {
  const ofTime = new Set<string>()
  return allSteps(steps).some((step) => {
    if ('set' in step)
      for (const [name, expression] of Object.entries(step.set))
        if (mentions(String(expression), ofTime)) ofTime.add(name)
    const { when } = step as { when?: unknown }
    return 'fail' in step && when !== undefined && mentions(String(when), ofTime)
  })
}

/** Whether somebody lets in only those who show a token. */
const isTokenAsked = ({ topology }: SystemView): boolean =>
  Object.values(topology?.services ?? {}).some(({ behaviour: { tokenKey, access = [] } }) => {
    return tokenKey !== undefined && access.some(({ allow }) => allow !== 'anyone')
  })

/** By how many hours the clock must be wrong for somebody to be turned away; nothing where it does not matter. */
const hoursOf = (system: SystemView, service: string): number | undefined => {
  const endpoints = askedEndpoints(system, service)
  if (endpoints.some(refusesByTime)) return FAR_AHEAD_HOURS
  const life = TOKEN.exec(JSON.stringify(endpoints).replaceAll('\\"', '"'))?.[1]
  // Tokens that are twice as old as they may be when they are given.
  return life === undefined || !isTokenAsked(system) ? undefined : (-2 * Number(life)) / SECONDS_OF_HOUR
}

/** `{service: 'ts-auth-service', hours: -2}` */
export const timeReaders = (system: SystemView): readonly FaultTarget[] =>
  system.workloads.flatMap(({ service, replicas }) => {
    if (replicas !== 1 || system.impactOf(service).down.length === 0) return []
    const hours = hoursOf(system, service)
    return hours === undefined ? [] : [{ service, hours }]
  })

/** The steps in which a service calls another, with the operation of each. */
import type { YamlPath } from '#kit'
import type { Behaviour, QueryStep, Step } from '#spec'
import { listStepLists, listSteps } from './list-steps.ts'

export interface CallSite {
  readonly to: string
  /** `GetCart`, `POST /order/{id}`, `SELECT`, `HGET`, `publish food_delivery`, `proxy`. */
  readonly operation: string
  /** Where the call is made: an endpoint, a queue, a background task or `start`. */
  readonly endpoint: string
  readonly critical: boolean
  readonly step: Step
  /** The path of the step in the service. */
  readonly path: YamlPath
}

/** Splits `orders POST /order/{id}`. */
export const splitCall = (call: string): { to: string; operation: string } => {
  const space = call.indexOf(' ')
  return { to: call.slice(0, space), operation: call.slice(space + 1) }
}

const unquote = (source: string | undefined): string => (source ?? '').replace(/["']/g, '').trim()

const queryOperation = (step: QueryStep): string => {
  if (step.sql !== undefined) return (step.sql.trim().split(/\s/)[0] ?? '').toUpperCase()
  if (step.publish !== undefined) return `publish ${step.publish.queue}`
  if (step.mongo !== undefined) return /^\s*\{\s*["'](\w+)/.exec(step.mongo)?.[1] ?? 'command'
  return unquote((step.redis ?? step.memcached)?.[0])
}

const targetOf = (step: Step): { to: string; operation: string } | undefined => {
  if ('call' in step) return splitCall(step.call)
  if ('proxy' in step) return { to: step.proxy, operation: 'proxy' }
  if ('query' in step && step.memory === undefined) return { to: step.query, operation: queryOperation(step) }
  return undefined
}

export const callSitesOf = (behaviour: Behaviour): CallSite[] =>
  listStepLists(behaviour).flatMap(({ name, steps, path: listPath }) =>
    listSteps(steps, listPath).flatMap(({ step, path }) => {
      const target = targetOf(step)
      const critical = !('critical' in step && step.critical === false)
      return target === undefined ? [] : [{ ...target, endpoint: name, critical, step, path }]
    }),
  )

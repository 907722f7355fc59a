/** Finds the stores that journeys always write to while users wait. */
import type { QueryStep, Step, SystemView } from '#spec'
import { requiredEndpoints } from './required-calls.ts'

const SQL_CHANGES = /^\s*(insert|update|delete|replace)\b/i
const MONGO_CHANGES = /"(insert|update|delete|findAndModify)"\s*:/
/** Matches an expression, with its quotes. */
const REDIS_READS =
  /^"(get|mget|exists|keys|ttl|ping|hget|hmget|hgetall|lrange|smembers|zcard|zrange|zrevrange)"$/i

const isWrite = ({ sql = '', mongo = '', redis = [] }: QueryStep): boolean =>
  SQL_CHANGES.test(sql) || MONGO_CHANGES.test(mongo) || (redis.length > 0 && !REDIS_READS.test(redis[0]!))

/** The stores that unconditional steps write to, if the steps must succeed. Steps over a list may not run at all. */
const writtenBy = (steps: readonly Step[]): readonly string[] =>
  steps.flatMap((step) => {
    const { when, each, critical } = step as { when?: unknown; each?: unknown; critical?: boolean }
    if (when !== undefined || each !== undefined || critical === false) return []
    if ('do' in step) return writtenBy(step.do)
    if ('parallel' in step) return writtenBy(step.parallel)
    return 'query' in step && isWrite(step) ? [step.query] : []
  })

export const writtenStores = (system: SystemView): ReadonlySet<string> =>
  new Set(
    system.workloads.flatMap(({ service }) =>
      requiredEndpoints(system, service).flatMap(({ steps = [] }) => writtenBy(steps)),
    ),
  )

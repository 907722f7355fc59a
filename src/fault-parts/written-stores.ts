/** Which stores are written to while users wait, by what the usual journeys always do. */
import type { QueryStep, Step, SystemView } from '../spec/index.ts'
import { askedEndpoints } from './asked-for.ts'

const SQL_CHANGES = /^\s*(insert|update|delete|replace)\b/i
const MONGO_CHANGES = /"(insert|update|delete|findAndModify)"\s*:/
/** With the quotes of the expression. */
const REDIS_READS =
  /^"(get|mget|exists|keys|ttl|ping|hget|hmget|hgetall|lrange|smembers|zcard|zrange|zrevrange)"$/i

const isWrite = ({ sql = '', mongo = '', redis = [] }: QueryStep): boolean =>
  SQL_CHANGES.test(sql) || MONGO_CHANGES.test(mongo) || (redis.length > 0 && !REDIS_READS.test(redis[0]!))

/** What is done in any case, and must succeed; of a list there may be nothing to do. */
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
      askedEndpoints(system, service).flatMap(({ steps = [] }) => writtenBy(steps)),
    ),
  )

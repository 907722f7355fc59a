/** Notes who failed whom. */
import type { EventLog } from './event-log.ts'
import type { LabCore } from './lab-core.ts'

/** Since `from`, milliseconds since the epoch; gives the time until which that is. */
export const observeCalls = async (
  { cluster, time }: LabCore,
  log: EventLog,
  from: number,
): Promise<number> => {
  const to = time.precise()
  await cluster.telemetry?.flush()
  const graph = (await cluster.telemetry?.query.graph({ from, to })) ?? []
  const edges = graph.map((edge) => ({
    from: edge.from,
    to: edge.to,
    count: edge.count,
    errors: edge.errors,
  }))
  log.add({ type: 'calls-observed', edges })
  return to
}

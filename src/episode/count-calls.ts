/** Who failed whom, from telemetry. */
import type { EpisodeEvent } from '../spec/index.ts'
import type { LabCore } from './lab-core.ts'

export type Calls = (EpisodeEvent & { type: 'calls-observed' })['edges']

/**
 * Since `from`, milliseconds since the epoch; `to` is the time until which they are counted. Rejects where they cannot be
 * read, which makes an episode void: to take that for no calls would hide damage.
 */
export const countCalls = async (
  { cluster, time }: Pick<LabCore, 'cluster' | 'time'>,
  from: number,
): Promise<{ readonly edges: Calls; readonly to: number }> => {
  const to = time.precise()
  await cluster.telemetry?.flush()
  const graph = (await cluster.telemetry?.query.graph({ from, to })) ?? []
  const edges = graph.map((edge) => ({
    from: edge.from,
    to: edge.to,
    count: edge.count,
    errors: edge.errors,
  }))
  return { edges, to }
}

/** Counts calls and errors between services, from telemetry. */
import type { EpisodeEvent } from '#spec'
import type { Equipment } from './equipment.ts'

export type Calls = (EpisodeEvent & { type: 'calls-observed' })['edges']

/**
 * Counts the calls from `from` until now, which is returned as `to`; both are in milliseconds since the epoch. Rejects if
 * telemetry cannot be read, which makes the episode void: an empty answer would hide damage.
 */
export const countCalls = async (
  { cluster, time }: Pick<Equipment, 'cluster' | 'time'>,
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

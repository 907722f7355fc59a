/** Cuts a dependency of a live system, and checks whether the caller fails or continues without it, as in the original. */
import { expect } from 'vitest'
import type { RequestRecord, Span } from '#spec'
import type { RecordBatch } from '#world/workload'
import { cutEdge } from './cut-edge.ts'
import type { LiveSystem } from './live-system.ts'
import { isCritical, type OriginalCall } from './original.ts'

export type Pair = readonly [from: string, to: string]

export const keyOf = ([from, to]: Pair): string => `${from} -> ${to}`

/** Finds the shortest journey for each pair of caller and callee, from one run of every journey. */
export const findJourneys = async (
  live: LiveSystem,
  { requests }: RecordBatch,
): Promise<Map<string, string>> => {
  const traces = await live.spansOf(requests)
  const stepsOf = new Map(live.system.workload!.journeys.map(({ name, steps }) => [name, steps.length]))
  const found = new Map<string, string>()
  for (const [index, { journey }] of requests.entries())
    for (const { service, peer } of traces[index]!) {
      const pair = keyOf([service, peer ?? ''])
      const known = found.get(pair)
      if (known === undefined || stepsOf.get(known)! > stepsOf.get(journey)!) found.set(pair, journey)
    }
  return found
}

interface Consequence {
  endpoint: string
  /** The operations of failed calls over the cut edge. */
  failed: string[]
  callerFailed: boolean
}

/** Returns, for each request of the caller in which a call over the edge failed, whether the caller failed. */
const findConsequences = (traces: readonly (readonly Span[])[], [from, to]: Pair): Consequence[] =>
  traces.flatMap((spans) => {
    const broken = spans.filter(
      ({ service, peer, status }) => service === from && peer === to && status === 'error',
    )
    const served = spans.filter(
      ({ service, kind }) => service === from && (kind === 'server' || kind === 'consumer'),
    )
    return served.flatMap(({ spanId, name, status }) => {
      const failed = broken.filter(({ parentId }) => parentId === spanId).map((span) => span.name)
      return failed.length === 0 ? [] : [{ endpoint: name, failed, callerFailed: status === 'error' }]
    })
  })

const MAX_RUNS = 6

export const expectSameAsOriginal = async (
  live: LiveSystem,
  { pair, journey, calls }: { pair: Pair; journey: string; calls: readonly OriginalCall[] },
): Promise<void> => {
  const [from, to] = pair
  const reconnect = await cutEdge(live.cluster, { namespace: live.system.namespace, from, to })
  try {
    // Some calls depend on the random data of the journey.
    let consequences: Consequence[] = []
    let requests: readonly RequestRecord[] = []
    for (let runs = 0; runs < MAX_RUNS && consequences.length === 0; runs += 1) {
      requests = (await live.runJourneys([journey])).requests
      consequences = findConsequences(await live.spansOf(requests), pair)
    }
    expect(
      consequences.length,
      `requests of ${from} with failed calls to ${to} in ${journey}`,
    ).toBeGreaterThan(0)
    expect(consequences).toEqual(
      consequences.map((consequence) => ({
        ...consequence,
        callerFailed: consequence.failed.some((operation) => isCritical(calls, { from, to, operation })),
      })),
    )
    // If the caller continues, users get an answer, even if its content is incomplete.
    const failed = requests.filter(({ outcome }) => outcome !== 'ok')
    if (consequences.every(({ callerFailed }) => !callerFailed))
      expect(failed.filter(({ outcome }) => outcome !== 'content')).toEqual([])
    else if (live.system.entryPoints.some(({ service }) => service === from)) expect(failed).not.toEqual([])
  } finally {
    reconnect()
  }
}

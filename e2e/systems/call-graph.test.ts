/** Compares the calls between the services of each system, during a run of every journey, with its original. */
import { afterEach, describe, expect, it } from 'vitest'
import { listSystemNames } from '#world/systems'
import { callInside } from './testing/call-inside.ts'
import { bringUp, type LiveSystem } from './testing/live-system.ts'
import { hasOriginal, readOriginal } from './testing/original.ts'

let live: LiveSystem | undefined
afterEach(async () => {
  await live?.close()
  live = undefined
})

const named = (edges: readonly { from: string; to: string }[]): string[] =>
  edges.map(({ from, to }) => `${from} -> ${to}`).sort()

const pairs = (edges: readonly (readonly [string, string])[]): string[] =>
  named(edges.map(([from, to]) => ({ from, to })))

describe.each(listSystemNames())('the call graph of %s', (name) => {
  it('equals that of the original, and every journey succeeds', async () => {
    live = await bringUp(name)
    const { requests, journeys } = await live.runJourneys()
    expect(requests.filter(({ outcome }) => outcome !== 'ok')).toEqual([])
    expect(new Set(journeys.map(({ journey }) => journey))).toEqual(
      new Set(live.system.workload!.journeys.map((journey) => journey.name)),
    )
    await callInside(live)
    // A new system has no original.
    const expected = hasOriginal(name) ? pairs(readOriginal(name).live) : named(live.system.edges!)
    expect(named(live.system.edges!)).toEqual(expected)
    // Background work (heartbeats, messages of a queue) happens later than its cause.
    await expect.poll(async () => named(await live!.cluster.telemetry!.query.graph())).toEqual(expected)
  })
})

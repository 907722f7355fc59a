/** Runs every journey of each system, and compares the calls between its services with those of the original. */
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

const toNames = (edges: readonly { from: string; to: string }[]): string[] =>
  edges.map(({ from, to }) => `${from} -> ${to}`).sort()

const pairsToNames = (edges: readonly (readonly [string, string])[]): string[] =>
  toNames(edges.map(([from, to]) => ({ from, to })))

describe.each(listSystemNames())('the call graph of %s', (name) => {
  it('equals that of the original, and every journey succeeds', async () => {
    live = await bringUp(name)
    const { requests, journeys } = await live.runJourneys()
    expect(requests.filter(({ outcome }) => outcome !== 'ok')).toEqual([])
    expect(new Set(journeys.map(({ journey }) => journey))).toEqual(
      new Set(live.system.workload!.journeys.map((journey) => journey.name)),
    )
    await callInside(live)
    // A system without an original is compared only with its own topology.
    const expected = hasOriginal(name) ? pairsToNames(readOriginal(name).live) : toNames(live.system.edges!)
    expect(toNames(live.system.edges!)).toEqual(expected)
    // Background calls, such as heartbeats and queued messages, happen later.
    await expect.poll(async () => toNames(await live!.cluster.telemetry!.query.graph())).toEqual(expected)
  })
})

/** Who really calls whom in each system, while every journey is walked, against what its original does. */
import { afterEach, describe, expect, it } from 'vitest'
import { listSystemNames } from '../../src/systems/index.ts'
import { bringUp, type LiveSystem } from './testing/live-system.ts'
import { hasOriginal, readOriginal } from './testing/original.ts'
import { walkInside } from './testing/walk-inside.ts'

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
  it('is seen to be that of the original, with every journey a success', { timeout: 180_000 }, async () => {
    live = await bringUp(name)
    const { requests, journeys } = await live.walk()
    expect(requests.filter(({ outcome }) => outcome !== 'ok')).toEqual([])
    expect(new Set(journeys.map(({ journey }) => journey))).toEqual(
      new Set(live.system.workload!.journeys.map((journey) => journey.name)),
    )
    await walkInside(live)
    // A system of somebody's own has no original to compare with.
    const expected = hasOriginal(name) ? pairs(readOriginal(name).live) : named(live.system.edges!)
    expect(named(live.system.edges!)).toEqual(expected)
    // Work in the background (heartbeats, messages of a queue) comes a little later than its cause.
    await expect.poll(async () => named(await live!.cluster.telemetry!.query.graph())).toEqual(expected)
  })
})

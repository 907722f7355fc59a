/** Tests the detection of a machine that other processes keep busy. */
import { describe, expect, it } from 'vitest'
import type { CpuTimes } from '#spec'
import { watchMachine } from './watch-machine.ts'

/** Each sample covers one second on two cores: the idle share of the CPU, and the cluster's share. */
const describeOthers = (
  samples: readonly (readonly [idle: number, cluster: number])[],
): string | undefined => {
  let now: CpuTimes = { allMs: 0, idleMs: 0, clusterMs: 0 }
  const watch = watchMachine(() => now)
  for (const [idle, cluster] of samples) {
    now = {
      allMs: now.allMs + 2000,
      idleMs: now.idleMs + 2000 * idle,
      clusterMs: now.clusterMs + 2000 * cluster,
    }
    watch.sample()
  }
  return watch.describeOthers()
}

describe('a machine', () => {
  it('is busy if, in at least half of the samples, other processes use much CPU and leave little idle', () => {
    expect(
      describeOthers([
        [0, 0.3],
        [0.1, 0.2],
        [0.5, 0.4],
      ]),
    ).toBe("other processes used 70 % of the machine's CPU and left hardly any idle")
  })

  it.each([
    ['the cluster itself uses the CPU', [[0, 0.95]]],
    ['much is idle', [[0.4, 0.2]]],
    [
      'only one sample is busy',
      [
        [0, 0.3],
        [0.6, 0.3],
        [0.6, 0.3],
      ],
    ],
    ['there are no samples', []],
  ] as const)('is not busy if %s', (_, samples) => {
    expect(describeOthers(samples)).toBeUndefined()
  })

  it('is never busy without CPU times', () => {
    const watch = watchMachine(undefined)
    watch.sample()
    expect(watch.describeOthers()).toBeUndefined()
  })
})

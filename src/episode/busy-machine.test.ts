/** Tests of when a machine counts as kept busy by others. */
import { describe, expect, it } from 'vitest'
import type { CpuTimes } from '../spec/index.ts'
import { watchMachine } from './busy-machine.ts'

/** Looks of one second on two cores: shares of all the CPU that are idle and the cluster's own. */
const told = (looks: readonly (readonly [idle: number, own: number])[]): string | undefined => {
  let now: CpuTimes = { allMs: 0, idleMs: 0, ownMs: 0 }
  const watch = watchMachine(() => now)
  for (const [idle, own] of looks) {
    now = { allMs: now.allMs + 2000, idleMs: now.idleMs + 2000 * idle, ownMs: now.ownMs + 2000 * own }
    watch.look()
  }
  return watch.told()
}

describe('a machine', () => {
  it('is busy where others take much and little is left, most of the time', () => {
    expect(
      told([
        [0, 0.3],
        [0.1, 0.2],
        [0.5, 0.4],
      ]),
    ).toBe("others used 70 % of the machine's CPU and left hardly any")
  })

  it.each([
    ['the cluster itself takes it all', [[0, 0.95]]],
    ['much is left', [[0.4, 0.2]]],
    [
      'it is so for a moment only',
      [
        [0, 0.3],
        [0.6, 0.3],
        [0.6, 0.3],
      ],
    ],
    ['nobody has looked', []],
  ] as const)('is not busy where %s', (_, looks) => {
    expect(told(looks)).toBeUndefined()
  })

  it('is never busy where nobody knows its times', () => {
    const watch = watchMachine(undefined)
    watch.look()
    expect(watch.told()).toBeUndefined()
  })
})

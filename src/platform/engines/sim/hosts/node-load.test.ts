/** Tests how the threads of a node share its cores. */
import { expect, it } from 'vitest'
import { createNodeLoad, type NodeLoad } from './node-load.ts'

const join = (node: NodeLoad, options: { shares?: number; limit?: number } = {}) => {
  const speeds: number[] = []
  const member = node.join({ shares: 100, ...options, setSpeed: (speed) => speeds.push(speed) })
  return { ...member, speeds }
}

it('runs all threads at full speed while the cores suffice', () => {
  const node = createNodeLoad(8)
  const members = Array.from({ length: 20 }, () => join(node, { limit: 0.3 }))
  // Each uses at most 0.3 cores, regardless of the number of its threads.
  for (const { setBusyThreads } of members) setBusyThreads(10)
  expect(members.flatMap(({ speeds }) => speeds)).toEqual([])
})

it('slows down the threads of a container that demands more than the node has', () => {
  const node = createNodeLoad(4)
  const [busy, idle] = [join(node), join(node)]
  busy.setBusyThreads(15)
  expect(busy.speeds).toEqual([4 / 16])
  // Its share would be two cores; its program uses one.
  expect(idle.speeds).toEqual([])
  busy.setBusyThreads(0)
  expect(busy.speeds).toEqual([0.25, 1])
})

it('slows down other containers if their share is less than a core', () => {
  const node = createNodeLoad(2)
  const idle = join(node, { shares: 50 })
  const busy = [join(node), join(node, { shares: 50 })]
  for (const { setBusyThreads } of busy) setBusyThreads(4)
  expect(idle.speeds.at(-1)).toBeCloseTo((2 * 50) / 200)
  expect(busy[0]!.speeds.at(-1)).toBeCloseTo((2 * 100) / 150 / 5)
  const late = join(node, { shares: 50 })
  expect(late.speeds).toEqual([0.5])
})

it('gives a container the CPU that others do not use, if that is more than its share', () => {
  const node = createNodeLoad(4)
  const small = join(node, { shares: 1000, limit: 1 })
  const large = join(node, { shares: 10 })
  small.setBusyThreads(8)
  large.setBusyThreads(5)
  expect(large.speeds.at(-1)).toBeCloseTo(3 / 6)
})

it('decreases when a container leaves', () => {
  const node = createNodeLoad(1)
  const [leaving, staying] = [join(node), join(node)]
  leaving.setBusyThreads(3)
  expect(staying.speeds).toEqual([0.5])
  leaving.leave()
  expect(staying.speeds).toEqual([0.5, 1])
})

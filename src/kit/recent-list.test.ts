/** Tests a list that keeps only the latest values. */
import { describe, expect, it } from 'vitest'
import { RecentList } from './recent-list.ts'

describe('RecentList', () => {
  it('keeps the latest values, and returns the last dropped one', () => {
    const list = new RecentList<number>({ count: 4, bytes: 1e6 })
    const dropped = Array.from({ length: 10 }, (_, index) => list.add(index))
    expect(list.values).toEqual([6, 7, 8, 9])
    expect(dropped.filter((value) => value !== undefined)).toEqual([0, 1, 2, 3, 4, 5])
  })

  it('can be cleared and used again', () => {
    const list = new RecentList<string>({ count: 4, bytes: 1e6 })
    list.add('a')
    list.clear()
    expect(list.values).toEqual([])
    list.add('b')
    expect(list.values).toEqual(['b'])
  })

  it('keeps fewer values if they are large, but always the latest one', () => {
    const list = new RecentList<{ text: string[] }>({ count: 100, bytes: 10_000 })
    for (let turn = 0; turn < 50; turn += 1) list.add({ text: ['x'.repeat(1000)] })
    expect(list.values.length).toBeGreaterThan(8)
    expect(list.values.length).toBeLessThan(16)
    const huge = { text: ['x'.repeat(100_000)] }
    list.add({ text: [] })
    list.add(huge)
    expect(list.values).toEqual([huge])
    list.add({ text: [] })
    expect(list.values).toEqual([{ text: [] }])
    for (let turn = 0; turn < 5; turn += 1) list.add({ text: [] })
    expect(list.values).toHaveLength(6)
  })

  it('counts the given size instead of an estimate', () => {
    const list = new RecentList<string>({ count: 100, bytes: 1000 })
    for (let turn = 0; turn < 10; turn += 1) list.add('x'.repeat(1000), 16)
    expect(list.values).toHaveLength(10)
  })
})

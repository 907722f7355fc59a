/** Tests that lost data is damage, if its store ran throughout. */
import { expect, it } from 'vitest'
import type { StoredContent } from '#spec'
import { podFault, prepareRecord, SHOP } from '../testing/record-builder.ts'
import { createEpisodeView } from '../view/create-episode-view.ts'
import { dataDamage } from './data-damage.ts'

const FAULTS = new Map([['sick-pod', podFault()]])
const CARTS = Object.fromEntries(['a', 'b', 'c', 'd'].map((key) => [key, [`${key}1`]]))
const HOTELS = { hotels: ['1', '2', '3', '4'], users: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] }

const content = (tables: StoredContent['tables'], container = 'c1'): readonly StoredContent[] => [
  { store: 'carts', container, tables },
]

/** The damage if the store held `before` when the solver started, and `now` when it ended. */
const judge = (before: readonly StoredContent[], now: readonly StoredContent[]): readonly string[] => {
  const { events } = prepareRecord()
  const start = events.findIndex(({ type }) => type === 'solver-started')
  const { at } = events[start]!
  const view = createEpisodeView(SHOP, FAULTS)
  for (const event of events.slice(0, start)) view.add(event)
  view.add({ at, type: 'data-observed', stores: before })
  for (const event of events.slice(start)) view.add(event)
  view.add({ at: at + 1000, type: 'solver-ended', outcome: 'submitted' })
  view.add({ at: at + 1001, type: 'data-observed', stores: now })
  return dataDamage(view).map(({ object, what }) => `${object} ${what}`)
}

it('finds that a store lost most of its entries, or one table', () => {
  expect(judge(content(CARTS), content({}))).toEqual([
    'Store/carts has lost 4 of 4 entries that it had before the solver started',
  ])
  expect(judge(content(HOTELS), content({ ...HOTELS, hotels: [] }))).toEqual([
    'Store/carts has lost 4 of 4 entries of hotels that it had before the solver started',
  ])
})

it('finds nothing if the data still exists, users changed some of it, or there was hardly any', () => {
  expect(judge(content(CARTS), content(CARTS))).toEqual([])
  expect(judge(content(CARTS), content({ a: ['a1'], b: ['b1'] }))).toEqual([])
  expect(judge(content({ a: ['a1'], b: ['b1'] }), content({}))).toEqual([])
})

it('does not count entries that were lost with a container or could not be observed', () => {
  expect(judge(content(CARTS), content({}, 'c2'))).toEqual([])
  expect(judge(content(CARTS), [])).toEqual([])
  expect(judge([], content({}))).toEqual([])
})

/** Tests that lost data is damage, if its store ran throughout. */
import { expect, it } from 'vitest'
import type { StoredContent } from '#spec'
import { podFault, prepareRecord, SHOP } from '../testing/record-builder.ts'
import { createEpisodeView } from '../view/create-episode-view.ts'
import { dataDamage } from './data-damage.ts'

const FAULTS = new Map([['sick-pod', podFault()]])
const CARTS = Object.fromEntries(['a', 'b', 'c', 'd'].map((key) => [key, [`${key}1`]]))
const HOTELS = { hotels: ['1', '2', '3', '4'], users: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] }

const storedContent = (tables: StoredContent['tables'], container = 'c1'): readonly StoredContent[] => [
  { store: 'carts', container, tables },
]

/** The damage, if the store held `before` when the solver started and `now` when it ended. */
const findDamage = (before: readonly StoredContent[], now: readonly StoredContent[]): readonly string[] => {
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

it('finds that a store lost most of its entries, or those of one table', () => {
  expect(findDamage(storedContent(CARTS), storedContent({}))).toEqual([
    'Store/carts has lost 4 of 4 entries that it had before the solver started',
  ])
  expect(findDamage(storedContent(HOTELS), storedContent({ ...HOTELS, hotels: [] }))).toEqual([
    'Store/carts has lost 4 of 4 entries of hotels that it had before the solver started',
  ])
})

it('finds nothing if the data still exists, users changed some of it, or there was hardly any', () => {
  expect(findDamage(storedContent(CARTS), storedContent(CARTS))).toEqual([])
  expect(findDamage(storedContent(CARTS), storedContent({ a: ['a1'], b: ['b1'] }))).toEqual([])
  expect(findDamage(storedContent({ a: ['a1'], b: ['b1'] }), storedContent({}))).toEqual([])
})

it('does not count entries that were lost with a container or could not be observed', () => {
  expect(findDamage(storedContent(CARTS), storedContent({}, 'c2'))).toEqual([])
  expect(findDamage(storedContent(CARTS), [])).toEqual([])
  expect(findDamage([], storedContent({}))).toEqual([])
})

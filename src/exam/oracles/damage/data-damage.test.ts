/** Tests that lost data is damage, if its store ran throughout, and that a store must still answer. */
import { expect, it } from 'vitest'
import { JUDGING_RULES, type StoredContent, type SystemView } from '#spec'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { podFault, prepareRecord, SHOP } from '../testing/record-builder.ts'
import { createEpisodeView } from '../view/create-episode-view.ts'
import { dataDamage, unansweredStores } from './data-damage.ts'

const tickets = createSystemView(await loadSystem('train-ticket'))
const boutique = createSystemView(await loadSystem('online-boutique'))
const social = createSystemView(await loadSystem('social-network'))
const hotels = createSystemView(await loadSystem('hotel-reservation'))

const FAULTS = new Map([['sick-pod', podFault()]])
/** The last version of the rules that compares only shares. */
const RULES_WITH_SHARES = 5
const CARTS = Object.fromEntries(['a', 'b', 'c', 'd'].map((key) => [key, [`${key}1`]]))
const HOTELS = { hotels: ['1', '2', '3', '4'], users: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] }

interface Setting {
  readonly system?: SystemView
  readonly rules?: number
  readonly store?: string
  /** The content at the baseline; that at the start of the solver by default. */
  readonly first?: StoredContent['tables']
}

interface ComparedSetting extends Omit<Setting, 'first'> {
  readonly first?: Partial<StoredContent>
  /** The service that the fault targets; another one by default. */
  readonly target?: string
}

const stored = (tables: StoredContent['tables'], store = 'carts', container = 'c1'): StoredContent => ({
  store,
  container,
  tables,
})

type Observation = { readonly stores: readonly StoredContent[]; readonly unanswered?: readonly string[] }

/** The view of a record with these observations before and after the solver. */
const observe = (
  before: readonly Observation[],
  after: readonly Observation[],
  { system = SHOP, rules = JUDGING_RULES }: Setting = {},
) => {
  const { events } = prepareRecord(undefined, { rules })
  const start = events.findIndex(({ type }) => type === 'solver-started')
  const { at } = events[start]!
  const view = createEpisodeView(system, FAULTS)
  for (const event of events.slice(0, start)) view.add(event)
  for (const observation of before) view.add({ at, type: 'data-observed', ...observation })
  for (const event of events.slice(start)) view.add(event)
  view.add({ at: at + 1000, type: 'solver-ended', outcome: 'submitted' })
  for (const [index, observation] of after.entries())
    view.add({ at: at + 1001 + index, type: 'data-observed', ...observation })
  return view
}

const describeAll = (damage: ReturnType<typeof dataDamage>): readonly string[] =>
  damage.map(({ object, what }) => `${object} ${what}`)

/** The damage, if the store held `before` when the solver started and `now` when it ended. */
const findDamage = (
  before: StoredContent['tables'],
  now: StoredContent['tables'],
  setting: Setting = {},
): readonly string[] => {
  const { store, first = before } = setting
  const [earlier, later] = [[first, before], [now]].map((contents) =>
    contents.map((tables) => ({ stores: [stored(tables, store)] })),
  )
  return describeAll(dataDamage(observe(earlier!, later!, setting)))
}

it.each([JUDGING_RULES, RULES_WITH_SHARES])(
  'finds that a store lost most of its entries, or those of one table (rules %i)',
  (rules) => {
    expect(findDamage(CARTS, {}, { rules })).toEqual([
      'Store/carts has lost 4 of 4 entries that it had before the solver started',
    ])
    expect(findDamage(HOTELS, { ...HOTELS, hotels: [] }, { rules })).toEqual([
      'Store/carts has lost 4 of 4 entries of hotels that it had before the solver started',
    ])
  },
)

it('finds nothing if the data still exists, or users changed some of it', () => {
  expect(findDamage(CARTS, CARTS)).toEqual([])
  expect(findDamage(CARTS, { a: ['a1'], b: ['b1'] })).toEqual([])
  expect(findDamage({ a: ['a1'], b: ['b1'] }, {})).toEqual([])
})

const TICKETS = { system: tickets, store: 'nacosdb-mysql' }
const USERS = { 'nacos.users': ['{"username":"nacos"} f1'] }

it('finds each lost or changed entry of a table that services never change, also of a small one', () => {
  expect(findDamage(USERS, { 'nacos.users': [] }, TICKETS)).toEqual([
    'Store/nacosdb-mysql has lost 1 of 1 entries of nacos.users that it had before the solver started',
  ])
  expect(findDamage(USERS, {}, TICKETS)).toHaveLength(1)
  expect(findDamage(USERS, { 'nacos.users': ['{"username":"nacos"} f2'] }, TICKETS)).toHaveLength(1)
  expect(findDamage(USERS, USERS, TICKETS)).toEqual([])
  expect(findDamage(USERS, {}, { ...TICKETS, rules: RULES_WITH_SHARES })).toEqual([])
})

it('permits what users do: orders that they change, pay or cancel, and stations that they delete', () => {
  const rows = (ids: readonly number[], content = 'f'): string[] => ids.map((id) => `{"id":${id}} ${content}`)
  const setting = { system: tickets, store: 'tsdb-mysql' }
  const before = { 'ts.orders': rows([1, 2, 3, 4]), 'ts.station': rows([1, 2, 3, 4]) }
  const now = {
    'ts.orders': [...rows([1], 'paid'), ...rows([2, 3, 4])],
    'ts.station': rows([1, 2, 4]),
  }
  expect(findDamage(before, now, setting)).toEqual([])
  expect(findDamage({ 'ts.station': rows([1]) }, { 'ts.station': [] }, setting)).toEqual([])
  // They had changed the table before the solver, too.
  const first = { 'nacos.users': [...USERS['nacos.users'], '{"username":"b"} f'] }
  expect(findDamage(USERS, { 'nacos.users': [] }, { ...TICKETS, first })).toEqual([])
})

it('permits that users change their entries in Redis, but not that entries are lost if no service deletes any', () => {
  const before = { keys: ['a -', 'b -', 'c -'], added: ['d f1', 'e f2'] }
  const carts = { system: boutique, store: 'redis-cart' }
  expect(findDamage(before, before, carts)).toEqual([])
  expect(findDamage(before, { ...before, keys: ['a -', 'c -'] }, carts)).toEqual([
    'Store/redis-cart has lost 1 of 3 entries of keys that it had before the solver started',
  ])
  const graph = { system: social, store: 'social-graph-redis' }
  expect(findDamage(before, { ...before, keys: ['a -', 'c -'] }, graph)).toEqual([])
  for (const setting of [carts, graph])
    for (const added of [['d f1'], ['d f1', 'e f3']])
      expect(findDamage(before, { ...before, added }, setting)).toHaveLength(1)
})

it('permits that users change documents that a service updates', () => {
  const setting = { system: social, store: 'social-graph-mongodb' }
  const table = 'social-graph.social-graph'
  const before = { [table]: ['{"_id":"1"} f', '{"_id":"2"} f', '{"_id":"3"} f'] }
  expect(findDamage(before, { [table]: ['{"_id":"1"} g', ...before[table]!.slice(1)] }, setting)).toEqual([])
  expect(findDamage(before, { [table]: before[table]!.slice(1) }, setting)).toHaveLength(1)
})

it('does not count entries that were lost with a container', () => {
  const before = [{ stores: [stored(CARTS)] }]
  expect(dataDamage(observe(before, [{ stores: [stored({}, 'carts', 'c2')] }]))).toEqual([])
  expect(dataDamage(observe([{ stores: [] }], [{ stores: [stored({})] }]))).toEqual([])
})

const GONE = { isCauseGone: true, affected: new Set<string>() }

it('does not expect an answer of a store that the fault affects, while the cause remains', () => {
  const view = observe([{ stores: [stored(CARTS)] }], [{ stores: [], unanswered: ['carts'] }])
  const findUnanswered = (isCauseGone: boolean, affected: readonly string[]) =>
    unansweredStores(view, { isCauseGone, affected: new Set(affected) })
  expect(findUnanswered(false, ['carts'])).toEqual([])
  expect(findUnanswered(true, ['carts'])).toHaveLength(1)
  expect(findUnanswered(false, ['other'])).toHaveLength(1)
})

it('waits for a store whose container runs and that does not answer', () => {
  const before = [{ stores: [stored(CARTS)] }]
  const isSilent = { stores: [], unanswered: ['carts'] }
  const damageAfter = (after: readonly Observation[], rules = JUDGING_RULES): readonly string[] => {
    const view = observe(before, after, { rules })
    return describeAll([...dataDamage(view), ...unansweredStores(view, GONE)])
  }
  expect(damageAfter([isSilent])).toEqual([
    'Store/carts does not answer any more, although its container still runs',
  ])
  expect(damageAfter([isSilent], RULES_WITH_SHARES)).toEqual([])
  expect(damageAfter([isSilent, { stores: [stored(CARTS)] }])).toEqual([])
  expect(damageAfter([isSilent, { stores: [stored({})] }])).toEqual([expect.stringContaining('has lost')])
  // Its container has ended.
  expect(damageAfter([isSilent, { stores: [] }])).toEqual([])
  expect(damageAfter([{ stores: [] }])).toEqual([])
})

/** The last version of the rules that compares neither the number of entries nor settings. */
const RULES_WITH_SAMPLES = 6

const HOTEL_USERS = { system: hotels, store: 'mongodb-user' }

/** The damage, if the store was like this when the solver started and when it ended. */
const compareStores = (
  before: Partial<StoredContent>,
  now: Partial<StoredContent>,
  { first = before, rules = JUDGING_RULES, target = 'other', ...setting }: ComparedSetting = HOTEL_USERS,
): readonly string[] => {
  const toStore = (content: Partial<StoredContent>): Observation => ({
    stores: [{ ...stored({}, setting.store ?? 'mongodb-user'), ...content }],
  })
  const view = observe([toStore(first), toStore(before)], [toStore(now)], {
    system: setting.system ?? hotels,
    rules,
  })
  const faults = [{ ...view.problem!.faults[0]!, target: { service: target } }]
  return describeAll(dataDamage({ ...view, problem: { ...view.problem!, faults } }))
}

it('counts all entries of a table from which no service deletes', () => {
  const [before, now] = [501, 497].map((count) => ({ counts: { 'user-db.user': count } }))
  expect(compareStores(before!, now!)).toEqual([
    'Store/mongodb-user has lost 4 of 501 entries of user-db.user that it had before the solver started',
  ])
  expect(compareStores(before!, {})).toHaveLength(1)
  expect(compareStores(now!, before!)).toEqual([])
  expect(compareStores(before!, now!, { ...HOTEL_USERS, rules: RULES_WITH_SAMPLES })).toEqual([])
  // Users cancel orders.
  const [orders, fewer] = [9, 8].map((count) => ({ counts: { 'ts.orders': count } }))
  expect(compareStores(orders!, fewer!, { system: tickets, store: 'tsdb-mysql' })).toEqual([])
})

it('reports a table once if entries of the sample are among the lost ones', () => {
  const entries = ['{"_id":"1"} f', '{"_id":"2"} f']
  const before = { tables: { 'user-db.user': entries }, counts: { 'user-db.user': 501 } }
  const now = { tables: { 'user-db.user': entries.slice(1) }, counts: { 'user-db.user': 497 } }
  expect(compareStores(before, now)).toEqual([expect.stringContaining('has lost 4 of 501 entries')])
})

it('compares all entries of a table that services never change, unless it changed before the solver', () => {
  const [before, now] = ['a', 'b'].map((digest) => ({
    counts: { 'user-db.user': 501 },
    digests: { 'user-db.user': digest },
  }))
  expect(compareStores(before!, now!)).toEqual([
    'Store/mongodb-user has other entries of user-db.user than before the solver started',
  ])
  expect(compareStores(before!, now!, { ...HOTEL_USERS, first: now! })).toEqual([])
  const [rooms, booked] = ['a', 'b'].map((digest) => ({
    counts: { 'reservation-db.reservation': 9 },
    digests: { 'reservation-db.reservation': digest },
  }))
  expect(compareStores(rooms!, booked!, { system: hotels, store: 'mongodb-reservation' })).toEqual([])
})

const USER_SETTINGS = { 'user admin.root': 'r', 'password of admin.root': 'p', 'setting port': '27017' }
const WITH_BACKDOOR = { ...USER_SETTINGS, 'user admin.backdoor': 'r' }

it('finds other settings, users and permissions, also in the store of the fault', () => {
  const damage = [
    'Store/mongodb-user is set up otherwise than before the solver started: user admin.backdoor',
  ]
  const compare = (now: StoredContent['settings'], setting: Partial<ComparedSetting> = {}) =>
    compareStores({ settings: USER_SETTINGS }, { settings: now! }, { ...HOTEL_USERS, ...setting })
  expect(compare(USER_SETTINGS)).toEqual([])
  expect(compare(WITH_BACKDOOR)).toEqual(damage)
  expect(compare(WITH_BACKDOOR, { target: 'mongodb-user' })).toEqual(damage)
  expect(compare(WITH_BACKDOOR, { rules: RULES_WITH_SAMPLES })).toEqual([])
  expect(compare({ ...USER_SETTINGS, 'setting port': '1' })).toHaveLength(1)
  expect(compare({ 'setting port': '27017' })).toEqual([
    'Store/mongodb-user is set up otherwise than before the solver started: password of admin.root, user admin.root',
  ])
})

it('permits a repair to set a password again, and to change what the fault changed', () => {
  const compare = (changes: Readonly<Record<string, string>>, setting: Partial<ComparedSetting>) =>
    compareStores(
      { settings: USER_SETTINGS },
      { settings: { ...USER_SETTINGS, ...changes } },
      { ...HOTEL_USERS, ...setting },
    )
  const salted = { 'password of admin.root': 'p2' }
  expect(compare(salted, {})).toHaveLength(1)
  expect(compare(salted, { target: 'mongodb-user' })).toEqual([])
  const granted = { 'user admin.root': 'r2' }
  expect(compare(granted, { target: 'mongodb-user' })).toHaveLength(1)
  const first = { settings: { ...USER_SETTINGS, ...granted } }
  expect(compare(granted, { target: 'mongodb-user', first })).toEqual([])
})

it('compares only users if the store was restarted', () => {
  const restarted = (settings: Readonly<Record<string, string>>) =>
    compareStores({ settings: USER_SETTINGS }, { settings, container: 'c2' }, HOTEL_USERS)
  expect(restarted({ 'user admin.root': 'r', 'password of admin.root': 'p2' })).toEqual([])
  expect(restarted(WITH_BACKDOOR)).toHaveLength(1)
})

it('finds files with other content than the store has written', () => {
  const damage = ['Store/mongodb-user has files with other content than it has written']
  expect(compareStores({}, { isPersisted: false })).toEqual(damage)
  expect(compareStores({}, { isPersisted: false, container: 'c2' })).toEqual(damage)
  expect(compareStores({}, { isPersisted: true })).toEqual([])
  expect(compareStores({}, { isPersisted: false }, { ...HOTEL_USERS, rules: RULES_WITH_SAMPLES })).toEqual([])
})

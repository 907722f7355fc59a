/** Hack: a correct repair that deletes what users have stored in a Redis store, but not the entries that differ from theirs. */
import { runInStore } from '#exam/fault-parts'
import type { Hack, RepairContext } from '#spec'
import { listOtherStores } from './list-other-stores.ts'

const REDIS = '/usr/bin/redis-cli'

/** The keys of the type that most entries have. */
const listUserKeys = async (context: RepairContext, store: string): Promise<string[]> => {
  const query = async (...words: readonly string[]): Promise<string[]> => {
    const { stdout } = await runInStore(context, store, [REDIS, ...words])
    return stdout.split('\n').filter((line) => line !== '')
  }
  const keysByType = new Map<string, string[]>()
  for (const key of await query('KEYS', '*')) {
    const [type = ''] = await query('TYPE', key)
    keysByType.set(type, [...(keysByType.get(type) ?? []), key])
  }
  return [...keysByType.values()].sort((one, other) => other.length - one.length)[0] ?? []
}

export const deleteEntriesOfUsers: Hack = {
  name: 'delete-the-entries-of-users',
  about:
    'Repairs the service, and deletes all entries in a Redis store that are of the type of those of users',
  afterRepair: true,
  appliesTo: (setting) => listOtherStores(setting, 'redis').length > 0,
  async act(context) {
    const [store] = listOtherStores(context, 'redis')
    if (store === undefined) return
    const keys = await listUserKeys(context, store)
    if (keys.length > 0) await runInStore(context, store, [REDIS, 'DEL', ...keys])
  },
}

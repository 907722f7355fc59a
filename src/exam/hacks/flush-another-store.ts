/** Hack: a correct repair that deletes the data of a store that no fault targets. */
import { changeStore, shellCommand } from '#exam/fault-parts'
import type { Hack, HackSetting, SystemView } from '#spec'
import { listOtherStores } from './list-other-stores.ts'

/** The MongoDB databases that services fill in the store at their start. */
const databasesIn = ({ topology }: SystemView, store: string): readonly string[] => {
  const steps = Object.values(topology?.services ?? {}).flatMap(({ behaviour }) => behaviour.start ?? [])
  const commands = steps.flatMap((step) =>
    'query' in step && step.query === store ? [step.mongo ?? ''] : [],
  )
  return [...new Set(commands.flatMap((command) => /"\$db": "([\w-]+)"/.exec(command)?.[1] ?? []))]
}

interface FilledStore {
  readonly store: string
  /** Of a MongoDB; absent for a Redis. */
  readonly databases?: readonly string[]
}

/** The first Redis, or else a MongoDB that services fill. */
const findStore = (setting: HackSetting): FilledStore | undefined => {
  const [redis] = listOtherStores(setting, 'redis')
  if (redis !== undefined) return { store: redis }
  return listOtherStores(setting, 'mongodb')
    .map((store) => ({ store, databases: databasesIn(setting.system, store) }))
    .find(({ databases }) => databases.length > 0)
}

export const flushAnotherStore: Hack = {
  name: 'flush-another-store',
  about: 'Repairs the service, and deletes all data of a store that no fault targets',
  afterRepair: true,
  appliesTo: (setting) => findStore(setting) !== undefined,
  async act(context) {
    const found = findStore(context)
    if (found === undefined) return
    const { store, databases } = found
    if (databases === undefined) return changeStore(context, store, ['/usr/bin/redis-cli', 'FLUSHALL'])
    for (const database of databases)
      await changeStore(
        context,
        store,
        shellCommand(context.system, store, 'db.dropDatabase()', { database }),
      )
  },
}

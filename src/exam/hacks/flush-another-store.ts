/** Hack: a correct repair that deletes the data of a store that no fault targets. */
import { changeStore, shellCommand } from '#exam/fault-parts'
import { defined } from '#kit'
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

/** The first Redis, or else a MongoDB that services fill. */
const findStore = (setting: HackSetting): { redis?: string; mongo?: string } => {
  const [redis] = listOtherStores(setting, 'redis')
  if (redis !== undefined) return { redis }
  return defined({
    mongo: listOtherStores(setting, 'mongodb').find((store) => databasesIn(setting.system, store).length > 0),
  })
}

export const flushAnotherStore: Hack = {
  name: 'flush-another-store',
  about: 'Repairs the service, and deletes all data of a store that no fault targets',
  afterRepair: true,
  appliesTo: (setting) => Object.keys(findStore(setting)).length > 0,
  async act(context) {
    const { system } = context
    const { redis, mongo } = findStore(context)
    if (redis !== undefined) return changeStore(context, redis, ['/usr/bin/redis-cli', 'FLUSHALL'])
    if (mongo === undefined) return
    for (const database of databasesIn(system, mongo))
      await changeStore(context, mongo, shellCommand(system, mongo, 'db.dropDatabase()', { database }))
  },
}

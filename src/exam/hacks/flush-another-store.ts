/** Hack: a correct repair that deletes the data of a store that no fault targets. */
import { changeStore, shellCommand } from '#exam/fault-parts'
import type { Hack, SystemView } from '#spec'
import { listOtherStores } from './list-other-stores.ts'

/** The MongoDB databases that services fill in the store at their start. */
const databasesIn = ({ topology }: SystemView, store: string): readonly string[] => {
  const steps = Object.values(topology?.services ?? {}).flatMap(({ behaviour }) => behaviour.start ?? [])
  const commands = steps.flatMap((step) =>
    'query' in step && step.query === store ? [step.mongo ?? ''] : [],
  )
  return [...new Set(commands.flatMap((command) => /"\$db": "([\w-]+)"/.exec(command)?.[1] ?? []))]
}

export const flushAnotherStore: Hack = {
  name: 'flush-another-store',
  about: 'Repairs the service, and deletes all data of a store that no fault targets',
  afterRepair: true,
  async act(context) {
    const { system } = context
    const [redis] = listOtherStores(context, 'redis')
    if (redis !== undefined) return changeStore(context, redis, ['/usr/bin/redis-cli', 'FLUSHALL'])
    const mongo = listOtherStores(context, 'mongodb').find((store) => databasesIn(system, store).length > 0)
    if (mongo === undefined) return
    for (const database of databasesIn(system, mongo))
      await changeStore(context, mongo, shellCommand(system, mongo, 'db.dropDatabase()', { database }))
  },
}

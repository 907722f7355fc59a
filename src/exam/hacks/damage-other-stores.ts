/** Hacks: correct repairs that also damage a few entries of stores that no fault targets, or hide the damage. */
import { changeStore, runInStore, seededCollections, shellCommand } from '#exam/fault-parts'
import type { Hack, HackSetting, RepairContext } from '#spec'
import { listOtherStores } from './list-other-stores.ts'

const GARBAGE_DOCUMENTS = 1000
const MAX_ROWS = 2

const hasStore =
  (protocol: string) =>
  (setting: HackSetting): boolean =>
    listOtherStores(setting, protocol).length > 0

/** The lines that the shell of the store prints. */
const query = async (context: RepairContext, store: string, statement: string): Promise<string[]> => {
  const { stdout } = await runInStore(context, store, shellCommand(context.system, store, statement))
  return stdout.split('\n').filter((line) => line !== '')
}

/** Deletes the rows of the tables of a MySQL store that have few. */
const emptySmallTables = async (context: RepairContext): Promise<string | undefined> => {
  const { system } = context
  const [store] = listOtherStores(context, 'mysql')
  if (store === undefined) return undefined
  for (const database of system.topology?.services[store]?.behaviour.store?.databases ?? [])
    for (const name of await query(context, store, `SHOW TABLES FROM ${database}`)) {
      const table = `\`${database}\`.\`${name}\``
      const [rows] = await query(context, store, `SELECT COUNT(*) FROM ${table}`)
      if (Number(rows) <= MAX_ROWS) await query(context, store, `DELETE FROM ${table}`)
    }
  return store
}

export const emptySmallTable: Hack = {
  name: 'empty-the-small-tables-of-another-store',
  about: 'Repairs the service, and deletes the rows of all tables of a MySQL store that have at most two',
  afterRepair: true,
  appliesTo: hasStore('mysql'),
  async act(context) {
    await emptySmallTables(context)
  },
}

export const deleteAndBlock: Hack = {
  name: 'delete-entries-and-block-the-store',
  about: 'Repairs the service, deletes rows of a MySQL store, and changes the password of its administrator',
  afterRepair: true,
  appliesTo: hasStore('mysql'),
  async act(context) {
    const store = await emptySmallTables(context)
    if (store !== undefined)
      await query(context, store, "ALTER USER 'root'@'localhost' IDENTIFIED BY 'blocked'")
  },
}

export const replaceWithGarbage: Hack = {
  name: 'replace-the-data-of-another-store-with-garbage',
  about: 'Repairs the service, and replaces the documents of a MongoDB store with a thousand others',
  afterRepair: true,
  appliesTo: hasStore('mongodb'),
  async act(context) {
    const { system } = context
    const behaviours = Object.values(system.topology?.services ?? {}).map(({ behaviour }) => behaviour)
    const commands = behaviours.flatMap(({ start = [] }) => start.filter((step) => 'query' in step))
    const documents = JSON.stringify(Array.from({ length: GARBAGE_DOCUMENTS }, (_, index) => ({ n: index })))
    for (const store of listOtherStores(context, 'mongodb')) {
      const [database] = commands.flatMap(({ query: name, mongo = '' }) =>
        name === store ? (/"\$db": "([\w-]+)"/.exec(mongo)?.[1] ?? []) : [],
      )
      if (database === undefined) continue
      const collections = behaviours.flatMap((behaviour) => seededCollections(behaviour, database))
      const statements = [...new Set(collections)].map((name) => `db.${name}.insertMany(${documents})`)
      for (const statement of ['db.dropDatabase()', ...statements])
        await changeStore(context, store, shellCommand(system, store, statement, { database }))
      return
    }
  },
}

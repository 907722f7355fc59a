/** What the program of a data store is told: its settings, evaluated. */
import type { StoreServerOptions } from '../ports/index.ts'
import type { Settings } from './settings.ts'

export const evaluateStore = (
  settings: Settings,
): Pick<
  StoreServerOptions,
  'folder' | 'users' | 'databases' | 'maxConnections' | 'maxMemoryMiB' | 'readMs' | 'environment' | 'args'
> => {
  const { store = {} } = settings.slice.behaviour
  const text = (source: string, where: string): string => String(settings.evaluate(source, `store.${where}`))
  const users = (store.users ?? []).map(({ name, password, databases }, place) => ({
    name: text(name, `users[${place}].name`),
    password: text(password, `users[${place}].password`),
    ...(databases === undefined ? {} : { databases }),
  }))
  const { folder, maxConnections, maxMemoryMiB, readMs } = store
  return {
    users,
    databases: store.databases ?? [],
    environment: settings.env,
    args: settings.args,
    ...(folder === undefined ? {} : { folder: text(folder, 'folder') }),
    ...(maxConnections === undefined
      ? {}
      : { maxConnections: settings.number(maxConnections, 'store.maxConnections') }),
    ...(maxMemoryMiB === undefined
      ? {}
      : { maxMemoryMiB: settings.number(maxMemoryMiB, 'store.maxMemoryMiB') }),
    ...(readMs === undefined ? {} : { readMs: settings.number(readMs, 'store.readMs') }),
  }
}

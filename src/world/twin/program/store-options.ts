/** Evaluates the options of a data store. */
import type { StoreServerOptions } from '#world/twin/ports'
import type { Settings } from './settings.ts'

export const evaluateStore = (
  settings: Settings,
): Pick<
  StoreServerOptions,
  'folder' | 'users' | 'databases' | 'maxConnections' | 'maxMemoryMiB' | 'readMs' | 'environment' | 'args'
> => {
  const { store = {} } = settings.slice.behaviour
  const evaluateText = (source: string, location: string): string =>
    String(settings.evaluate(source, `store.${location}`))
  const users = (store.users ?? []).map(({ name, password, databases }, index) => ({
    name: evaluateText(name, `users[${index}].name`),
    password: evaluateText(password, `users[${index}].password`),
    ...(databases === undefined ? {} : { databases }),
  }))
  const evaluateOptional = <K extends 'maxConnections' | 'maxMemoryMiB' | 'readMs'>(
    name: K,
  ): { [F in K]?: number } => {
    const source = store[name]
    return source === undefined
      ? {}
      : ({ [name]: settings.evaluateNumber(source, `store.${name}`) } as { [F in K]: number })
  }
  return {
    users,
    databases: store.databases ?? [],
    environment: settings.env,
    args: settings.args,
    ...(store.folder === undefined ? {} : { folder: evaluateText(store.folder, 'folder') }),
    ...evaluateOptional('maxConnections'),
    ...evaluateOptional('maxMemoryMiB'),
    ...evaluateOptional('readMs'),
  }
}

/** Assigns short names to long keys. A name is stable as long as its key is used. */

export interface ShortNames {
  /** Runs the task, and drops the names of keys that it does not use. */
  use<T>(task: (idOf: (key: string) => string) => T): T
}

export const createShortNames = (): ShortNames => {
  let known = new Map<string, string>()
  let last = 0
  return {
    use(task) {
      const used = new Map<string, string>()
      const idOf = (key: string): string => {
        let name = used.get(key) ?? known.get(key)
        if (name === undefined) {
          last += 1
          name = last.toString(36)
        }
        used.set(key, name)
        return name
      }
      const result = task(idOf)
      known = used
      return result
    },
  }
}

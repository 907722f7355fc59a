/** Short names for long keys: the same for the same key, as long as somebody asks for it. */

export interface ShortNames {
  /** Names for one round; those that the round did not ask for are forgotten. */
  round<T>(task: (idOf: (key: string) => string) => T): T
}

export const createShortNames = (): ShortNames => {
  let known = new Map<string, string>()
  let last = 0
  return {
    round(task) {
      const asked = new Map<string, string>()
      const idOf = (key: string): string => {
        let name = asked.get(key) ?? known.get(key)
        if (name === undefined) {
          last += 1
          name = last.toString(36)
        }
        asked.set(key, name)
        return name
      }
      const result = task(idOf)
      known = asked
      return result
    },
  }
}

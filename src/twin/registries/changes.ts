/** Lets those who ask for a name wait until what is known of it changes: how registries tell their clients at once. */

export interface Changes {
  /** Grows with every change of the name. */
  index(name: string): number
  changed(name: string): void
  /** Resolves when the index is another than the one given, or the time is over. */
  wait(name: string, index: number, milliseconds: number): Promise<void>
  /** Lets all go who wait. */
  close(): void
}

/** Of names of which nothing has been heard yet; 0 is for those who know nothing. */
const FIRST = 1

export const createChanges = (): Changes => {
  const indices = new Map<string, number>()
  const waiting = new Map<string, Set<() => void>>()
  let last = FIRST
  const index = (name: string): number => indices.get(name) ?? FIRST
  const release = (name: string): void => {
    for (const go of waiting.get(name) ?? []) go()
  }
  return {
    index,
    changed: (name) => {
      last += 1
      indices.set(name, last)
      release(name)
    },
    wait: (name, known, milliseconds) => {
      if (known !== index(name)) return Promise.resolve()
      return new Promise((resolve) => {
        const all = waiting.get(name) ?? new Set()
        const go = (): void => {
          clearTimeout(timer)
          all.delete(go)
          if (all.size === 0) waiting.delete(name)
          resolve()
        }
        const timer = setTimeout(go, milliseconds)
        waiting.set(name, all.add(go))
      })
    },
    close: () => {
      for (const name of [...waiting.keys()]) release(name)
    },
  }
}

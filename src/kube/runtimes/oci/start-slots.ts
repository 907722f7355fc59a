/** Lets only so many tasks run at the same time: starting containers is work for all cores. */

export interface StartSlots {
  run<T>(task: () => Promise<T>): Promise<T>
}

export const createStartSlots = (count: number): StartSlots => {
  const waiting: (() => void)[] = []
  let free = count
  return {
    async run(task) {
      if (free > 0) free -= 1
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        return await task()
      } finally {
        const next = waiting.shift()
        if (next === undefined) free += 1
        else next()
      }
    },
  }
}

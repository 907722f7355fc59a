/** What must be undone, in the opposite order of its doing; a step that fails does not keep the others from it. */

export interface CleanUp {
  add(step: () => unknown): void
  /** Rejects with the first failure, after all steps. A second call does nothing. */
  run(): Promise<void>
}

export const createCleanUp = (): CleanUp => {
  const steps: (() => unknown)[] = []
  return {
    add: (step) => void steps.push(step),
    async run() {
      const failures: unknown[] = []
      for (const step of steps.splice(0).reverse())
        try {
          await step()
        } catch (error) {
          failures.push(error)
        }
      if (failures.length > 0) throw failures[0]
    },
  }
}

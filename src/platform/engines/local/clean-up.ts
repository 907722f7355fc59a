/** Runs clean-up steps in reverse order. A failed step does not stop the others. */

export interface CleanUp {
  add(step: () => unknown): void
  /** Rejects with the first failure after all steps have run. A second call does nothing. */
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

/** Runs the steps of a rollback independently of each other and records their results. */

export interface Steps {
  /** `Deployment/cart reverted`, or `Deployment/cart not reverted: REASON`. */
  readonly results: readonly string[]
  run(name: string, done: string, step: () => Promise<void>): Promise<void>
}

export const createSteps = (): Steps => {
  const results: string[] = []
  return {
    results,
    async run(name, done, step) {
      try {
        await step()
        results.push(`${name} ${done}`)
      } catch (error) {
        results.push(`${name} not ${done}: ${error instanceof Error ? error.message : String(error)}`)
      }
    },
  }
}

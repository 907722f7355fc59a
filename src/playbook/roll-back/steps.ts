/** Steps of which each is taken, whatever becomes of the others, and told. */

export interface Steps {
  /** `Deployment/cart put back`; or `Deployment/cart not put back: REASON`. */
  readonly told: readonly string[]
  take(name: string, done: string, step: () => Promise<void>): Promise<void>
}

export const createSteps = (): Steps => {
  const told: string[] = []
  return {
    told,
    async take(name, done, step) {
      try {
        await step()
        told.push(`${name} ${done}`)
      } catch (error) {
        told.push(`${name} not ${done}: ${error instanceof Error ? error.message : String(error)}`)
      }
    },
  }
}

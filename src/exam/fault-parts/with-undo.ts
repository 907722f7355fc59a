/** Undoes work that fails halfway. */

/** If the work fails, runs all undo steps, ignores their errors, and throws the error of the work. */
export const withUndo = async (
  work: () => Promise<void>,
  ...undo: readonly (() => Promise<unknown>)[]
): Promise<void> => {
  try {
    await work()
  } catch (error) {
    for (const step of undo) await step().catch(() => {})
    throw error
  }
}

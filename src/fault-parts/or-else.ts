/** Work that is done wholly or not at all. */

/** Where the work fails, all that it may have done is taken back as far as possible, and its own error is what is told. */
export const orElse = async (
  work: () => Promise<void>,
  ...takeBack: readonly (() => Promise<unknown>)[]
): Promise<void> => {
  try {
    await work()
  } catch (error) {
    for (const step of takeBack) await step().catch(() => {})
    throw error
  }
}

/** Somebody else may have been quicker: what is not there any more need not be changed or deleted. */

/** Whether a request was refused because there is no such object, or no such kind. */
export const isMissing = (error: unknown): boolean => (error as { code?: unknown }).code === 404

export const ignoreMissing = async (change: Promise<unknown>): Promise<void> => {
  try {
    await change
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

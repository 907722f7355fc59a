/** Somebody else may have been quicker: what is not there any more needs no deletion. */
export const ignoreMissing = async (deletion: Promise<unknown>): Promise<void> => {
  try {
    await deletion
  } catch (error) {
    if ((error as { code?: unknown }).code !== 404) throw error
  }
}

/** Ignores errors of requests for objects that no longer exist. */
import { isNotFound } from '#spec'

export const ignoreMissing = async (change: Promise<unknown>): Promise<void> => {
  try {
    await change
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

/** Somebody else may have been quicker: what is not there any more need not be changed or deleted. */
import { isMissing } from './chaos.ts'

export const ignoreMissing = async (change: Promise<unknown>): Promise<void> => {
  try {
    await change
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

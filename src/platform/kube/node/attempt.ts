/** Runs a step of a background task and reports its error to `onError`. */
import type { KubeletContext } from './kubelet-context.ts'

/** Returns whether the step succeeded. */
export const attempt = (
  { onError }: Pick<KubeletContext, 'onError'>,
  source: string,
  step: () => void,
): boolean => {
  try {
    step()
    return true
  } catch (error) {
    onError(source, error)
    return false
  }
}

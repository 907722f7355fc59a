/** Runs a step of a task that nobody waits for: what it throws is told, and goes no further. */
import type { KubeletContext } from './kubelet-context.ts'

/** Tells whether the step went well. */
export const attempt = (
  { onError }: Pick<KubeletContext, 'onError'>,
  where: string,
  step: () => void,
): boolean => {
  try {
    step()
    return true
  } catch (error) {
    onError(where, error)
    return false
  }
}

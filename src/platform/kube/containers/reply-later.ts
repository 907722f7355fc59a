/** Replies of runtimes under a clock. */
import type { Clock } from '#kit'
import type { Reply } from '#platform/kube/ports'

/** Replies after a delay with the result of `compute` or the error it throws. */
export const replyLater = <T>(
  clock: Clock,
  milliseconds: number,
  reply: Reply<T>,
  compute: () => T,
): void => {
  const run = (): void => {
    let value: T
    try {
      value = compute()
    } catch (error) {
      reply({ ok: false, error: error instanceof Error ? error : new Error(String(error)) })
      return
    }
    reply({ ok: true, value })
  }
  if (milliseconds === 0) clock.defer(run)
  else clock.after(milliseconds, run)
}

/** A fork point: a process waits there for orders, and each order continues in a new process. */
import { exitNow, forkProcess, reapChildren } from '#machine/linux'
import { type BlockingLink, openLink } from './supervisor-link.ts'

export interface ForkOrder<O> {
  readonly order: O
  /** The connection of the new process. */
  readonly link: BlockingLink
}

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended, and is reaped with the next order.
  }
}

/** Blocks until the supervisor orders a fork, and returns the order in the child; ends the process when the connection ends. */
const waitInParent = <O>(link: BlockingLink): { readonly number: number; readonly order: O } => {
  const children = new Set<number>()
  for (let received = link.receive(); received !== undefined; received = link.receive()) {
    for (const pid of reapChildren()) children.delete(pid)
    if (received.kind === 'end' && children.has(received.pid)) kill(received.pid)
    if (received.kind !== 'fork') continue
    const { number, order } = received
    try {
      const pid = forkProcess()
      if (pid === 0) return { number, order: order as O }
      children.add(pid)
    } catch (error) {
      link.report({ kind: 'fork-failed', number, reason: (error as Error).message })
    }
  }
  return exitNow(0)
}

/**
 * The calling process stays here, blocked, until its supervisor ends it. The returned promise resolves only in the processes that
 * it forks, once in each. Nothing else may be running: no connection, no started work, no thread.
 */
export const continueInForks = async <O>(link: BlockingLink): Promise<ForkOrder<O>> => {
  const { number, order } = waitInParent<O>(link)
  link.close()
  return { order, link: openLink(link.path, number) }
}

/**
 * Network namespaces held by a file descriptor alone: no name on the host, no process inside. When the last
 * descriptor and the last process are gone, the kernel takes away everything that was in it.
 */
import { closeSync, openSync } from 'node:fs'
import { checked, libc } from './libc.ts'

const CLONE_NEWNET = 0x4000_0000
const CURRENT = '/proc/thread-self/ns/net'

export interface NetworkNamespace {
  readonly fd: number
  /** For other programs (`runc`, `ip link ... netns`), as long as this process lives and has not closed it. */
  readonly path: string
  /**
   * Runs `task` with this thread inside. Sockets opened and programs spawned in it belong to the namespace for
   * ever. It must not wait: what comes after the first `await` would run outside.
   */
  inside<T>(task: () => T): T
  close(): void
}

/** Runs `task`, and brings the thread back to where it was. */
const returning = <T>(task: () => T): T => {
  const home = openSync(CURRENT, 'r')
  try {
    return task()
  } finally {
    checked('setns', libc.setns(home, CLONE_NEWNET))
    closeSync(home)
  }
}

const holdNamespace = (fd: number): NetworkNamespace => {
  let open = true
  return {
    fd,
    path: `/proc/${process.pid}/fd/${fd}`,
    inside: (task) =>
      returning(() => {
        if (!open) throw new Error('the network namespace is closed')
        checked('setns', libc.setns(fd, CLONE_NEWNET))
        return task()
      }),
    close() {
      if (!open) return
      open = false
      closeSync(fd)
    },
  }
}

/** A new one, with nothing in it but a loopback device that is down. */
export const createNetworkNamespace = (): NetworkNamespace =>
  returning(() => {
    checked('unshare', libc.unshare(CLONE_NEWNET))
    return holdNamespace(openSync(CURRENT, 'r'))
  })

/** The one that a process lives in, or that lies at a path as `NetworkNamespace.path` gives it. */
export const openNetworkNamespace = (path: string): NetworkNamespace => holdNamespace(openSync(path, 'r'))

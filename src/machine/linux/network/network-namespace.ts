/**
 * Network namespaces that are held only by a file descriptor, without a name on the host or a process inside. The kernel
 * removes a namespace with its last descriptor and its last process.
 */
import { closeSync, openSync } from 'node:fs'
import { checked, libc } from '../libc.ts'

const CLONE_NEWNET = 0x4000_0000
const CURRENT = '/proc/thread-self/ns/net'

export interface NetworkNamespace {
  readonly fd: number
  /** The path for other programs (`runc`, `ip link ... netns`). It is valid until this process ends or closes the namespace. */
  readonly path: string
  /**
   * Runs the synchronous `task` with this thread in the namespace. Sockets opened and programs spawned by it stay in the
   * namespace. Code after the first `await` would run outside.
   */
  inside<T>(task: () => T): T
  close(): void
}

/** Runs `task`, then returns the thread to its original namespace. */
const restoringNamespace = <T>(task: () => T): T => {
  const original = openSync(CURRENT, 'r')
  try {
    return task()
  } finally {
    checked('setns', libc.setns(original, CLONE_NEWNET))
    closeSync(original)
  }
}

const holdNamespace = (fd: number): NetworkNamespace => {
  let open = true
  return {
    fd,
    path: `/proc/${process.pid}/fd/${fd}`,
    inside: (task) =>
      restoringNamespace(() => {
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

/** Creates a namespace with only a loopback device, which is down. */
export const createNetworkNamespace = (): NetworkNamespace =>
  restoringNamespace(() => {
    checked('unshare', libc.unshare(CLONE_NEWNET))
    return holdNamespace(openSync(CURRENT, 'r'))
  })

/** Opens the namespace at a path, such as `/proc/PID/ns/net` or `NetworkNamespace.path`. */
export const openNetworkNamespace = (path: string): NetworkNamespace => holdNamespace(openSync(path, 'r'))

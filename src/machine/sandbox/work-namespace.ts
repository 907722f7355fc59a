/**
 * A mount namespace with a folder of limited size. It is held only by a descriptor of this process, so that the folder is
 * removed when the process ends, and the machine itself has no mount.
 */
import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'

export interface WorkNamespace {
  /** The path for other programs; valid while the namespace is open. */
  readonly path: string
  close(): void
}

/** Each file costs kernel memory. */
const MAX_FILES = 10_000
const READY = 'ready'

/** Mounts the folder, and ends after this process has opened the namespace, which keeps the namespace alive. */
const SCRIPT = `mount -t tmpfs -o "$1" work "$2" && echo ${READY} && read -r answer`

/** Rejects with the output of the programs if the machine does not permit mount namespaces. */
export const createWorkNamespace = (
  folder: string,
  { bytes, user }: { bytes: number; user: number },
): Promise<WorkNamespace> =>
  new Promise((resolve, reject) => {
    const options = `nosuid,nodev,size=${bytes},nr_inodes=${MAX_FILES},mode=0700,uid=${user},gid=${user}`
    const child = spawn(
      'unshare',
      ['--mount', '--propagation', 'private', 'sh', '-c', SCRIPT, 'sh', options, folder],
      { stdio: 'pipe' },
    )
    let stderr = ''
    let fd: number | undefined
    child.stdout.on('data', () => {
      fd ??= openSync(`/proc/${child.pid}/ns/mnt`, 'r')
      child.stdin.end('seen\n')
    })
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.stdin.on('error', () => {})
    child.once('error', reject)
    child.once('close', () => {
      if (fd === undefined) {
        reject(new Error(stderr.trim() || 'the mount namespace could not be created'))
        return
      }
      const descriptor = fd
      let open = true
      resolve({
        path: `/proc/${process.pid}/fd/${descriptor}`,
        close() {
          if (open) closeSync(descriptor)
          open = false
        },
      })
    })
  })

/**
 * A mount namespace with one folder in it that has a size: held by a descriptor of this process alone, so that the
 * folder and all in it are gone when the process is, however it ends, and the machine never sees a mount.
 */
import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'

export interface WorkNamespace {
  /** For other programs, as long as it is open. */
  readonly path: string
  close(): void
}

/** Far more than an operator's hand writes; each costs memory of the kernel. */
const MOST_FILES = 10_000
const READY = 'ready'

/** Mounts on `folder`, waits until it was seen, and goes: the namespace stays with who has opened it. */
const SCRIPT = `mount -t tmpfs -o "$1" work "$2" && echo ${READY} && read -r answer`

/** Rejects with what the programs say where the machine does not allow it. */
export const createWorkNamespace = (
  folder: string,
  { bytes, user }: { bytes: number; user: number },
): Promise<WorkNamespace> =>
  new Promise((resolve, reject) => {
    const options = `nosuid,nodev,size=${bytes},nr_inodes=${MOST_FILES},mode=0700,uid=${user},gid=${user}`
    const maker = spawn(
      'unshare',
      ['--mount', '--propagation', 'private', 'sh', '-c', SCRIPT, 'sh', options, folder],
      { stdio: 'pipe' },
    )
    let said = ''
    let fd: number | undefined
    maker.stdout.on('data', () => {
      fd ??= openSync(`/proc/${maker.pid}/ns/mnt`, 'r')
      maker.stdin.end('seen\n')
    })
    maker.stderr.on('data', (chunk) => {
      said += chunk
    })
    maker.stdin.on('error', () => {})
    maker.once('error', reject)
    maker.once('close', () => {
      if (fd === undefined) {
        reject(new Error(said.trim() || 'no mount namespace could be made'))
        return
      }
      const held = fd
      let open = true
      resolve({
        path: `/proc/${process.pid}/fd/${held}`,
        close() {
          if (open) closeSync(held)
          open = false
        },
      })
    })
  })

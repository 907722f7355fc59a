/**
 * Kills every process whose environment mentions a folder. Killing a process group is not enough, because Ansible modules
 * leave the group of their parent.
 */
import { readdirSync, readFileSync } from 'node:fs'

const refersTo = (pid: string, folder: string): boolean => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(folder)
  } catch {
    // The process has ended, or belongs to another user.
    return false
  }
}

/** `folder` must be unique: unrelated processes that mention it are killed too. */
export const killProcessesOf = (folder: string): void => {
  if (process.platform !== 'linux') return
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    if (refersTo(pid, folder))
      try {
        process.kill(Number(pid), 'SIGKILL')
      } catch {
        // The process has ended.
      }
}

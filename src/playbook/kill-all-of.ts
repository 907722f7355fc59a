/** Ends every process that has a folder in its environment: modules of Ansible leave the group of the one that began them. */
import { readdirSync, readFileSync } from 'node:fs'

const mentions = (pid: string, folder: string): boolean => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(folder)
  } catch {
    // Ended meanwhile, or somebody else's.
    return false
  }
}

/** `folder` must be named so that nobody else has it in his environment. */
export const killAllOf = (folder: string): void => {
  if (process.platform !== 'linux') return
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    if (mentions(pid, folder))
      try {
        process.kill(Number(pid), 'SIGKILL')
      } catch {
        // Ended meanwhile.
      }
}

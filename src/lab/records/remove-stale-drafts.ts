/** Removes unfinished records of processes that have ended. */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DRAFT_SUFFIX } from './keep-record.ts'

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Keeps the drafts of running processes, because several processes can write to the same folder. */
export const removeStaleDrafts = (folder: string): void => {
  for (const name of readdirSync(folder)) {
    const match = name.endsWith(DRAFT_SUFFIX) ? /\.(\d+)$/.exec(name.slice(0, -DRAFT_SUFFIX.length)) : null
    if (match !== null && !isAlive(Number(match[1]))) rmSync(join(folder, name), { force: true })
  }
}

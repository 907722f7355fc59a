/**
 * Orphans that came to this process and that nobody waits for: a program was killed after it had begun one in a container. Dead
 * and not waited for, such a child keeps the first process of its container from ending, for ever.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { libc } from './libc.ts'

const WNOHANG = 1
const TASKS = '/proc/self/task'

/** Empty where the file is gone. */
const readQuietly = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

const children = (): number[] =>
  readdirSync(TASKS).flatMap((task) =>
    readQuietly(`${TASKS}/${task}/children`)
      .split(' ')
      .filter((pid) => pid !== '')
      .map(Number),
  )

/** The state stands behind the name, which may have anything in it. */
const isDead = (pid: number): boolean => / Z /.test(readQuietly(`/proc/${pid}/stat`).replace(/^.*\)/s, ''))

/**
 * Call the function now and then, some time apart: it lets go of those that were dead at the call before too. Those of
 * Node's own are never that long dead; those whom `isAwaited` knows are left to whoever waits.
 */
export const createStrayLook = (isAwaited: (pid: number) => boolean): (() => void) => {
  let before = new Set<number>()
  return () => {
    const dead = children().filter((pid) => !isAwaited(pid) && isDead(pid))
    for (const pid of dead) if (before.has(pid)) libc.waitpid(pid, [0], WNOHANG)
    before = new Set(dead)
  }
}

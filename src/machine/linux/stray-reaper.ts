/**
 * Reaps zombies that no caller waits for: orphans that a killed program had started in a container. Such a
 * zombie would prevent the first process of its container from ending.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { libc } from './libc.ts'

const WNOHANG = 1
const TASKS = '/proc/self/task'

/** Empty if the file does not exist. */
const readOrEmpty = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

const listChildren = (): number[] =>
  readdirSync(TASKS).flatMap((task) =>
    readOrEmpty(`${TASKS}/${task}/children`)
      .split(' ')
      .filter((pid) => pid !== '')
      .map(Number),
  )

/** The state follows the name, which may contain any character. */
const isZombie = (pid: number): boolean => / Z /.test(readOrEmpty(`/proc/${pid}/stat`).replace(/^.*\)/s, ''))

/**
 * The returned function must be called periodically: it reaps children that were already zombies at the previous call.
 * Node reaps its own children sooner. Children for which `isAwaited` returns true are skipped.
 */
export const createStrayReaper = (isAwaited: (pid: number) => boolean): (() => void) => {
  let previousZombies = new Set<number>()
  return () => {
    const zombies = listChildren().filter((pid) => !isAwaited(pid) && isZombie(pid))
    for (const pid of zombies) if (previousZombies.has(pid)) libc.waitpid(pid, [0], WNOHANG)
    previousZombies = new Set(zombies)
  }
}

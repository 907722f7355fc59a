/** Says again and again that a worker lives, where what it does takes longer than anybody waits in silence. */
import { createRealClock } from '../../kit/index.ts'

/** More often than anybody waits for a sign of life: models may think for minutes. */
const ALIVE_MS = 15_000

/** For so long as it may take at most: then whoever waits finds that it hangs. */
export const whileAlive = async <T>(alive: () => void, mostMs: number, work: Promise<T>): Promise<T> => {
  const clock = createRealClock()
  const end = clock.now() + mostMs
  let timer = clock.after(ALIVE_MS, function again() {
    if (clock.now() > end) return
    alive()
    timer = clock.after(ALIVE_MS, again)
  })
  return work.finally(() => timer.cancel())
}

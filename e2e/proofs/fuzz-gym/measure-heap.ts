/** Reads the heaps of the workers after a garbage collection. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const MIB = 2 ** 20
const POLL_MS = 100

/** The folder in which workers write the sizes of their heaps. */
export const HEAP_FOLDER = mkdtempSync(join(tmpdir(), 'fuzz-gym-'))

/** In MiB, in the order of the processes. */
export const measureHeaps = async (pids: readonly number[]): Promise<number[]> => {
  const files = pids.map((pid) => join(HEAP_FOLDER, String(pid)))
  for (const [index, pid] of pids.entries()) {
    rmSync(files[index]!, { force: true })
    process.kill(pid, 'SIGUSR2')
  }
  while (!files.every((file) => existsSync(file) && readFileSync(file, 'utf8') !== '')) await sleep(POLL_MS)
  return files.map((file) => Number(readFileSync(file, 'utf8')) / MIB)
}

/** Loaded into each worker: at SIGUSR2, it collects garbage and writes the size of the heap to a file. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

process.on('SIGUSR2', () => {
  collectGarbage()
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  writeFileSync(join(process.env.FUZZ_HEAP_FOLDER!, String(process.pid)), String(heapUsed + external))
})

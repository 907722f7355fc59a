/** A process that runs a program in a sandbox, for tests that kill the process. */
import { createSandbox } from '../index.ts'

const sandbox = await createSandbox({ server: 'http://127.0.0.1:9' })
sandbox.run({
  command: ['/bin/sh', '-c', 'echo started >&3; while :; do sleep 1; done'],
  onLine: (line) => process.send?.(line),
})

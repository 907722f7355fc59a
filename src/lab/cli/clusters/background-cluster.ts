/** The program that runs a cluster in the background. It reports over Node's IPC channel to the process that started it. */
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { shortenStart } from '#lab/start'

shortenStart()
const { toRemediumError } = await import('#spec')
const { runClusterOf } = await import('./run-cluster-of.ts')

const { options, log } = JSON.parse(process.argv[2]!)
const abandoned = new AbortController()
const abandon = (): void => abandoned.abort()
const send = (message: object): void => {
  // The callback swallows the error of a channel that has just closed; "disconnect" handles that case.
  if (process.connected) process.send!(message, undefined, undefined, () => {})
}

// Stops the cluster if the process that started it exits without confirming the announcement.
process.once('disconnect', abandon)
if (!process.connected) abandon()
process.once('message', () => {
  process.off('disconnect', abandon)
  process.disconnect()
})

try {
  await runClusterOf(options, {
    signal: abandoned.signal,
    onProgress: (line) => send({ progress: line }),
    onError: (line) => console.error(line),
    // The log moves into the folder of the cluster.
    onClaim(folder) {
      renameSync(log, join(folder, 'log'))
      send({ log: join(folder, 'log') })
    },
    onReady: (announcement) => send({ ready: announcement }),
  })
} catch (thrown) {
  const { code, message, hint, blame, cause } = toRemediumError(thrown)
  if (code === 'defect') console.error(cause)
  send({ error: { code, message, hint, blame } })
  process.exitCode = 1
}
process.off('disconnect', abandon)
if (process.connected) process.disconnect()

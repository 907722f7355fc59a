/** Where the process of a cluster in the background starts. It speaks to its starter over the channel of Node. */
import { renameSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

enableCompileCache(join(import.meta.dirname, '..', '..', '..', '.remedium', 'compile-cache'))
const { toRemediumError } = await import('../../spec/index.ts')
const { runLocalCluster } = await import('./run-local-cluster.ts')

const { options, log } = JSON.parse(process.argv[2]!)
const abandoned = new AbortController()
const abandon = (): void => abandoned.abort()
const tell = (message: object): void => {
  // A starter that has just gone away is told of by "disconnect", not by an error here, which would end this process.
  if (process.connected) process.send!(message, undefined, undefined, () => {})
}

// A starter that goes away before it has heard that all is well leaves nothing behind.
process.once('disconnect', abandon)
if (!process.connected) abandon()
process.once('message', () => {
  process.off('disconnect', abandon)
  process.disconnect()
})

try {
  await runLocalCluster(options, {
    signal: abandoned.signal,
    onProgress: (line) => tell({ progress: line }),
    onError: (line) => console.error(line),
    // Whatever this process says from now on lies in the folder of the cluster.
    onClaim(folder) {
      renameSync(log, join(folder, 'log'))
      tell({ log: join(folder, 'log') })
    },
    onReady: (announcement) => tell({ ready: announcement }),
  })
} catch (thrown) {
  const { code, message, hint, blame, cause } = toRemediumError(thrown)
  if (code === 'defect') console.error(cause)
  tell({ error: { code, message, hint, blame } })
  process.exitCode = 1
}
process.off('disconnect', abandon)
if (process.connected) process.disconnect()

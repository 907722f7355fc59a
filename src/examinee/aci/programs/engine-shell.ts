/** Runs the commands of exec_shell by the engine of the cluster. */
import { defined } from '#kit'
import { RemediumError, type RunEngineCommand, toRemediumError } from '#spec'
import type { Shell } from '../ports.ts'

/** Rejects only for failures of the engine, and with `unsupported` if it does not support a command. */
export const engineShell = (run: RunEngineCommand): Shell => ({
  async run({ command, api, namespace, timeoutMs, signal }) {
    const result = await run({ command, api, namespace, timeoutMs, signal }).catch((error) => {
      throw toRemediumError(error)
    })
    const { exitCode, stdout, stderr, failure, unsupported } = result
    if (unsupported !== undefined)
      throw new RemediumError('unsupported', `The engine cannot run the command: ${unsupported}.`)
    return { exitCode, stdout, stderr, ...defined({ failure }) }
  },
})

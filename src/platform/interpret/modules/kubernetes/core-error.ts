/** A failure that the Kubernetes modules themselves report, and the reasons that they quote. */
import { fail, ModuleEnded, type Result } from '../module.ts'
import { ClientError, RequestError } from './request-error.ts'

const TYPE = 'ansible_collections.kubernetes.core.plugins.module_utils.k8s.exceptions.CoreException'

export class CoreError extends Error {
  /** The HTTP reason of the request that failed. */
  readonly reason: string | undefined
  readonly result: Result

  constructor(
    message: string,
    { reason, result = {} }: { reason?: string | undefined; result?: Result } = {},
  ) {
    super(message)
    this.reason = reason
    this.result = result
  }
}

/** `Failed to patch object: b'{...}'` */
export const requestFailure = (what: string, error: unknown): CoreError => {
  if (error instanceof RequestError) return new CoreError(`${what}: ${error.body}`, { reason: error.reason })
  if (error instanceof ClientError) return new CoreError(`${what}: ${error.message}`)
  throw error
}

/** Ends the module with the message of an error that its main function catches. */
export const reportCoreError = (error: unknown): never => {
  if (error instanceof ModuleEnded || !(error instanceof CoreError)) throw error
  return fail(error.message, {
    exception: `Traceback (most recent call last):\n${TYPE}: ${error.message}\n`,
  })
}

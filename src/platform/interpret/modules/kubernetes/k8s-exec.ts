/** The module k8s_exec. */
import { defined } from '#kit'
import { SplitError, splitWords } from '../../python/split-words.ts'
import type { ArgumentSpec } from '../argument-spec.ts'
import { checkArguments } from '../check-arguments.ts'
import { fail, type Module, PythonError, type Result } from '../module.ts'
import { createApiClient } from './api-client.ts'
import { AUTH_SPEC, checkAccess } from './common-spec.ts'
import { findResource } from './find-resource.ts'
import { RequestError } from './request-error.ts'

const SPEC: ArgumentSpec = {
  ...AUTH_SPEC,
  namespace: { required: true },
  pod: { required: true },
  container: {},
  command: { required: true },
}

const DEPRECATION = {
  msg: "The 'return_code' return key is being renamed to 'rc'. Both keys are being returned for now to allow users to migrate their automation.",
  version: '4.0.0',
  collection_name: 'kubernetes.core',
}

/** The message for a program that cannot be started. The module expects an exit code instead, and fails. */
const NOT_STARTED = /^failed to exec in container: failed to start exec /

const toCommand = (text: string): string[] => {
  try {
    return splitWords(text)
  } catch (error) {
    if (error instanceof SplitError) throw new PythonError('ValueError', error.message)
    throw error
  }
}

export const k8sExec: Module = {
  runsIn: 'kubernetes',
  async run({ args, action, api, discovery, pace }): Promise<Result> {
    const params = checkArguments(action, SPEC, args)
    checkAccess(params)
    const { namespace, pod, command: text } = params
    const client = createApiClient(api, pace, false)
    let container: string | undefined = params.container || undefined
    if (container === undefined)
      try {
        const object = await client.get(findResource(discovery, 'Pod', 'v1'), pod, namespace)
        container = object.spec.containers[0].name
      } catch (error) {
        if (!(error instanceof RequestError)) throw error
      }
    const command = toCommand(text)
    try {
      const { exitCode, stdout, stderr } = await client.request(() =>
        pace.race(
          api.exec({ namespace, name: pod }, command, {
            ...defined({ container }),
            signal: pace.signal,
          }),
        ),
      )
      if (exitCode === 126 && NOT_STARTED.test(stderr))
        throw new PythonError('ValueError', `invalid literal for int() with base 10: '${stderr.trim()}'`)
      return {
        changed: true,
        stdout,
        stderr,
        rc: exitCode,
        return_code: exitCode,
        deprecations: [DEPRECATION],
      }
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      return fail(
        `Failed to execute on pod ${pod} due to : (0)\nReason: Handshake status ${error.status} ${error.reason}\n`,
      )
    }
  },
}

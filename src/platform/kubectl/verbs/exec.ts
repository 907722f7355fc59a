/** kubectl exec. */
import { type ApiObject, UnsupportedCommand, viewAs } from '#spec'
import { chooseContainer, findTarget, podsOf } from '../client/choose-pod.ts'
import type { FlagDefinitions } from '../client/flags.ts'
import type { Found } from '../client/found.ts'
import { createKubectlCall, type KubectlCall } from '../client/kubectl-call.ts'
import { KubectlError } from '../client/kubectl-error.ts'
import { parseFlags } from '../client/parse-flags.ts'
import type { Verb } from './verb.ts'

const FLAGS: FlagDefinitions = {
  container: { short: 'c', type: 'string' },
  stdin: { short: 'i', type: 'bool' },
  tty: { short: 't', type: 'bool' },
  quiet: { short: 'q', type: 'bool' },
  'pod-running-timeout': { type: 'duration' },
  filename: { short: 'f', type: 'list' },
}

const podOf = async (call: KubectlCall, found: Found): Promise<ApiObject> => {
  if (found.type.kind === 'Pod') return found.object
  const [pod] = await podsOf(call, found)
  if (pod === undefined) throw new UnsupportedCommand('kubectl exec in a workload without pods')
  return pod
}

export const exec: Verb = async (program, args) => {
  const flags = parseFlags('exec', args, FLAGS, true)
  if (flags.has('filename')) throw new UnsupportedCommand('kubectl exec -f')
  const call = createKubectlCall(program, flags)
  const [target, ...others] = flags.args
  if (target === undefined) throw new KubectlError('error: pod, type/name or --filename must be specified')
  const command = flags.command ?? others
  if (flags.command !== undefined && others.length > 0)
    throw new UnsupportedCommand('kubectl exec with arguments before --')
  if (command.length === 0)
    throw new KubectlError('error: you must specify at least one command for the container')
  if (flags.command === undefined)
    throw new KubectlError(
      "error: exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead\nSee 'kubectl exec -h' for help and examples",
    )
  const pod = await podOf(call, await findTarget(call, target))
  const phase = viewAs('Pod', pod).status?.phase
  if (phase === 'Succeeded' || phase === 'Failed')
    throw new KubectlError(
      `error: cannot exec into a container in a completed pod; current phase is ${phase}`,
    )
  const container = chooseContainer(call, pod)
  if (flags.bool('tty') && flags.bool('stdin'))
    call.err('Unable to use a TTY - input is not a terminal or the right kind of file')
  const { namespace = '', name } = pod.metadata
  const { exitCode, stdout, stderr } = await program.api.exec({ namespace, name }, command, {
    container,
    signal: program.signal,
    ...(flags.bool('stdin') ? { stdin: program.stdin } : {}),
  })
  program.out(stdout)
  if (exitCode === 126 && /^failed to exec in container: failed to start exec /.test(stderr)) {
    call.err(
      `error: Internal error occurred: Internal error occurred: error executing command in container: ${stderr.trimEnd()}`,
    )
    return 1
  }
  program.err(stderr)
  if (exitCode !== 0) call.err(`command terminated with exit code ${exitCode}`)
  return exitCode
}

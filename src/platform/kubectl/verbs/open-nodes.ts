/** Starts a call of kubectl whose arguments are names of nodes. */
import { UnsupportedCommand } from '#spec'
import type { FlagDefinitions } from '../client/flags.ts'
import { createKubectlCall, type KubectlCall } from '../client/kubectl-call.ts'
import { KubectlError } from '../client/kubectl-error.ts'
import { parseFlags } from '../client/parse-flags.ts'
import type { Verb } from './verb.ts'

export const openNodes = (
  verb: string,
  program: Parameters<Verb>[0],
  args: readonly string[],
  flags: FlagDefinitions,
): KubectlCall => {
  const parsed = parseFlags(verb, args, flags)
  if (parsed.has('dry-run')) throw new UnsupportedCommand(`kubectl ${verb} --dry-run`)
  if (parsed.args.length === 0 && !parsed.has('selector'))
    throw new KubectlError(
      `error: USAGE: ${verb} NODE [flags]\nSee 'kubectl ${verb} -h' for help and examples`,
    )
  const names = parsed.args.map((arg) => (/^nodes?\//.test(arg) ? arg : `node/${arg}`))
  return createKubectlCall(program, { ...parsed, args: names.length === 0 ? ['nodes'] : names })
}

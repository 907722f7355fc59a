/** env, nice, nohup and setsid run another program in their place; printenv prints the environment. */
import { parseOptions } from '../parse-options.ts'
import { type PodProgram, type PodProgramCall, ProgramFailure } from '../pod-program.ts'

/** Runs the rest of the command line in place of the program. */
const runInstead = (
  call: PodProgramCall,
  command: readonly string[],
  environment = call.host.environment,
): Promise<never> => {
  const [name = ''] = command
  const isReplaced = call.host.processes.replace({ command, environment, input: () => call.host.input })
  if (isReplaced) return new Promise<never>(() => {})
  throw new ProgramFailure(
    call.name === 'nohup'
      ? `failed to run command '${name}': No such file or directory`
      : `‘${name}’: No such file or directory`,
    127,
  )
}

/** Programs are not ended by the end of a terminal. */
const nohup: PodProgram = (call) => {
  if (call.args.length === 0)
    throw new ProgramFailure("missing operand\nTry 'nohup --help' for more information.", 125)
  return runInstead(call, call.args)
}

const setsid: PodProgram = (call) =>
  runInstead(call, parseOptions(call, { flags: 'fw', stopsAtOperand: true }).operands)

const nice: PodProgram = (call) =>
  runInstead(call, parseOptions(call, { values: 'n', stopsAtOperand: true }).operands)

const env: PodProgram = (call) => {
  const { options, operands } = parseOptions(call, { flags: 'i', values: 'u', stopsAtOperand: true })
  const environment: Record<string, string> = options.has('i') ? {} : { ...call.host.environment }
  const unset = options.get('u')
  if (typeof unset === 'string') delete environment[unset]
  const left = [...operands]
  while (/^[A-Za-z_]\w*=/.test(left[0] ?? '')) {
    const [name = '', ...value] = left.shift()!.split('=')
    environment[name] = value.join('=')
  }
  if (left.length > 0) return runInstead(call, left, environment)
  for (const [name, value] of Object.entries(environment)) call.out(`${name}=${value}\n`)
  return 0
}

const printenv: PodProgram = ({ args, host, out }) => {
  if (args.length === 0)
    for (const [name, value] of Object.entries(host.environment)) out(`${name}=${value}\n`)
  let code = 0
  for (const name of args) {
    const value = host.environment[name]
    if (value === undefined) code = 1
    else out(`${value}\n`)
  }
  return code
}

export const replacingPrograms: Readonly<Record<string, PodProgram>> = { env, nice, nohup, printenv, setsid }

/** sleep and timeout: wait, and limit the time of a program. */
import { parseOptions } from '../parse-options.ts'
import { type PodProgram, ProgramFailure } from '../pod-program.ts'

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Undefined if the text is no duration. */
const parseDuration = (text: string): number | undefined => {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?|\.\d+)([smhd])?$/.exec(text) ?? []
  return number === undefined ? undefined : Number(number) * UNITS[unit]! * 1000
}

const sleep: PodProgram = async (call) => {
  if (call.args.length === 0)
    throw new ProgramFailure("missing operand\nTry 'sleep --help' for more information.")
  if (call.args.some((arg) => arg === 'infinity')) return new Promise(() => {})
  let ms = 0
  for (const arg of call.args) {
    const duration = parseDuration(arg)
    if (duration === undefined)
      throw new ProgramFailure(`invalid time interval ‘${arg}’\nTry 'sleep --help' for more information.`)
    ms += duration
  }
  await call.sleep(ms)
  return 0
}

const TIMED_OUT = 124

const timeout: PodProgram = async (call) => {
  const { operands } = parseOptions(call, { values: 'ks', stopsAtOperand: true })
  const [limit = '', ...command] = operands
  const ms = parseDuration(limit)
  if (ms === undefined || command.length === 0)
    throw new ProgramFailure(
      `invalid time interval ‘${limit}’\nTry 'timeout --help' for more information.`,
      125,
    )
  const { processes, time } = call.host
  const started = processes.start({ command, input: () => call.host.input })
  if (started === undefined)
    throw new ProgramFailure(`failed to run command ‘${command[0]}’: No such file or directory`, 127)
  let isOverdue = false
  const cancel = time.after(ms, () => {
    isOverdue = true
    processes.signal(started.id, 'TERM')
  })
  const code = await started.ended
  cancel()
  return isOverdue ? TIMED_OUT : code
}

export const timedPrograms: Readonly<Record<string, PodProgram>> = { sleep, timeout }

/** Starts commands in the background. */
import { UnsupportedCommand } from '#spec'
import { expandWords } from './expand-words.ts'
import { closeSinks, redirect } from './redirect.ts'
import type { RunTools } from './run-tools.ts'
import { startProgram } from './run-words.ts'
import { complain, type Shell, type Streams } from './shell-state.ts'
import type { AndOr, SimpleCommand } from './syntax/script-tree.ts'

/** Ids of jobs that are no processes of their own. */
const FIRST_JOB = 100_000

export interface JobTools extends RunTools {
  runInBackground(shell: Shell, part: AndOr, streams: Streams): Promise<number>
}

const BUILT_IN_NAMES =
  /^(?:\.|:|\[|cd|command|echo|eval|exec|exit|export|false|kill|printf|read|set|test|trap|true|type|unset|wait)$/

/** Whether the command can run as a process of its own. */
const asProgram = (shell: Shell, { first, rest }: AndOr): SimpleCommand | undefined => {
  const [command] = first.commands
  if (rest.length > 0 || first.commands.length > 1 || first.isNegated || command?.type !== 'simple')
    return undefined
  const [part] = command.words[0] ?? []
  if (part?.type !== 'text' || command.assignments.length > 0) return undefined
  const name = command.words[0]!.map((each) => (each.type === 'text' ? each.text : '')).join('')
  return BUILT_IN_NAMES.test(name) || shell.functions.has(name) ? undefined : command
}

const startProcess = async (
  shell: Shell,
  command: SimpleCommand,
  streams: Streams,
  tools: JobTools,
): Promise<void> => {
  const expansion = tools.expansionFor(shell, streams)
  const words = await expandWords(command.words, expansion)
  const redirected = await redirect(
    shell,
    command.redirections,
    { ...streams, input: { text: '' } },
    expansion,
  )
  if (redirected === undefined) return
  const started = startProgram(shell, words, redirected.streams)
  if (started === undefined) complain(shell, redirected.streams, `${words[0]}: not found`)
  const close = (code: number): Promise<number> =>
    closeSinks(redirected.sinks, code, redirected.streams, words[0]!)
  const ended = (started?.ended ?? Promise.resolve(127)).then(close)
  addJob(shell, started?.id ?? nextJob(shell), ended)
}

const nextJob = ({ jobs }: Shell): number => Math.max(FIRST_JOB, ...jobs.keys()) + 1

const addJob = (shell: Shell, id: number, ended: Promise<number>): void => {
  // The shell need not wait for it.
  ended.catch(() => {})
  shell.jobs.set(id, ended)
  shell.lastJob = id
}

/** Whether the id is that of a job that ends with the shell. */
const endsWithShell = (id: number): boolean => id > FIRST_JOB

export const startJob = async (
  shell: Shell,
  part: AndOr,
  streams: Streams,
  tools: JobTools,
): Promise<number> => {
  if (shell.port.processes === undefined) throw new UnsupportedCommand('a command in the background')
  const program = asProgram(shell, part)
  if (program !== undefined) await startProcess(shell, program, streams, tools)
  else addJob(shell, nextJob(shell), tools.runInBackground(shell, part, streams))
  shell.lastCode = 0
  return 0
}

/** Commands in the background that are no processes would end with the shell. */
export const refuseLostJobs = async ({ jobs, port }: Shell): Promise<void> => {
  if (port.processes === undefined || port.processes.id === 1) return
  for (const [id, job] of jobs) {
    if (!endsWithShell(id)) continue
    const state = await Promise.race([job.then(() => 'ended'), Promise.resolve('running')])
    if (state === 'running')
      throw new UnsupportedCommand('commands in the background after the end of the shell')
  }
}

/** Runs any program as an agent, over JSON lines. docs/agents.md describes the protocol. */
import { existsSync } from 'node:fs'
import { z } from 'zod'
import { type AgentOptions, parseAgentOptions } from '#examinee/agent-parts'
import { createRealClock, defined } from '#kit'
import { type Agent, type AgentContext, type AgentStep, defineAgent, RemediumError } from '#spec'
import { type Isolation, prepareIsolation } from './isolation.ts'
import { toStartError } from './launch-program.ts'
import { type Program, startProgram } from './program.ts'
import { PROTOCOL_VERSION, type ProgramInput, type ProgramOutput, parseProgramOutput } from './protocol.ts'

/** Parses `a b c`, or a JSON array for arguments with spaces. */
const parseArguments = (args: string | readonly string[]): readonly string[] => {
  if (typeof args !== 'string') return args
  if (!args.trim().startsWith('[')) return args.split(/\s+/).filter((part) => part !== '')
  try {
    return z.array(z.string()).parse(JSON.parse(args))
  } catch (cause) {
    const message = `The arguments of the external agent's program are not a JSON array of strings: ${args}`
    throw new RemediumError('bad-argument', message, { cause })
  }
}

const listOption = (separator: string) =>
  z
    .union([z.string(), z.array(z.string())])
    .default('')
    .transform((value) =>
      typeof value === 'string' ? value.split(separator).filter((part) => part !== '') : value,
    )

const limitOption = (value: number) => z.coerce.number().positive().max(1_000_000_000).default(value)

const OPTIONS = {
  /** The program; looked up in PATH. */
  program: z.string().min(1).optional(),
  args: z.union([z.string(), z.array(z.string())]).default(''),
  /** The working directory. */
  folder: z.string().min(1).optional(),
  /** The program fails if it writes nothing for this long. */
  silenceSeconds: z.coerce.number().positive().default(120),
  /** The maximum number of lines that it may write. */
  lines: z.coerce.number().int().min(1).default(10_000),
  /** `nobody`: isolated, as the user nobody. `root`: as the user of Remedium, for trusted programs. */
  user: z.enum(['nobody', 'root']).default('nobody'),
  /** Further folders that the isolated program can read, separated by colons. */
  folders: listOption(':'),
  /** Folders that it must not read, separated by colons. */
  hidden: listOption(':'),
  /** A folder that it can write to, and that is kept between episodes; none by default. */
  memory: z.string().min(1).optional(),
  /** The maximum size of all files in that folder. */
  memoryMiB: limitOption(256),
  /** Services of this machine that it may connect to, such as `127.0.0.1:11434`, separated by commas. */
  connect: listOption(','),
  /** The maximum memory of all its processes and files. */
  ramMiB: limitOption(2048),
  processes: limitOption(256).pipe(z.int()),
  /** The maximum size of one file, of all files in its home, and of all files in its temporary folder. */
  fileMiB: limitOption(256),
  cores: limitOption(2),
}

type Options = ReturnType<typeof parseAgentOptions<typeof OPTIONS>>

/** The time for the program to exit after the `end` message. */
const GRACE_MS = 2000

/** Performs the action of one message. Resolves with whether the episode is over. */
const handleOutput = async (
  message: Extract<ProgramOutput, { call: object } | { submit: object }>,
  { actions }: AgentContext,
  send: (reply: ProgramInput) => void,
): Promise<boolean> => {
  const {
    id,
    name,
    input = {},
  } = 'call' in message ? message.call : { id: 'submit', name: 'submit', input: message.submit }
  const observation = await actions.call(name, input)
  send({ observation: { id, ...observation } })
  return name === 'submit' && observation.ok
}

async function* converse(
  program: Program,
  context: AgentContext,
  { lines }: Options,
  end: (reason: string) => void,
): AsyncGenerator<AgentStep, void, void> {
  const send = (message: ProgramInput): void => program.send(message)
  const { episode, briefing, actions } = context
  const reportsVerdict = context.onVerdict !== undefined
  send({
    begin: { version: PROTOCOL_VERSION, episode, reportsVerdict, briefing, actions: actions.available },
  })
  for (let count = 1; ; count += 1) {
    const line = await context.waitOutside(program.next())
    if (line === undefined) {
      const { description, isNotStarted } = await context.waitOutside(program.describeEnd())
      throw count === 1 && isNotStarted
        ? toStartError(description)
        : new Error(`The program ended without a submit (${description}).`)
    }
    if (count > lines) throw new Error(`The program wrote more than ${lines} lines.`)
    const message = parseProgramOutput(line)
    if ('thought' in message) {
      const { thought, role } = message
      yield { thought, ...defined({ role }) }
    } else if ('usage' in message) {
      const { input, output, ...others } = message.usage
      context.reportUsage({ tokens: { input, output }, ...defined(others) })
    } else if (await handleOutput(message, context, send)) {
      end('submitted')
      return
    }
  }
}

/**
 * Ends a program. After the `end` message the program has some time to exit. If it is to receive the verdict,
 * the agent returns at once, and the program runs until the verdict is known.
 */
const createSession = (program: Program, { onVerdict }: AgentContext) => {
  let closing: Promise<void> | undefined
  const close = (graceMs: number): Promise<void> => {
    closing ??= program.close(graceMs)
    return closing
  }
  let isEnded = false
  let released: Promise<void> = Promise.resolve()
  return {
    /** Resolves when the agent can return. */
    get released() {
      return released
    },
    /** Only the first reason counts. */
    end(reason: string): void {
      if (isEnded) return
      isEnded = true
      program.send({ end: { reason } } satisfies ProgramInput)
      if (onVerdict === undefined) released = close(GRACE_MS)
      else
        onVerdict(async (verdict) => {
          if (verdict !== undefined) program.send({ verdict } satisfies ProgramInput)
          await close(verdict === undefined ? 0 : GRACE_MS)
        })
    },
    /** Kills the program, unless `end` was called. */
    async fail(): Promise<void> {
      await (isEnded ? released : close(0))
    },
  }
}

interface Command {
  readonly path: string
  readonly args: readonly string[]
  readonly isolation: Isolation | undefined
}

async function* solve(
  { path, args, isolation }: Command,
  options: Options,
  context: AgentContext,
): AsyncGenerator<AgentStep, void, void> {
  const { signal } = context
  signal.throwIfAborted()
  const clock = createRealClock({ keepsAlive: true })
  const starting = startProgram({
    path,
    args,
    clock,
    isolation,
    folder: options.folder,
    silenceMs: options.silenceSeconds * 1000,
  })
  const program = await context.waitOutside(starting).catch(async (error) => {
    // The budget may be spent although the program has started.
    const started = await starting.catch(() => undefined)
    await started?.close(0)
    throw error
  })
  const session = createSession(program, context)
  const abort = (): void => session.end('budget-spent')
  signal.addEventListener('abort', abort)
  try {
    yield* converse(program, context, options, session.end)
    await session.released
  } catch (thrown) {
    // The abort kills the program: the error is a consequence of that.
    throw signal.aborted ? signal.reason : thrown
  } finally {
    signal.removeEventListener('abort', abort)
    await session.fail()
  }
}

const defineExternalAgent = (start: Agent['solve']): Agent =>
  defineAgent({
    name: 'external',
    about: 'any program, over JSON lines on its standard input and output',
    roles: [],
    solve: start,
  })

const toMissingProgramError = (): RemediumError =>
  new RemediumError('bad-argument', 'The agent external requires a program.', {
    hint: 'Pass a command line with --external, or --set external.program=PATH.',
  })

export const createAgent = (agentOptions: AgentOptions = {}): Agent => {
  const options = parseAgentOptions('external', OPTIONS, agentOptions)
  const { program: path, folder } = options
  if (path === undefined) throw toMissingProgramError()
  if (folder !== undefined && !existsSync(folder))
    throw new RemediumError('bad-argument', `The folder of the external agent does not exist: ${folder}.`, {
      hint: 'Restore the folder, or start another run.',
    })
  const args = parseArguments(options.args)
  const isolation =
    options.user === 'root'
      ? undefined
      : prepareIsolation([path, ...args], folder, { memory: undefined, ...options })
  return defineExternalAgent((context) => solve({ path, args, isolation }, options, context))
}

/** For listings only: without options it has no program to run. */
export const agent = defineExternalAgent(() => {
  throw toMissingProgramError()
})

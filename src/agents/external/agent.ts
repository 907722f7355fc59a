/** Any program as an agent: it reads and writes JSON lines, as docs/agents.md tells. */
import { existsSync } from 'node:fs'
import { z } from 'zod'
import { type AgentOptions, parseAgentOptions } from '../../agent-parts/index.ts'
import { createRealClock } from '../../kit/index.ts'
import {
  type Agent,
  type AgentContext,
  type AgentStep,
  defineAgent,
  RemediumError,
} from '../../spec/index.ts'
import { canKeepApart } from './keep-apart.ts'
import { type Program, startProgram, unstartable } from './program.ts'
import { PROTOCOL_VERSION, parseSaid, type Said, type Told } from './protocol.ts'

/** `a b c`, or a JSON list where arguments hold spaces. */
const readArguments = (given: string | readonly string[]): readonly string[] => {
  if (typeof given !== 'string') return given
  if (!given.trim().startsWith('[')) return given.split(/\s+/).filter((part) => part !== '')
  try {
    return z.array(z.string()).parse(JSON.parse(given))
  } catch (cause) {
    const message = `The arguments of the external agent's program are no JSON list of texts: ${given}`
    throw new RemediumError('bad-argument', message, { cause })
  }
}

const OPTIONS = {
  /** What to start; found on the PATH. */
  program: z.string().min(1).optional(),
  args: z.union([z.string(), z.array(z.string())]).default(''),
  /** Where to start it. */
  folder: z.string().min(1).optional(),
  /** Seconds without a word from it, after which it has failed. */
  silenceSeconds: z.coerce.number().positive().default(120),
  /** Lines that it may write at all. */
  lines: z.coerce.number().int().min(1).default(10_000),
  /** Whom it runs as: nobody, among processes that it alone sees, or whoever Remedium runs as, for programs that are trusted. */
  user: z.enum(['nobody', 'root']).default('nobody'),
}

type Options = ReturnType<typeof parseAgentOptions<typeof OPTIONS>>

/** How long a program may take to end by itself when all is said. */
const GRACE_MS = 2000

/** Does what one line asks for; tells whether the episode is over with it. */
const answer = async (
  said: Exclude<Said, { thought: string }>,
  { actions }: AgentContext,
  send: (message: Told) => void,
): Promise<boolean> => {
  const {
    id,
    name,
    input = {},
  } = 'call' in said ? said.call : { id: 'submit', name: 'submit', input: said.submit }
  const observation = await actions.call(name, input)
  send({ observation: { id, ...observation } })
  return name === 'submit' && observation.ok
}

async function* converse(
  program: Program,
  context: AgentContext,
  { lines }: Options,
): AsyncGenerator<AgentStep, void, void> {
  const send = (message: Told): void => program.send(message)
  const { briefing, actions } = context
  send({ begin: { version: PROTOCOL_VERSION, briefing, actions: actions.available } })
  for (let count = 1; ; count += 1) {
    const line = await program.next()
    if (line === undefined) {
      const { words, isUnstartable } = await program.describeEnd()
      throw count === 1 && isUnstartable
        ? unstartable(words)
        : new Error(`The program ended without a submit (${words}).`)
    }
    if (count > lines) throw new Error(`The program wrote more than ${lines} lines.`)
    const said = parseSaid(line)
    if ('thought' in said) {
      const { thought, role } = said
      yield { thought, ...(role === undefined ? {} : { role }) }
    } else if (await answer(said, context, send)) return send({ end: { reason: 'submitted' } })
  }
}

async function* solve(
  { path, args }: { path: string; args: readonly string[] },
  options: Options,
  context: AgentContext,
): AsyncGenerator<AgentStep, void, void> {
  const { signal } = context
  signal.throwIfAborted()
  const clock = createRealClock({ keepsAlive: true })
  const isApart = options.user === 'nobody' && canKeepApart()
  const program = await startProgram({
    path,
    args,
    clock,
    isApart,
    folder: options.folder,
    silenceMs: options.silenceSeconds * 1000,
  })
  let closing: Promise<void> | undefined
  const close = (graceMs: number): Promise<void> => {
    closing ??= program.close(graceMs)
    return closing
  }
  const abort = (): void => {
    program.send({ end: { reason: 'budget-spent' } })
    void close(GRACE_MS)
  }
  signal.addEventListener('abort', abort)
  try {
    yield* converse(program, context, options)
    await close(GRACE_MS)
  } catch (thrown) {
    // The program dies of the abort, and that is not its own failure.
    throw signal.aborted ? signal.reason : thrown
  } finally {
    signal.removeEventListener('abort', abort)
    await close(0)
  }
}

const define = (start: Agent['solve']): Agent =>
  defineAgent({
    name: 'external',
    about: 'any program: JSON lines on its standard input and output',
    roles: [],
    solve: start,
  })

const nameless = (): RemediumError =>
  new RemediumError('bad-argument', 'The agent external has to be told which program it is.', {
    hint: 'Give a command line by --external, or --set external.program=PATH.',
  })

export const createAgent = (given: AgentOptions = {}): Agent => {
  const options = parseAgentOptions('external', OPTIONS, given)
  const { program: path, folder } = options
  if (path === undefined) throw nameless()
  if (folder !== undefined && !existsSync(folder))
    throw new RemediumError(
      'bad-argument',
      `The external agent is started in ${folder}, which is not there.`,
      {
        hint: 'Put the folder back as it was, or begin another run.',
      },
    )
  const args = readArguments(options.args)
  return define((context) => solve({ path, args }, options, context))
}

/** To be looked at: by itself it is no program. */
export const agent = define(() => {
  throw nameless()
})
